package io.redelay.queue.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of one step of a search.
 *
 * @param messages the messages; there may be fewer than asked for, or none, although
 * there are more
 * @param cursor where the next step goes on; {@code null} if all was searched
 * @param examined how many messages were looked at
 * @since 0.1.0
 */
public record SearchPage(List<QueuedMessage> messages, @Nullable String cursor, int examined) {

	/**
	 * Returns whether the search has seen all.
	 * @return {@code true} if it has
	 */
	public boolean isComplete() {
		return this.cursor == null;
	}

}
