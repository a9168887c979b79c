package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.Spread;
import tools.jackson.databind.JsonNode;

/**
 * Draws up tables of what claims cost while the backlog grows.
 */
final class GrowthTable implements Drawing {

	private static final List<String> COLUMNS = List.of("messages", "Redis computes, µs a claim", "÷ smallest",
			"bytes a message");

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
		StringBuilder adoc = new StringBuilder(Adoc.text("%s.%n%nimage::growth.svg[\"%s\"]%n%n",
				Adoc.machine(lines.get(0)), "A claim of 100 while the backlog grows"));
		for (String backlog : List.of("waiting", "scheduled")) {
			List<JsonNode> of = samples.stream()
				.filter((sample) -> sample.get("backlog").asString().equals(backlog))
				.toList();
			if (!of.isEmpty()) {
				adoc.append(table(backlog, of).adoc()).append('\n');
			}
		}
		return Map.of("growth", adoc.toString());
	}

	private static Table table(String backlog, List<JsonNode> samples) {
		int smallest = samples.stream().mapToInt((sample) -> sample.get("messages").asInt()).min().orElseThrow();
		double first = values(samples, smallest, false, "micros").median();
		List<List<String>> rows = new ArrayList<>();
		samples.stream()
			.filter((sample) -> !sample.get("again").asBoolean())
			.mapToInt((sample) -> sample.get("messages").asInt())
			.distinct()
			.forEach((messages) -> rows.add(row(samples, messages, false, first)));
		if (samples.stream().anyMatch((sample) -> sample.get("again").asBoolean())) {
			rows.add(row(samples, smallest, true, first));
		}
		long rounds = samples.stream().mapToInt((sample) -> sample.get("round").asInt()).distinct().count();
		return new Table(Adoc.text("A claim of 100 while so many are %s; %s", backlog, Adoc.rounds(rounds)), COLUMNS,
				rows);
	}

	private static List<String> row(List<JsonNode> samples, int messages, boolean again, double first) {
		Spread micros = values(samples, messages, again, "micros");
		return List.of(Adoc.text(again ? "%,d, again" : "%,d", messages), micros.format("%,.0f"),
				Adoc.text("%.2f", micros.median() / first), values(samples, messages, again, "bytes").median("%,.0f"));
	}

	private static Spread values(List<JsonNode> samples, int messages, boolean again, String name) {
		return Spread.of(samples.stream()
			.filter((sample) -> sample.get("messages").asInt() == messages && sample.get("again").asBoolean() == again)
			.map((sample) -> sample.get(name).asDouble())
			.toList());
	}

}
