package io.redelay.queue.admin.engine.bulk;

import org.jspecify.annotations.Nullable;

/**
 * How far a job is.
 *
 * @param cursor where the search goes on, or {@code null} at first and at the end
 * @param seen how many messages were looked at
 * @param matched how many of them the job was meant for
 * @param done with how many of these it was done
 * @param refused how many of these could not be dealt with so
 * @param failure why it cannot go on, or {@code null}
 */
record BulkProgress(@Nullable String cursor, long seen, long matched, long done, long refused,
		@Nullable String failure) {

	static final BulkProgress NONE = new BulkProgress(null, 0, 0, 0, 0, null);

	BulkProgress failed(String why) {
		return new BulkProgress(this.cursor, this.seen, this.matched, this.done, this.refused, why);
	}

}
