package io.redelay.benchmarks.choice;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Spread;

/**
 * Writes findings to a file, and prints a table of their medians.
 */
final class ChoiceReport {

	private static final String ROW = "%-52s %-14s %32s %32s %26s   %s%n";

	private final JsonLines file;

	private final PrintStream out;

	private final Map<String, List<Finding>> findings = new LinkedHashMap<>();

	ChoiceReport(JsonLines file, PrintStream out) {
		this.file = file;
		this.out = out;
	}

	void add(Finding finding) {
		this.out.print(JsonLines.line(finding));
		if (finding.round() > 0) {
			this.file.add(finding);
			this.findings.computeIfAbsent(finding.item() + finding.subject(), (key) -> new ArrayList<>()).add(finding);
		}
	}

	void print() {
		this.out.printf("%n" + ROW, "", "", "compared with", "measured", "ratio", "must be");
		this.findings.values().forEach(this::print);
	}

	private void print(List<Finding> rounds) {
		Finding first = rounds.get(0);
		Spread bases = Spread.of(rounds.stream().map(Finding::base).filter(Objects::nonNull).toList());
		Spread values = Spread.of(rounds.stream().map(Finding::value).toList());
		Spread ratios = Spread.of(rounds.stream()
			.filter((finding) -> finding.base() != null)
			.map((finding) -> finding.value() / Objects.requireNonNull(finding.base()))
			.toList());
		Bound bound = first.bound();
		String verdict = (bound != null) ? bound + (bound.isMet(values, ratios) ? "" : "   NOT MET") : "";
		this.out.printf(ROW, first.item() + ": " + first.subject(), first.unit(), bases.format("%,.4g"),
				values.format("%,.4g"), ratios.format("%.2f"), verdict);
	}

}
