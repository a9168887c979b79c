package io.redelay.queue.admin;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one step of a search found.
 *
 * @param messages the messages, which may be fewer than were asked for, or none, although
 * there are more
 * @param cursor where the next step goes on; {@code null} if all was searched
 * @param examined how many messages were looked at
 * @since 0.1.0
 */
public record SearchPage(List<QueuedMessage> messages, @Nullable String cursor, int examined) {

	/**
	 * Whether the search has seen all.
	 * @return whether it has
	 */
	public boolean isComplete() {
		return this.cursor == null;
	}

}
