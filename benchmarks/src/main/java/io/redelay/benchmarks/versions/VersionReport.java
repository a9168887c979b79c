package io.redelay.benchmarks.versions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.redelay.benchmarks.CostFigure;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Spread;

/**
 * Writes each round to a file, and prints the medians.
 */
final class VersionReport {

	private final JsonLines file;

	private final List<String> versions;

	private final List<VersionRound> rounds = new ArrayList<>();

	/**
	 * Reports to a file.
	 * @param file the file
	 * @param versions the names of the versions, the present one last
	 */
	VersionReport(JsonLines file, List<String> versions) {
		this.file = file;
		this.versions = versions;
	}

	void add(VersionRound round) {
		this.file.add(round);
		if (round.number() > 0) {
			this.rounds.add(round);
		}
	}

	/**
	 * Prints the median of each version, and the ratio of the last one to each of the
	 * others.
	 */
	void print() {
		String present = this.versions.get(this.versions.size() - 1);
		List<String> earlier = this.versions.subList(0, this.versions.size() - 1);
		System.out.printf("%n%-8s %-17s%s%s%n", "work", "a message", titles(this.versions, "%10.9s"),
				titles(earlier.stream().map((version) -> "/ " + version).toList(), "%24s"));
		for (VersionWork work : works()) {
			for (CostFigure<VersionCost> figure : VersionCost.FIGURES) {
				String medians = this.versions.stream()
					.map((version) -> "%10s".formatted(median(work, version, figure)))
					.collect(Collectors.joining());
				String ratios = earlier.stream()
					.map((version) -> "%24s".formatted(ratio(work, present, version, figure)))
					.collect(Collectors.joining());
				System.out.printf("%-8s %-17s%s%s%n", work, figure.title(), medians, ratios);
			}
		}
	}

	/**
	 * Adds the medians to a table.
	 * @param table the table, a row for each work
	 * @param commit the commit of the present version
	 */
	void addTo(Path table, String commit) {
		String present = this.versions.get(this.versions.size() - 1);
		StringBuilder rows = new StringBuilder();
		for (VersionWork work : works()) {
			rows.append(
					"%s,%s,%s".formatted(LocalDate.now(ZoneOffset.UTC), commit, work.name().toLowerCase(Locale.ROOT)));
			for (CostFigure<VersionCost> figure : VersionCost.FIGURES) {
				rows.append(',').append(median(work, present, figure));
			}
			for (String version : this.versions.subList(0, this.versions.size() - 1)) {
				rows.append(",\"%s\"".formatted(ratio(work, present, version, VersionCost.CLIENT_CPU)));
			}
			rows.append(System.lineSeparator());
		}
		try {
			Files.writeString(table, rows, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String titles(List<String> titles, String format) {
		return titles.stream().map((title) -> format.formatted(title)).collect(Collectors.joining());
	}

	private String median(VersionWork work, String version, CostFigure<VersionCost> figure) {
		return figure.text(Spread.of(of(work).stream().map((round) -> round.of(version, figure)).toList()).median());
	}

	private String ratio(VersionWork work, String present, String earlier, CostFigure<VersionCost> figure) {
		return Spread.of(of(work).stream().map((round) -> round.ratio(present, earlier, figure)).toList())
			.format("%.3f");
	}

	private List<VersionWork> works() {
		return this.rounds.stream().map(VersionRound::work).distinct().toList();
	}

	private List<VersionRound> of(VersionWork work) {
		return this.rounds.stream().filter((round) -> round.work() == work).toList();
	}

}
