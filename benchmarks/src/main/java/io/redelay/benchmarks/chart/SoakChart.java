package io.redelay.benchmarks.chart;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.Spread;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.CombinedDomainXYPlot;
import tools.jackson.databind.JsonNode;

/**
 * Draws what an application is like while it runs.
 */
final class SoakChart implements Drawing {

	private static final int HEIGHT = 520;

	private static final int GAP = 16;

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
		String title = Adoc.text("An application that sends and handles %,d messages a second",
				lines.get(0).get("perSecond").asInt());
		NumberAxis minutes = new NumberAxis("minutes");
		CombinedDomainXYPlot plots = new CombinedDomainXYPlot(LineChart.style(minutes));
		plots.setGap(GAP);
		plots.add(new LineChart()
			.line("heap", Colour.SUBJECT, points(samples, (sample) -> sample.get("heap").asDouble() / MEBIBYTE))
			.plot("Heap after GC, MB", minutes));
		plots.add(new LineChart()
			.line("threads", Colour.SUBJECT, points(samples, (sample) -> sample.get("threads").asDouble()))
			.line("threads of handlers", Colour.OTHER, points(samples, (sample) -> sample.get("handlers").asDouble()))
			.plot("Threads", minutes));
		plots.add(
				new LineChart().line("keys", Colour.SUBJECT, points(samples, (sample) -> sample.get("keys").asDouble()))
					.plot("Keys of Redis", minutes));
		return Map.of("soak", SvgChart.draw(title, "", plots, true, HEIGHT));
	}

	private static Map<Double, Spread> points(List<JsonNode> samples, ToDoubleFunction<JsonNode> value) {
		Map<Double, Spread> points = new TreeMap<>();
		samples.forEach((sample) -> points.put(sample.get("seconds").asDouble() / 60,
				Spread.of(List.of(value.applyAsDouble(sample)))));
		return points;
	}

}
