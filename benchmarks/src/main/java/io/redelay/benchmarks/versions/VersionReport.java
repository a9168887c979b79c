package io.redelay.benchmarks.versions;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Spread;

/**
 * Writes each round to a file, and prints the medians.
 */
final class VersionReport {

	private final JsonLines file;

	private final List<VersionRound> rounds = new ArrayList<>();

	VersionReport(JsonLines file) {
		this.file = file;
	}

	void add(VersionRound round) {
		this.file.add(round);
		if (round.number() > 0) {
			this.rounds.add(round);
		}
	}

	void print() {
		System.out.printf("%n%-8s %-18s %12s %12s %30s%n", "work", "a message", "earlier", "present",
				"present / earlier");
		for (VersionWork work : VersionWork.values()) {
			for (VersionCost.Figure figure : VersionCost.Figure.values()) {
				System.out.printf("%-8s %-18s %12s %12s %30s%n", work, figure.title(),
						figure.text(spread(work, (round) -> figure.of(round.earlier())).median()),
						figure.text(spread(work, (round) -> figure.of(round.present())).median()), ratio(work, figure));
			}
		}
	}

	private String ratio(VersionWork work, VersionCost.Figure figure) {
		return spread(work, (round) -> round.ratio(figure)).format("%.3f");
	}

	private Spread spread(VersionWork work, ToDoubleFunction<VersionRound> value) {
		return Spread
			.of(this.rounds.stream().filter((round) -> round.work() == work).map(value::applyAsDouble).toList());
	}

}
