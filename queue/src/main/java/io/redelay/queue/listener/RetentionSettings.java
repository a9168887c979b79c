package io.redelay.queue.listener;

import io.redelay.queue.store.RetentionBounds;

/**
 * What is kept of the messages of a queue when they are done.
 *
 * @param bounds how many, for how long, and how large they are together
 * @param results whether what their handlers return is kept as well
 * @since 0.1.0
 */
public record RetentionSettings(RetentionBounds bounds, boolean results) {

	RetentionSettings share(int partitions) {
		return new RetentionSettings(this.bounds.share(partitions), this.results);
	}

}
