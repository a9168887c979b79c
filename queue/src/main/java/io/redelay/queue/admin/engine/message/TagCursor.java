package io.redelay.queue.admin.engine.message;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where a search by a tag goes on.
 *
 * @param partition the position of the partition, from 0
 * @param place where it goes on there, as the store returned it; {@code null} at its
 * beginning
 */
record TagCursor(int partition, @Nullable String place) {

	private static final TagCursor BEGINNING = new TagCursor(0, null);

	private static final Pattern TEXT = Pattern.compile("t(\\d{1,4})-(|[lc][\\x21-\\x7e]{1,400})");

	/**
	 * Reads a cursor that was returned to a caller.
	 * @throws IllegalArgumentException if it is not one that {@link #text()} wrote
	 */
	static TagCursor read(@Nullable String cursor) {
		if (cursor == null) {
			return BEGINNING;
		}
		Matcher matcher = TEXT.matcher(cursor);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("'cursor' must be the cursor of the page before, or null: '"
					+ cursor.substring(0, Math.min(cursor.length(), 100)) + "'");
		}
		String place = matcher.group(2);
		return new TagCursor(Integer.parseInt(matcher.group(1)), place.isEmpty() ? null : place);
	}

	TagCursor nextPartition() {
		return new TagCursor(this.partition + 1, null);
	}

	TagCursor at(String next) {
		return new TagCursor(this.partition, next);
	}

	String text() {
		return "t" + this.partition + "-" + ((this.place != null) ? this.place : "");
	}

}
