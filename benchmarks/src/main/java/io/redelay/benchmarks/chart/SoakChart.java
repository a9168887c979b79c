package io.redelay.benchmarks.chart;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.Spread;
import tools.jackson.databind.JsonNode;

/**
 * Draws what an application is like while it runs.
 */
final class SoakChart implements Drawing {

	private static final int HEIGHT = 126;

	private static final int PARTS = 10;

	private static final double MEBIBYTE = 1024 * 1024;

	@Override
	public String file() {
		return "soak.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		List<JsonNode> samples = lines.stream().filter((line) -> line.has("heap")).toList();
		if (samples.isEmpty()) {
			return Map.of();
		}
		String title = Svg.text("An application that sends and handles %,d messages a second",
				lines.get(0).get("perSecond").asInt());
		List<Plot> plots = List.of(
				plot("Heap in use after a garbage collection, MB", samples,
						(sample) -> sample.get("heap").asDouble() / MEBIBYTE),
				new Plot("Threads",
						List.of(line("others", Svg.RED, samples, (sample) -> sample.get("threads").asDouble()),
								line("of handlers", Svg.BLUE, samples, (sample) -> sample.get("handlers").asDouble()))),
				plot("Keys of Redis", samples, (sample) -> sample.get("keys").asDouble()));
		LineChart chart = new LineChart(title, "", "minutes",
				Axis.upTo(minutes(samples.get(samples.size() - 1)), PARTS), plots, HEIGHT);
		return Map.of("soak", chart.svg());
	}

	private static Plot plot(String title, List<JsonNode> samples, ToDoubleFunction<JsonNode> value) {
		return new Plot(title, List.of(line("", Svg.RED, samples, value)));
	}

	private static Line line(String name, String colour, List<JsonNode> samples, ToDoubleFunction<JsonNode> value) {
		return new Line(name, colour,
				samples.stream()
					.map((sample) -> new Line.Point(minutes(sample), Spread.of(List.of(value.applyAsDouble(sample)))))
					.toList(),
				List.of());
	}

	private static double minutes(JsonNode sample) {
		return sample.get("seconds").asDouble() / 60;
	}

}
