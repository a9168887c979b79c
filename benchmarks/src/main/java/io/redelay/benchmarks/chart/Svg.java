package io.redelay.benchmarks.chart;

import java.util.Locale;

/**
 * Writes the text of pictures. They are white behind, and dark where the reader prefers
 * that: a picture on a page sees the same preference as the page.
 */
final class Svg {

	static final int WIDTH = 760;

	/**
	 * The colour of what a picture is about.
	 */
	static final String RED = "#b5382a";

	/**
	 * The colour of what is beside it.
	 */
	static final String BLUE = "#6d93b8";

	/**
	 * Replaces the colours that the elements name, so it must know each that is made for
	 * light paper.
	 */
	private static final String DARK = """
			<style>@media (prefers-color-scheme: dark) {
			text { fill: #e6edf3 }
			[fill="#fff"] { fill: #0d1117 }
			[stroke="#fff"] { stroke: #0d1117 }
			[fill="#444"] { fill: #9198a1 }
			[stroke="#333"] { stroke: #c9d1d9 }
			[stroke="#ddd"] { stroke: #30363d }
			[fill="#b5382a"] { fill: #ff8a80 }
			[stroke="#b5382a"] { stroke: #ff8a80 }
			}</style>
			""";

	private Svg() {
	}

	static String document(String title, int height, String content) {
		return text("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" \
				font-size="13"><title>%s</title>
				%s<rect width="100%%" height="100%%" fill="#fff"/>
				<text x="8" y="24" font-size="15" font-weight="bold">%s</text>
				""", WIDTH, height, escape(title), DARK, escape(title)) + content + "</svg>\n";
	}

	static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

	static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

}
