package io.redelay.benchmarks.chart;

import java.util.Locale;

/**
 * Writes the text of pictures. They are white behind, so that they are readable on a dark
 * page too.
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

	private Svg() {
	}

	static String document(String title, int height, String content) {
		return text("""
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" \
				font-size="13"><title>%s</title>
				<rect width="100%%" height="100%%" fill="#fff"/>
				<text x="8" y="24" font-size="15" font-weight="bold">%s</text>
				""", WIDTH, height, escape(title), escape(title)) + content + "</svg>\n";
	}

	static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

	static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

}
