package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.redelay.benchmarks.Spread;
import org.jfree.chart.axis.LogarithmicAxis;
import org.jfree.chart.axis.NumberTickUnit;
import tools.jackson.databind.JsonNode;

/**
 * Draws what claims cost while the backlog grows.
 */
final class GrowthChart implements Drawing {

	private static final int HEIGHT = 364;

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
		LineChart chart = new LineChart();
		for (String backlog : List.of("waiting", "scheduled")) {
			List<JsonNode> of = samples.stream()
				.filter((sample) -> sample.get("backlog").asString().equals(backlog))
				.toList();
			if (!of.isEmpty()) {
				Colour colour = backlog.equals("waiting") ? Colour.SUBJECT : Colour.OTHER;
				chart.line(backlog, colour, points(of, false)).apart(backlog + ", again", colour, points(of, true));
			}
		}
		LogarithmicAxis messages = new LogarithmicAxis("messages");
		messages.setTickUnit(new NumberTickUnit(1, LineChart.numbers()));
		return Map.of("growth", SvgChart.draw("A claim of 100 while the backlog grows",
				"Vertical: from the smallest to the largest round. Hollow: the smallest backlog once more, at the end.",
				chart.plot("Redis computes, µs", messages), true, HEIGHT));
	}

	private static Map<Double, Spread> points(List<JsonNode> samples, boolean again) {
		Map<Double, List<Double>> values = new TreeMap<>();
		samples.stream()
			.filter((sample) -> sample.get("again").asBoolean() == again)
			.forEach((sample) -> values
				.computeIfAbsent(sample.get("messages").asDouble(), (messages) -> new ArrayList<>())
				.add(sample.get("micros").asDouble()));
		Map<Double, Spread> points = new TreeMap<>();
		values.forEach((messages, micros) -> points.put(messages, Spread.of(micros)));
		return points;
	}

}
