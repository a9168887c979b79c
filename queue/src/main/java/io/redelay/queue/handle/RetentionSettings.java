package io.redelay.queue.handle;

import io.redelay.queue.message.RetentionBounds;

/**
 * Settings for what is kept of a queue's completed messages.
 *
 * @param bounds their number, age and total size
 * @param results whether the results of their handlers are kept as well
 * @since 0.1.0
 */
public record RetentionSettings(RetentionBounds bounds, boolean results) {

	RetentionSettings share(int partitions) {
		return new RetentionSettings(this.bounds.share(partitions), this.results);
	}

}
