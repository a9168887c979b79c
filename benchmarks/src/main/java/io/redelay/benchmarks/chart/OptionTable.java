package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.Spread;
import tools.jackson.databind.JsonNode;

/**
 * Draws up a table of what messages with options cost beside plain ones.
 */
final class OptionTable implements Drawing {

	private static final String PLAIN = "plain";

	private static final List<String> COLUMNS = List.of("option", "Redis CPU, sent by 100", "Redis CPU, by 100",
			"Redis CPU, sent singly", "Redis CPU, singly", "commands, by 100", "client CPU, by 100");

	@Override
	public String file() {
		return "options.jsonl";
	}

	@Override
	public Map<String, String> draw(List<JsonNode> lines) {
		List<JsonNode> samples = lines.stream()
			.filter((line) -> line.has("option") && line.get("round").asInt() > 0)
			.toList();
		if (samples.isEmpty()) {
			return Map.of();
		}
		List<String> options = samples.stream().map((sample) -> sample.get("option").asString()).distinct().toList();
		List<List<String>> rows = new ArrayList<>();
		rows.add(row(samples, PLAIN));
		options.stream().filter((option) -> !option.equals(PLAIN)).sorted().forEach((option) -> {
			rows.add(row(samples, option));
		});
		long rounds = samples.stream().mapToInt((sample) -> sample.get("round").asInt()).distinct().count();
		Table table = new Table(
				Adoc.text("A message with an option: of plain ones so many µs, of others how many plain ones; %s",
						Adoc.rounds(rounds)),
				COLUMNS, rows);
		return Map.of("options", Adoc.text("%s.%n%n%s", Adoc.machine(lines.get(0)), table.adoc()));
	}

	private static List<String> row(List<JsonNode> samples, String option) {
		return List.of(Adoc.code(option), cell(samples, option, 100, "send", "redisMicros"),
				cell(samples, option, 100, "life", "redisMicros"), cell(samples, option, 1, "send", "redisMicros"),
				cell(samples, option, 1, "life", "redisMicros"), cell(samples, option, 100, "life", "commands"),
				cell(samples, option, 100, "life", "clientMicros"));
	}

	private static String cell(List<JsonNode> samples, String option, int together, String part, String figure) {
		List<Double> plain = values(samples, PLAIN, together, part, figure);
		if (option.equals(PLAIN)) {
			return Spread.of(plain).median("%.2f");
		}
		List<Double> values = values(samples, option, together, part, figure);
		List<Double> ratios = new ArrayList<>();
		for (int i = 0; i < values.size(); i++) {
			ratios.add(values.get(i) / plain.get(i));
		}
		return Spread.of(ratios).format("%.2f");
	}

	private static List<Double> values(List<JsonNode> samples, String option, int together, String part,
			String figure) {
		return samples.stream()
			.filter((sample) -> sample.get("option").asString().equals(option)
					&& sample.get("together").asInt() == together)
			.map((sample) -> sample.get(part).get(figure).asDouble())
			.toList();
	}

}
