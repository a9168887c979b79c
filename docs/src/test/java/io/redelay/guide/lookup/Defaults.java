package io.redelay.guide.lookup;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Takes the default of an attribute or a property from its declaration, or from what its
 * comment says of it.
 */
final class Defaults {

	private static final Pattern AFTER = Pattern
		.compile("(?:^|[,;:] | or |(?<=\\. ))((?:(?!\\. )[^,;:])+?),? by default\\b[^.;]*");

	private static final Pattern NAMED = Pattern.compile("(`[^`]+`), the default\\b");

	private static final Pattern SENTENCE = Pattern
		.compile("(?:^|(?<=[.;]) )[Bb]y default ((?:[^.]|\\.(?=[\\w']))+)\\.?");

	private Defaults() {
	}

	static String of(@Nullable String declared, Javadoc javadoc) {
		if (declared != null && !declared.matches("\\{}|\"\"")) {
			return "`" + declared.replace("\"", "").replaceAll("^\\w+\\.(?=[A-Z_]+$)", "") + "`";
		}
		if (declared == null) {
			return "required";
		}
		String described = described(javadoc.result() + ". " + javadoc.text());
		return (described.isEmpty() || described.equals("None")) ? "none" : described;
	}

	/**
	 * Returns the default that a comment describes.
	 * @param text the comment
	 * @return the default, or nothing
	 */
	static String described(String text) {
		Matcher named = NAMED.matcher(text);
		if (named.find()) {
			return named.group(1);
		}
		Matcher sentence = SENTENCE.matcher(text);
		if (sentence.find()) {
			return sentence.group(1).strip();
		}
		Matcher after = AFTER.matcher(text);
		return after.find() ? after.group(1).strip() : "";
	}

	/**
	 * Removes the default from a comment.
	 * @param text the comment
	 * @return the rest
	 */
	static String without(String text) {
		String sentences = SENTENCE.matcher(text).replaceAll("");
		return AFTER.matcher(sentences).replaceAll("").strip();
	}

	static String meaning(Javadoc javadoc) {
		return SENTENCE.matcher(javadoc.text().replace("\n\n", " ")).replaceAll("").strip();
	}

}
