package io.redelay.benchmarks.chart;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.benchmarks.BenchmarkOptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws all that benchmarks have written, of which there may be only a part, puts it into
 * the tables of the guide, and reckons what follows from the costs that the guide has.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class Charts {

	private static final List<Drawing> CHARTS = List.of(new PeerCharts(), new GrowthChart(), new SoakChart());

	private static final List<Drawing> TABLES = List.of(new PeerTables(), new OptionTable(), new GrowthTable(),
			new SoakTable());

	private Charts() {
	}

	/**
	 * Draws.
	 * @param args {@code --source=target} with the lines of JSON, {@code --charts} and
	 * {@code --tables}, the folders that are written to
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String... args) throws IOException {
		ChartOptions options = BenchmarkOptions.read(ChartOptions.class, args);
		draw(CHARTS, options.source(), options.charts(), ".svg");
		draw(TABLES, options.source(), options.tables(), ".adoc");
		reckon(options.tables());
	}

	private static void draw(List<Drawing> drawings, Path source, Path target, String ending) throws IOException {
		Files.createDirectories(target);
		for (Drawing drawing : drawings) {
			Path file = source.resolve(drawing.file());
			if (!Files.exists(file)) {
				System.out.println("There is no " + file);
				continue;
			}
			List<JsonNode> lines = Files.readAllLines(file).stream().map(JsonMapper.shared()::readTree).toList();
			Map<String, String> drawn = drawing.draw(lines);
			String name = drawing.file().substring(0, drawing.file().indexOf('.'));
			removeOthers(target, name + "-*" + ending, drawn.keySet());
			for (Map.Entry<String, String> entry : drawn.entrySet()) {
				write(target.resolve(entry.getKey() + ending), entry.getValue());
			}
		}
	}

	/**
	 * Reckons from the costs of a message what many of them take.
	 */
	private static void reckon(Path folder) throws IOException {
		Path costs = folder.resolve("costs.adoc");
		if (!Files.exists(costs)) {
			System.out.println("There is no " + costs);
			return;
		}
		Capacity capacity = Capacity.of(Files.readString(costs));
		write(folder.resolve("capacity-rates.adoc"), capacity.rates());
		write(folder.resolve("capacity.adoc"), capacity.table());
	}

	private static void write(Path file, String text) throws IOException {
		Files.writeString(file, text);
		System.out.println(file);
	}

	/**
	 * Removes what was drawn of something that is not measured any more, so that no page
	 * has figures of two measurements.
	 */
	private static void removeOthers(Path folder, String glob, Set<String> drawn) throws IOException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
			for (Path file : files) {
				String name = file.getFileName().toString();
				if (!drawn.contains(name.substring(0, name.lastIndexOf('.')))) {
					Files.delete(file);
					System.out.println("Removed " + file);
				}
			}
		}
	}

}
