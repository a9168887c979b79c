package io.redelay.benchmarks.peers;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Spread;
import io.redelay.benchmarks.peers.item.Figure;

/**
 * Writes outcomes to a file, each as a line of JSON, and prints them as tables: medians,
 * with the smallest and the largest value behind them.
 */
final class PeerReport {

	private final JsonLines file;

	private final PrintStream out;

	private final List<Outcome> outcomes = new ArrayList<>();

	PeerReport(Path file, PrintStream out) {
		this.file = new JsonLines(file);
		this.out = out;
	}

	/**
	 * Begins the file with what all of it is true of.
	 */
	void begin(Surroundings surroundings) {
		this.file.begin(surroundings);
	}

	void add(Outcome outcome) {
		this.out.print(JsonLines.line(outcome));
		if (outcome.round() <= 0 && outcome.missing().isEmpty()) {
			return;
		}
		this.outcomes.add(outcome);
		this.file.add(outcome);
	}

	void print(List<String> contenders) {
		Set<String> items = new LinkedHashSet<>();
		this.outcomes.forEach((outcome) -> items.add(outcome.item()));
		items.forEach((item) -> print(item, contenders));
	}

	private void print(String item, List<String> contenders) {
		List<Outcome> lines = this.outcomes.stream().filter((outcome) -> outcome.item().equals(item)).toList();
		Set<Figure> columns = new TreeSet<>();
		lines.forEach((outcome) -> columns.addAll(outcome.figures().keySet()));
		this.out.printf("%n%-42s", lines.get(0).title());
		columns.forEach((column) -> this.out.printf(" %28s", column.title()));
		this.out.println();
		for (String contender : contenders) {
			this.out.printf("  %-40s", contender);
			columns.forEach((column) -> this.out.printf(" %28s", cell(lines, contender, column)));
			this.out.println(missing(lines, contender));
		}
	}

	private static String cell(List<Outcome> lines, String contender, Figure figure) {
		List<Double> values = lines.stream()
			.filter((outcome) -> outcome.contender().equals(contender) && outcome.figures().containsKey(figure))
			.map((outcome) -> outcome.figures().getOrDefault(figure, Double.NaN))
			.toList();
		return values.isEmpty() ? "-" : Spread.of(values).format(figure.format());
	}

	private static String missing(List<Outcome> lines, String contender) {
		return lines.stream()
			.filter((outcome) -> outcome.contender().equals(contender) && !outcome.missing().isEmpty())
			.map((outcome) -> "   " + outcome.missing())
			.findFirst()
			.orElse("");
	}

}
