package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.notes.WorkSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The data that handlers keep with their messages.
 *
 * @param writeInterval How long a report or checkpoint of a handler waits before it is
 * written to Redis; a third of the lease if that is shorter.
 * @param maxCheckpointSize How large a checkpoint may be.
 * @param maxLogLines How many lines the log of a message has at most, 0 for none. The
 * oldest ones are dropped.
 * @param maxLogSize How large the log of a message is at most. The oldest lines are
 * dropped.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.work")
record QueueWorkProperties(@DefaultValue("1s") Duration writeInterval, @DefaultValue("64KB") DataSize maxCheckpointSize,
		@DefaultValue("100") int maxLogLines, @DefaultValue("32KB") DataSize maxLogSize) {

	/**
	 * Checks the values.
	 */
	public QueueWorkProperties {
		PropertyBounds.atLeast("redelay.queue.work.write-interval", writeInterval, Duration.ofMillis(10));
		if (!isBetween(maxCheckpointSize, 1, DataSize.ofMegabytes(16))) {
			throw new IllegalArgumentException(
					"'redelay.queue.work.max-checkpoint-size' must be from 1B to 16MB: " + maxCheckpointSize);
		}
		if (maxLogLines < 0 || maxLogLines > 10_000) {
			throw new IllegalArgumentException(
					"'redelay.queue.work.max-log-lines' must be from 0 to 10000: " + maxLogLines);
		}
		if (!isBetween(maxLogSize, 8192, DataSize.ofMegabytes(1))) {
			throw new IllegalArgumentException(
					"'redelay.queue.work.max-log-size' must be from 8KB to 1MB: " + maxLogSize);
		}
	}

	private static boolean isBetween(DataSize size, long least, DataSize most) {
		return size.toBytes() >= least && size.compareTo(most) <= 0;
	}

	WorkSettings toSettings() {
		return new WorkSettings(this.writeInterval, (int) this.maxCheckpointSize.toBytes(), this.maxLogLines,
				(int) this.maxLogSize.toBytes());
	}

}
