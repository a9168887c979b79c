package io.redelay.benchmarks.chart;

import java.awt.Color;
import java.util.Locale;

/**
 * What a chart is drawn in: dark on white, and light on black where the reader prefers
 * that.
 */
enum Colour {

	/**
	 * The background.
	 */
	PAPER(0xffffff, 0x0d1117),

	/**
	 * Text, and lines that belong to the figures.
	 */
	INK(0x1f2328, 0xe6edf3),

	/**
	 * Text beside the figures.
	 */
	NOTE(0x444444, 0x9198a1),

	/**
	 * Lines behind the figures.
	 */
	GRID(0xdddddd, 0x30363d),

	/**
	 * What a chart is about.
	 */
	SUBJECT(0xb5382a, 0xff8a80),

	/**
	 * What is beside it.
	 */
	OTHER(0x6d93b8, 0x6d93b8),

	/**
	 * What nothing can exceed.
	 */
	LIMIT(0x999999, 0x999999);

	private final int light;

	private final int dark;

	Colour(int light, int dark) {
		this.light = light;
		this.dark = dark;
	}

	Color light() {
		return new Color(this.light);
	}

	String dark() {
		return String.format(Locale.ROOT, "#%06x", this.dark);
	}

}
