package io.redelay.queue.script;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.redelay.log.PlainText;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.request.StoreException;

/**
 * The text that Redis has of the filter of a group, such as
 * {@code region=EU|DE;source^web;type?;test!}: a word without blanks and commas, because
 * the scripts pass it among other words. Names and values are encoded as in a URL.
 */
final class GroupFilterText {

	private static final Map<GroupFilter.Operator, String> SIGNS = Map.of(GroupFilter.Operator.ONE_OF, "=",
			GroupFilter.Operator.PREFIX, "^", GroupFilter.Operator.EXISTS, "?", GroupFilter.Operator.ABSENT, "!");

	private static final Pattern CONDITION = Pattern.compile("([^=^?!|]+)([=^?!])([^=^?!]*)");

	private GroupFilterText() {
	}

	static String of(GroupFilter filter) {
		return filter.conditions()
			.stream()
			.map((each) -> encoded(each.header()) + SIGNS.get(each.operator())
					+ each.values().stream().map(GroupFilterText::encoded).collect(Collectors.joining("|")))
			.collect(Collectors.joining(";"));
	}

	private static String encoded(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	/**
	 * Reads a filter. A filter that this version cannot read is refused: without it, the
	 * group would get unwanted messages, or lack wanted ones.
	 */
	static GroupFilter parse(String text) {
		if (text.isEmpty()) {
			return GroupFilter.NONE;
		}
		try {
			return new GroupFilter(Arrays.stream(text.split(";", -1)).map(GroupFilterText::condition).toList());
		}
		catch (IllegalArgumentException ex) {
			throw new StoreException(
					PlainText.of("the filter '" + text + "' of a group cannot be read, which a newer Redelay may"
							+ " have declared; declare it again: " + ex.getMessage()),
					ex);
		}
	}

	private static GroupFilter.Condition condition(String text) {
		Matcher parts = CONDITION.matcher(text);
		if (!parts.matches()) {
			throw new IllegalArgumentException("'" + PlainText.of(text) + "' is not a condition");
		}
		List<String> values = new ArrayList<>();
		if (!parts.group(3).isEmpty()) {
			Arrays.stream(parts.group(3).split("\\|", -1)).map(GroupFilterText::decoded).forEach(values::add);
		}
		GroupFilter.Operator operator = SIGNS.entrySet()
			.stream()
			.filter((sign) -> sign.getValue().equals(parts.group(2)))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseThrow();
		return new GroupFilter.Condition(decoded(parts.group(1)), operator, values);
	}

	private static String decoded(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

}
