package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.redelay.benchmarks.Spread;
import io.redelay.benchmarks.peers.contender.Contenders;
import io.redelay.benchmarks.peers.item.Figure;

/**
 * One item of a comparison.
 *
 * @param lines what was written of it
 * @param contenders the names of the contenders, in their order
 */
record PeerItem(List<PeerLine> lines, List<String> contenders) {

	/**
	 * Of what the values of single rounds are shown beside the median.
	 */
	private static final Set<Figure> SPREAD = Set.of(Figure.PER_SECOND, Figure.P50, Figure.P99,
			Figure.REQUESTS_PER_SECOND);

	/**
	 * Of what there is a ratio to the limit.
	 */
	private static final Set<Figure> COMPARED = Set.of(Figure.PER_SECOND, Figure.BYTES);

	String title() {
		return this.lines.get(0).title();
	}

	long rounds() {
		return this.lines.stream()
			.filter(PeerLine::isMeasured)
			.map((line) -> line.run() + "/" + line.round())
			.distinct()
			.count();
	}

	/**
	 * Draws up the table, and says below it who has no figures and why.
	 */
	String adoc() {
		Map<String, List<String>> reasons = reasons();
		if (this.lines.stream().noneMatch(PeerLine::isMeasured)) {
			return Adoc.escape(title() + ": " + String.join(", ", reasons.keySet())) + ".\n";
		}
		return table().adoc() + (reasons.isEmpty() ? "" : notes(reasons));
	}

	private Table table() {
		Set<Figure> figures = figures();
		List<String> columns = new ArrayList<>(List.of(""));
		for (Figure figure : figures) {
			columns.add(title(figure));
			if (COMPARED.contains(figure)) {
				columns.add("÷ limit");
			}
		}
		List<List<String>> rows = new ArrayList<>();
		for (String contender : this.contenders) {
			if (of(contender).stream().anyMatch(PeerLine::isMeasured)) {
				rows.add(row(contender, figures));
			}
		}
		return new Table(Adoc.escape(title()) + "; " + Adoc.rounds(rounds()), columns, rows);
	}

	/**
	 * What was measured: which part was handled only if somebody did not handle all.
	 */
	private Set<Figure> figures() {
		Set<Figure> figures = new TreeSet<>();
		this.lines.forEach((line) -> figures.addAll(line.figures().keySet()));
		if (this.lines.stream().allMatch((line) -> line.figures().getOrDefault(Figure.HANDLED, 100.0) >= 100)) {
			figures.remove(Figure.HANDLED);
		}
		return figures;
	}

	private List<String> row(String contender, Set<Figure> figures) {
		List<String> cells = new ArrayList<>(List.of(Adoc.code(contender)));
		for (Figure figure : figures) {
			Spread values = values(contender, figure);
			cells.add(cell(values, figure.format(), SPREAD.contains(figure)));
			if (COMPARED.contains(figure)) {
				cells.add(contender.equals(Contenders.LIMIT) ? ""
						: cell(ratios(contender, figure), "%.2f", SPREAD.contains(figure)));
			}
		}
		return cells;
	}

	private static String cell(Spread values, String format, boolean spread) {
		if (values.values().length == 0) {
			return Adoc.NONE;
		}
		return spread ? values.format(format) : values.median(format);
	}

	private Spread values(String contender, Figure figure) {
		return Spread.of(of(contender).stream()
			.filter((line) -> line.figures().containsKey(figure))
			.map((line) -> line.figures().getOrDefault(figure, Double.NaN))
			.toList());
	}

	/**
	 * The ratio of each round, in which both ran one after the other.
	 */
	private Spread ratios(String contender, Figure figure) {
		List<PeerLine> limit = of(Contenders.LIMIT);
		List<Double> ratios = new ArrayList<>();
		for (PeerLine line : of(contender)) {
			for (PeerLine other : limit) {
				if (line.isOfSameRound(other) && line.figures().containsKey(figure)
						&& other.figures().containsKey(figure)) {
					ratios.add(line.figures().getOrDefault(figure, Double.NaN)
							/ other.figures().getOrDefault(figure, Double.NaN));
				}
			}
		}
		return Spread.of(ratios);
	}

	private List<PeerLine> of(String contender) {
		return this.lines.stream().filter((line) -> line.contender().equals(contender)).toList();
	}

	/**
	 * The reasons why there are no figures, and whose.
	 */
	private Map<String, List<String>> reasons() {
		Map<String, List<String>> reasons = new LinkedHashMap<>();
		for (String contender : this.contenders) {
			of(contender).stream()
				.map(PeerLine::missing)
				.filter((missing) -> !missing.isEmpty())
				.distinct()
				.forEach((missing) -> reasons.computeIfAbsent(missing, (reason) -> new ArrayList<>()).add(contender));
		}
		return reasons;
	}

	private static String notes(Map<String, List<String>> reasons) {
		return reasons.entrySet()
			.stream()
			.map((reason) -> reason.getValue().stream().map(Adoc::code).collect(Collectors.joining(", ")) + ": "
					+ Adoc.escape(reason.getKey()))
			.collect(Collectors.joining("; ", "\nWithout figures: ", ".\n"));
	}

	private static String title(Figure figure) {
		return switch (figure) {
			case COMMANDS -> "commands a message";
			case REDIS_CPU -> "Redis CPU, µs a message";
			case CLIENT_CPU -> "client CPU, µs a message";
			case BYTES -> "bytes a message";
			default -> figure.title();
		};
	}

}
