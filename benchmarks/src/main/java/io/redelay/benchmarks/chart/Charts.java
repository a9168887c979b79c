package io.redelay.benchmarks.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws all that benchmarks have written, of which there may be only a part.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class Charts {

	private static final List<Drawing> DRAWINGS = List.of(new PeerCharts(), new GrowthChart(), new SoakChart());

	private Charts() {
	}

	/**
	 * Draws.
	 * @param args the folder with the lines of JSON, and the folder for the charts
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String... args) throws IOException {
		if (args.length != 2) {
			throw new IllegalArgumentException("Give the folder with the lines of JSON, and the folder for the charts");
		}
		Path target = Files.createDirectories(Path.of(args[1]));
		for (Drawing drawing : DRAWINGS) {
			Path source = Path.of(args[0], drawing.file());
			if (!Files.exists(source)) {
				System.out.println("There is no " + source);
				continue;
			}
			List<JsonNode> lines = Files.readAllLines(source).stream().map(JsonMapper.shared()::readTree).toList();
			for (Map.Entry<String, String> chart : drawing.draw(lines).entrySet()) {
				Path file = target.resolve(chart.getKey() + ".svg");
				Files.writeString(file, chart.getValue());
				System.out.println(file);
			}
		}
	}

}
