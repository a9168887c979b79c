package io.redelay.guide.lookup;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A comment of Javadoc in AsciiDoc.
 *
 * @param text what it says before its tags, the paragraphs separated by blank lines
 * @param params what it says of each parameter
 * @param result what it says of the result
 */
record Javadoc(String text, Map<String, String> params, String result) {

	private static final Javadoc NONE = new Javadoc("", Map.of(), "");

	private static final Pattern TAG = Pattern.compile("(?m)^@(param|return|since|see|throws|author) ?");

	private static final Pattern LINK = Pattern.compile("\\{@(?:link|linkplain|value) ([^\\s}]+)(?:\\s+([^}]*))?}");

	/**
	 * Reads the last comment of a text.
	 * @param source the text before a declaration
	 * @return the comment, which is empty if there is none
	 */
	static Javadoc last(String source) {
		int start = source.lastIndexOf("/**");
		int end = source.lastIndexOf("*/");
		return (start >= 0 && end > start) ? of(source.substring(start + 3, end)) : NONE;
	}

	static Javadoc of(String comment) {
		String text = comment.replaceAll("(?m)^\\s*\\* ?", "").strip();
		Map<String, String> params = new LinkedHashMap<>();
		String result = "";
		Matcher tag = TAG.matcher(text);
		int end = text.length();
		boolean first = true;
		while (tag.find()) {
			end = first ? tag.start() : end;
			first = false;
			String value = text.substring(tag.end(), next(text, tag.end())).strip();
			if (tag.group(1).equals("param")) {
				String[] parts = value.split("\\s+", 2);
				params.put(parts[0], asciidoc((parts.length == 2) ? parts[1] : ""));
			}
			else if (tag.group(1).equals("return")) {
				result = asciidoc(value);
			}
		}
		return new Javadoc(asciidoc(text.substring(0, end)), params, result);
	}

	String firstParagraph() {
		return this.text.split("\n\n", 2)[0];
	}

	private static int next(String text, int from) {
		Matcher tag = TAG.matcher(text);
		return tag.find(from) ? tag.start() : text.length();
	}

	private static String asciidoc(String text) {
		String paragraphs = text.replaceAll("\\s*<p>\\s*", "\u0000").replaceAll("\\s+", " ").replace("\u0000", "\n\n");
		String code = Pattern.compile("\\{@(?:code|literal) ((?:[^{}]|\\{[^{}]*})*)}|<code>(.*?)</code>")
			.matcher(paragraphs)
			.replaceAll((match) -> Matcher
				.quoteReplacement(code((match.group(1) != null) ? match.group(1) : match.group(2))));
		String linked = LINK.matcher(code)
			.replaceAll((link) -> Matcher.quoteReplacement(label(link.group(1), link.group(2))));
		return linked.replace("&#64;", "@")
			.replace("&lt;", "<")
			.replace("&gt;", ">")
			.replace("&amp;", "&")
			.replaceAll("</?(?:ul|li|em|strong|b|i)>", " ")
			.replaceAll(" +([,.;])", "$1")
			.strip();
	}

	private static String label(String target, @Nullable String label) {
		if (label != null) {
			return code(label.strip());
		}
		String name = target.replaceAll("\\(.*\\)", "").replaceAll("^[a-z][\\w.]*\\.(?=[A-Z])", "");
		return code(name.startsWith("#") ? name.substring(1) : name.replace('#', '.'));
	}

	private static String code(String text) {
		return text.matches("[\\w. -]+") ? "`" + text + "`" : "`+" + text + "+`";
	}

}
