package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.redelay.benchmarks.Spread;
import tools.jackson.databind.JsonNode;

/**
 * Draws what claims cost while the backlog grows.
 */
final class GrowthChart implements Drawing {

	private static final int HEIGHT = 260;

	@Override
	public String file() {
		return "growth.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		List<JsonNode> samples = lines.stream().filter((line) -> line.has("micros")).toList();
		if (samples.isEmpty()) {
			return Map.of();
		}
		List<Line> drawn = new ArrayList<>();
		for (String backlog : List.of("waiting", "scheduled")) {
			List<JsonNode> of = samples.stream()
				.filter((sample) -> sample.get("backlog").asString().equals(backlog))
				.toList();
			if (!of.isEmpty()) {
				drawn.add(new Line(backlog, drawn.isEmpty() ? Svg.RED : Svg.BLUE, points(of, false), points(of, true)));
			}
		}
		double[] sizes = samples.stream().mapToDouble((sample) -> sample.get("messages").asDouble()).sorted().toArray();
		LineChart chart = new LineChart("A claim of 100 while the backlog grows",
				"Vertical: from the smallest to the largest round. Hollow: the smallest backlog once more, at the end.",
				"messages", Axis.logarithmic(sizes[0], sizes[sizes.length - 1]),
				List.of(new Plot("Redis computes, µs", drawn)), HEIGHT);
		return Map.of("growth", chart.svg());
	}

	private static List<Line.Point> points(List<JsonNode> samples, boolean again) {
		Map<Double, List<Double>> values = new TreeMap<>();
		samples.stream()
			.filter((sample) -> sample.get("again").asBoolean() == again)
			.forEach((sample) -> values
				.computeIfAbsent(sample.get("messages").asDouble(), (messages) -> new ArrayList<>())
				.add(sample.get("micros").asDouble()));
		return values.entrySet()
			.stream()
			.map((entry) -> new Line.Point(entry.getKey(), Spread.of(entry.getValue())))
			.toList();
	}

}
