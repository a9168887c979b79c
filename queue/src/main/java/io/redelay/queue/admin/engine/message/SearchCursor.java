package io.redelay.queue.admin.engine.message;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.script.admin.ScanScript;

/**
 * Where a search is.
 *
 * @param what which messages it goes through
 * @param partition the number of the partition
 * @param place where the next step begins, as the store returned it, or {@code ""} at
 * first
 * @param uid the uid there, or {@code ""}
 * @param since the number of the next chunk of packed messages when the search of the
 * partition began, {@code ""} if nothing was packed then
 */
record SearchCursor(ScanScript.Request.What what, int partition, String place, String uid, String since) {

	private static final Pattern TEXT = Pattern
		.compile("([A-Z_]{3,9})~([0-9]{1,4})~([0-9]{0,19})~([A-Za-z0-9._-]{0,100})(?:~n([0-9]{1,18}))?");

	/**
	 * Reads a cursor that a search returned.
	 * @throws IllegalArgumentException if it is not valid
	 */
	static SearchCursor of(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (matcher.matches()) {
			try {
				return new SearchCursor(ScanScript.Request.What.valueOf(matcher.group(1)),
						Integer.parseInt(matcher.group(2)), matcher.group(3), matcher.group(4),
						Objects.requireNonNullElse(matcher.group(5), ""));
			}
			catch (IllegalArgumentException ex) {
				// not valid
			}
		}
		throw new IllegalArgumentException(
				"'cursor' must be one that a search of this queue returned, or be left out at first");
	}

	@Override
	public String toString() {
		return this.what + "~" + this.partition + "~" + this.place + "~" + this.uid
				+ (this.since.isEmpty() ? "" : "~n" + this.since);
	}

}
