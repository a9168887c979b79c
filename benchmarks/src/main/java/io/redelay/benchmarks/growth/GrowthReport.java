package io.redelay.benchmarks.growth;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Spread;

/**
 * Writes samples to a file, and prints a table of the medians for each backlog.
 */
final class GrowthReport {

	private final JsonLines file;

	private final PrintStream out;

	private final List<GrowthSample> samples = new ArrayList<>();

	GrowthReport(JsonLines file, PrintStream out) {
		this.file = file;
		this.out = out;
	}

	void add(GrowthSample sample) {
		this.out.print(JsonLines.line(sample));
		this.file.add(sample);
		this.samples.add(sample);
	}

	void print() {
		for (Backlog backlog : Backlog.values()) {
			List<GrowthSample> of = this.samples.stream().filter((sample) -> sample.backlog() == backlog).toList();
			if (!of.isEmpty()) {
				print(backlog, of);
			}
		}
	}

	private void print(Backlog backlog, List<GrowthSample> of) {
		this.out.printf("%n%-24s %32s %12s %18s%n", "messages " + backlog.title(), "a claim of 100, µs", "ratio",
				"bytes a message");
		int smallest = of.get(0).messages();
		double first = micros(of, smallest, false).median();
		of.stream()
			.filter((sample) -> !sample.again())
			.mapToInt(GrowthSample::messages)
			.distinct()
			.forEach((messages) -> print(of, messages, false, first));
		print(of, smallest, true, first);
	}

	private void print(List<GrowthSample> of, int messages, boolean again, double first) {
		Spread micros = micros(of, messages, again);
		this.out.printf("  %-22s %32s %12s %18s%n", "%,d".formatted(messages) + (again ? ", again" : ""),
				micros.format("%,.0f"), "%.2f".formatted(micros.median() / first),
				"%,.0f".formatted(spread(of, messages, again, GrowthSample::bytes).median()));
	}

	private static Spread micros(List<GrowthSample> of, int messages, boolean again) {
		return spread(of, messages, again, GrowthSample::micros);
	}

	private static Spread spread(List<GrowthSample> of, int messages, boolean again,
			ToDoubleFunction<GrowthSample> value) {
		return Spread.of(of.stream()
			.filter((sample) -> sample.messages() == messages && sample.again() == again)
			.map((sample) -> value.applyAsDouble(sample))
			.toList());
	}

}
