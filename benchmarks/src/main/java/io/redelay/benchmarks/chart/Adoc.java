package io.redelay.benchmarks.chart;

import java.util.Locale;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;

/**
 * Writes the text of pieces of the guide.
 */
final class Adoc {

	/**
	 * What stands where there is no figure.
	 */
	static final String NONE = "–";

	private static final Pattern MARKUP = Pattern.compile("[&<>*_`#+^~{}\\[\\]|\\\\]");

	private Adoc() {
	}

	static String text(String format, Object... values) {
		return String.format(Locale.ROOT, format, values);
	}

	/**
	 * Writes a text of others so that nothing in it is markup.
	 */
	static String escape(String text) {
		return MARKUP.matcher(text).replaceAll((match) -> "&#" + (int) match.group().charAt(0) + ";");
	}

	static String code(String name) {
		return "`" + name + "`";
	}

	/**
	 * Says when and on what something was measured.
	 * @param surroundings the first line of a file
	 */
	static String machine(JsonNode surroundings) {
		return text("%s, %s, %d cores with a load of %.1f just before, JDK %s, Redis %s",
				surroundings.get("at").asString().substring(0, "2026-11-20".length()),
				escape(surroundings.get("system").asString()), surroundings.get("processors").asInt(),
				surroundings.get("load").asDouble(), escape(surroundings.get("java").asString()),
				escape(surroundings.get("redis").asString()));
	}

	/**
	 * Says that there are figures of several rounds, or of one.
	 */
	static String rounds(long rounds) {
		return text((rounds == 1) ? "%d round" : "%d rounds", rounds);
	}

}
