package io.redelay.benchmarks.peers.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.peers.item.Figure;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws a chart of each item from the lines of JSON that a comparison has written.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class PeerCharts {

	private static final List<String> DRAWN = List.of("PER_SECOND", "P99", "BYTES", "REQUESTS_PER_SECOND");

	private PeerCharts() {
	}

	/**
	 * Draws.
	 * @param args the file with the lines, and the folder for the charts
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String... args) throws IOException {
		if (args.length != 2) {
			throw new IllegalArgumentException("Give the file with the lines of JSON, and the folder for the charts");
		}
		Path folder = Files.createDirectories(Path.of(args[1]));
		for (Map.Entry<String, BarChart> chart : read(Path.of(args[0])).entrySet()) {
			Path file = folder.resolve("peers-" + chart.getKey() + ".svg");
			Files.writeString(file, chart.getValue().svg());
			System.out.println(file);
		}
	}

	private static Map<String, BarChart> read(Path file) throws IOException {
		Map<String, JsonNode> titles = new LinkedHashMap<>();
		Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();
		for (String line : Files.readAllLines(file)) {
			JsonNode outcome = JsonMapper.shared().readTree(line);
			if (!outcome.has("figures")) {
				continue;
			}
			String item = outcome.get("item").asString();
			titles.putIfAbsent(item, outcome.get("title"));
			for (String figure : DRAWN) {
				JsonNode value = outcome.get("figures").get(figure);
				if (value != null) {
					values.computeIfAbsent(item + "/" + figure, (key) -> new LinkedHashMap<>())
						.computeIfAbsent(outcome.get("contender").asString(), (key) -> new ArrayList<>())
						.add(value.asDouble());
				}
			}
		}
		Map<String, BarChart> charts = new LinkedHashMap<>();
		values.forEach((key, bars) -> {
			String[] names = key.split("/", 2);
			JsonNode title = titles.get(names[0]);
			charts.put(names[0], BarChart
				.of(((title != null) ? title.asString() : names[0]) + ": " + Figure.valueOf(names[1]).title(), bars));
		});
		return charts;
	}

}
