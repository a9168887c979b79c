package io.redelay.queue.notes;

import java.time.Duration;

/**
 * Settings of how much handlers keep beside their messages, and how often it is written.
 *
 * @param writeInterval for how long a report of a handler waits before it is written,
 * from 10 ms; a third of the lease if that is shorter
 * @param maxCheckpointSize how large a checkpoint is at most, in bytes, from 1 to 16 MB
 * @param maxLogLines how many lines the log of a message has at most, up to 10,000; 0 if
 * none are kept
 * @param maxLogSize how large the log of a message is at most, in bytes, from 8 KB to 1
 * MB
 * @since 0.1.0
 */
public record WorkSettings(Duration writeInterval, int maxCheckpointSize, int maxLogLines, int maxLogSize) {

	/**
	 * The settings where none are configured.
	 */
	public static final WorkSettings DEFAULTS = new WorkSettings(Duration.ofSeconds(1), 64 * 1024, 100, 32 * 1024);

	/**
	 * Checks the settings.
	 */
	public WorkSettings {
		if (writeInterval.toMillis() < 10) {
			throw new IllegalArgumentException("'writeInterval' must be at least 10 ms: " + writeInterval);
		}
		if (maxCheckpointSize < 1 || maxCheckpointSize > 16 * 1024 * 1024) {
			throw new IllegalArgumentException(
					"'maxCheckpointSize' must be from 1 to 16777216 bytes: " + maxCheckpointSize);
		}
		if (maxLogLines < 0 || maxLogLines > 10_000) {
			throw new IllegalArgumentException("'maxLogLines' must be from 0 to 10000: " + maxLogLines);
		}
		if (maxLogSize < 8 * 1024 || maxLogSize > 1024 * 1024) {
			throw new IllegalArgumentException("'maxLogSize' must be from 8192 to 1048576 bytes: " + maxLogSize);
		}
	}

}
