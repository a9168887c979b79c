package io.redelay.benchmarks.chart;

import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.Spread;
import io.redelay.benchmarks.soak.SoakSample;
import io.redelay.benchmarks.soak.Trend;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws up a table of how an application has changed while it ran.
 */
final class SoakTable implements Drawing {

	private static final List<String> COLUMNS = List.of("", "first third", "last third", "may grow by", "flat");

	private static final double MEBIBYTE = 1024 * 1024;

	@Override
	public String file() {
		return "soak.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		List<SoakSample> samples = lines.stream()
			.filter((line) -> line.has("heap"))
			.map((line) -> JsonMapper.shared().treeToValue(line, SoakSample.class))
			.toList();
		if (samples.isEmpty()) {
			return Map.of();
		}
		JsonNode setting = lines.get(0);
		SoakSample last = samples.get(samples.size() - 1);
		return Map.of("soak", Adoc.text("""
				%s; %,d messages sent a second, %,d handled by the last sample.

				image::soak.svg["An application that sends and handles for long"]

				%s
				Over all %d samples: 99 of 100 messages came at most so late, in ms: %s. Memory of Redis, in MB: %s.
				""", Adoc.machine(setting), setting.get("perSecond").asInt(), last.handled(),
				table(setting, samples).adoc(), samples.size(),
				Spread.of(samples.stream().map(SoakSample::p99).toList()).format("%,.2f"),
				Spread.of(samples.stream().map((sample) -> sample.memory() / MEBIBYTE).toList()).format("%,.1f")));
	}

	private static Table table(JsonNode setting, List<SoakSample> samples) {
		List<List<String>> rows = Trend.of(samples)
			.stream()
			.map((trend) -> List.of(trend.name(), number(trend.first()), number(trend.last()),
					number(trend.allowance()), trend.isFlat() ? "yes" : "*no*"))
			.toList();
		int minutes = setting.get("minutes").asInt();
		return new Table(Adoc.text((minutes == 1) ? "%d minute" : "%d minutes", minutes) + "; medians of the samples",
				COLUMNS, rows);
	}

	private static String number(double value) {
		return Adoc.text("%,.1f", value);
	}

}
