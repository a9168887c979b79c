package io.redelay.queue.wire;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The comment that a script or an include opens with. What the entries mean is in
 * {@code CONTRIBUTING.md}.
 *
 * @param lines its lines, without the dashes
 */
record LuaHeader(List<String> lines) {

	private static final Pattern ENTRY = Pattern.compile("(reads|changes|sets|ends) {2,}(\\S.*)");

	private static final Pattern CONTINUED = Pattern.compile(" {8,}(\\S.*)");

	private static final String DIRECTIVE = "--@keys";

	private static final Pattern PLACE = Pattern.compile("(KEYS|ARGV)\\[(\\d+)(\\.\\.)?]");

	static LuaHeader of(String text) {
		return new LuaHeader(text.lines()
			.takeWhile((line) -> line.startsWith("--") && (!line.startsWith("--@") || line.startsWith(DIRECTIVE)))
			.map((line) -> line.substring(2).replaceFirst("^ ", ""))
			.toList());
	}

	/**
	 * This header together with that of a script that is sent within its own.
	 */
	LuaHeader and(LuaHeader other) {
		return new LuaHeader(Stream.concat(this.lines.stream(), other.lines.stream()).toList());
	}

	/**
	 * The entries of an include: the names behind each word.
	 */
	Map<String, Set<String>> entries() {
		Map<String, StringBuilder> texts = new LinkedHashMap<>();
		StringBuilder last = null;
		for (String line : this.lines) {
			Matcher entry = ENTRY.matcher(line);
			Matcher continued = CONTINUED.matcher(line);
			if (entry.matches()) {
				last = new StringBuilder(entry.group(2));
				if (texts.put(entry.group(1), last) != null) {
					throw new IllegalArgumentException("two entries '" + entry.group(1) + "' in one header");
				}
			}
			else if (last != null && continued.matches()) {
				last.append(' ').append(continued.group(1));
			}
			else {
				last = null;
			}
		}
		Map<String, Set<String>> entries = new LinkedHashMap<>();
		texts.forEach((word, names) -> entries.put(word, names.toString().equals("nothing") ? Set.of()
				: new LinkedHashSet<>(List.of(names.toString().split(", *")))));
		return entries;
	}

	Set<String> names(String word) {
		return entries().getOrDefault(word, Set.of());
	}

	/**
	 * Whether it names the keys in their order, or the script whose keys they are.
	 */
	boolean declaresKeys() {
		return this.lines.stream().anyMatch((line) -> line.matches("@keys(-of)? .*"));
	}

	/**
	 * Whether a line begins with a word and names something.
	 */
	boolean mentions(String word) {
		return word.equals("KEYS") && declaresKeys()
				|| this.lines.stream().anyMatch((line) -> line.matches(word + "(\\[\\d+(\\.\\.)?])? .*\\S.*"));
	}

	/**
	 * Whether it names a place in KEYS or ARGV, such as {@code KEYS[3]}, or
	 * {@code ARGV[..]} for places that are computed. That a key has a place which is
	 * named by its name, such as {@code KEYS.messages}, is checked when the script is
	 * loaded.
	 */
	boolean documents(String place) {
		if (place.startsWith("KEYS") && declaresKeys()) {
			return true;
		}
		String array = place.substring(0, 4);
		String index = place.substring(5, place.length() - 1);
		if (index.equals("..")) {
			return mentions(array + " ")
					|| places().anyMatch((named) -> named.group(1).equals(array) && named.group(3) != null);
		}
		return places().anyMatch((named) -> named.group(1).equals(array) && (named.group(2).equals(index)
				|| (named.group(3) != null && Integer.parseInt(named.group(2)) <= Integer.parseInt(index))));
	}

	private Stream<MatchResult> places() {
		return this.lines.stream().flatMap((line) -> PLACE.matcher(line).results());
	}

}
