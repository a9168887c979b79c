package io.redelay.benchmarks.chart;

import java.util.List;

/**
 * A table of figures: the first column says whose they are.
 *
 * @param title what it shows
 * @param columns the names of the columns
 * @param rows the cells of each row
 */
record Table(String title, List<String> columns, List<List<String>> rows) {

	String adoc() {
		StringBuilder adoc = new StringBuilder(Adoc.text("""
				.%s
				[caption="",cols="<3%s",options=header]
				|===
				""", this.title, ",>2".repeat(this.columns.size() - 1)));
		adoc.append(row(this.columns)).append('\n');
		this.rows.forEach((row) -> adoc.append(row(row)));
		return adoc.append("|===\n").toString();
	}

	private static String row(List<String> cells) {
		StringBuilder row = new StringBuilder();
		cells.forEach((cell) -> row.append(row.isEmpty() ? "|" : " |").append(cell));
		return row.append('\n').toString();
	}

}
