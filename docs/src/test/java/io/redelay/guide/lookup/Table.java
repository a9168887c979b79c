package io.redelay.guide.lookup;

import java.util.List;

/**
 * Writes AsciiDoc.
 */
final class Table {

	private final StringBuilder text = new StringBuilder();

	/**
	 * Begins a page.
	 * @param anchor the anchor of the page
	 * @param title the title
	 * @param intro what the page is for
	 */
	Table(String anchor, String title, String intro) {
		this.text.append("[[").append(anchor).append("]]\n= ").append(title).append("\n\n");
		this.text.append("// Made from the sources by LookUpTests, which describes how to make it anew.\n\n");
		paragraph(intro);
	}

	void section(String anchor, String title) {
		this.text.append("\n[[").append(anchor).append("]]\n== ").append(title).append("\n");
	}

	void paragraph(String paragraph) {
		this.text.append("\n".repeat(this.text.toString().endsWith("\n\n") ? 0 : 1)).append(paragraph).append("\n");
	}

	void begin(String columns, String... titles) {
		this.text.append("\n[cols=\"")
			.append(columns)
			.append("\"]\n|===\n|")
			.append(String.join(" |", titles))
			.append("\n\n");
	}

	void row(List<String> cells) {
		this.text.append("|").append(String.join(" |", cells.stream().map(Table::cell).toList())).append("\n");
	}

	void end() {
		this.text.append("|===\n");
	}

	@Override
	public String toString() {
		return this.text.toString().replaceAll(" +\n", "\n");
	}

	private static String cell(String text) {
		return text.replace("|", "\\|").replaceAll("\\s+", " ").strip();
	}

}
