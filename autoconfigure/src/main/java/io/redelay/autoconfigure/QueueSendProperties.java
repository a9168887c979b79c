package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.limits.QueueName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of sending.
 *
 * @param maxMessageSize How large a message may be, its headers included.
 * @param maxWaiting How many messages to one queue may wait while others are being sent
 * to Redis. More are refused.
 * @param maxWaitingSize Largest total size of the messages to all queues that Redis has
 * not answered. More are refused. By default an eighth of the largest heap.
 * @param afterCommit Whether a message that is sent inside a transaction waits for its
 * commit.
 * @param reportUnconsumedAfter How long after the first send to a queue it is logged,
 * once, that it has no listener and messages wait. 0 not to look.
 * @param defaultQueue The queue of messages that are sent without a queue name. By
 * default there is none, and such a send is refused.
 * @param callerConnections Highest number of connections for threads that wait for the
 * result of a send and make the request themselves, which takes half of the time. Opened
 * only while sends follow each other closely. 0 to make all requests through the client.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.send")
record QueueSendProperties(@DefaultValue("1MB") DataSize maxMessageSize, @DefaultValue("10000") int maxWaiting,
		@Nullable DataSize maxWaitingSize, @DefaultValue("true") boolean afterCommit,
		@DefaultValue("5m") Duration reportUnconsumedAfter, @Nullable String defaultQueue,
		@DefaultValue("4") int callerConnections) {

	/**
	 * Checks the values.
	 */
	public QueueSendProperties {
		PropertyBounds.atLeast("redelay.queue.send.report-unconsumed-after", reportUnconsumedAfter, Duration.ZERO);
		if (maxMessageSize.toBytes() < 1 || maxMessageSize.toMegabytes() > 128) {
			throw new IllegalArgumentException(
					"'redelay.queue.send.max-message-size' must be 1B to 128MB: " + maxMessageSize);
		}
		if (maxWaiting < 1) {
			throw new IllegalArgumentException("'redelay.queue.send.max-waiting' must be at least 1: " + maxWaiting);
		}
		if (defaultQueue != null && !QueueName.isValid(defaultQueue)) {
			throw new IllegalArgumentException(
					"'redelay.queue.send.default-queue' must begin with a letter or a digit, and be up to 128 letters,"
							+ " digits, '.', '_' and '-': '" + defaultQueue + "'");
		}
		if (callerConnections < 0) {
			throw new IllegalArgumentException(
					"'redelay.queue.send.caller-connections' must not be negative: " + callerConnections);
		}
		if (maxWaitingSize != null && maxWaitingSize.toBytes() < 1) {
			throw new IllegalArgumentException(
					"'redelay.queue.send.max-waiting-size' must be at least 1B: " + maxWaitingSize);
		}
	}

	/**
	 * By default an eighth of the heap: a waiting message is in memory several times, as
	 * payload, as envelope and in the request.
	 */
	long maxWaitingBytes() {
		return (this.maxWaitingSize != null) ? this.maxWaitingSize.toBytes() : Runtime.getRuntime().maxMemory() / 8;
	}

}
