package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.Map;

import io.redelay.queue.measure.QueueCounts;
import org.jspecify.annotations.Nullable;

/**
 * The counts of the last minutes of a queue.
 *
 * @param time the store's clock
 * @param ready how many messages are ready now
 * @param minutes the minutes in which something was counted, counted from 1970
 * @since 0.1.0
 */
public record StoredHistory(Instant time, long ready, Map<Long, Minute> minutes) {

	/**
	 * The counts of a minute.
	 *
	 * @param counts the counts of all instances
	 * @param ready how many messages were ready when something was written last in that
	 * minute, or {@code null} if everything was written later
	 */
	public record Minute(QueueCounts counts, @Nullable Long ready) {

	}

}
