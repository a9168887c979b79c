package io.redelay.queue.diagnosis;

import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import org.jspecify.annotations.Nullable;

/**
 * A possible cause of a delay, and how much it hinders.
 *
 * @param kind what it is
 * @param hindrance which share of the work it prevents, from 0 to 1; 1 if nothing is
 * delivered because of it
 * @param severity how urgent it is at least, whether the queue is behind or not
 * @param headline a few words
 * @param text a sentence or two
 * @param mend the remedy
 * @param figures the figures
 */
record Cause(Kind kind, double hindrance, Severity severity, String headline, String text, String mend,
		Map<String, Object> figures) {

	/**
	 * The share from which on it is the reason for most of the waiting.
	 */
	private static final double MOST = 0.5;

	boolean stopsAll() {
		return this.hindrance >= 1;
	}

	QueueFinding toFinding(boolean behind) {
		Severity found = this.severity;
		if (behind && this.hindrance >= MOST) {
			found = Severity.CRITICAL;
		}
		else if (behind && this.hindrance > 0 && found == Severity.INFO) {
			found = Severity.WARNING;
		}
		return new QueueFinding(this.kind, found, this.headline, this.text, this.mend, this.figures);
	}

	/**
	 * Names and values, one after the other; those that are {@code null} are left out.
	 */
	static Map<String, Object> figures(@Nullable Object... namesAndValues) {
		Map<String, Object> figures = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			Object value = namesAndValues[i + 1];
			if (value != null) {
				figures.put(String.valueOf(namesAndValues[i]), value);
			}
		}
		return figures;
	}

}
