package io.redelay.queue.handle;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.redelay.queue.AckMode;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.idempotency.IdempotencySettings;
import io.redelay.queue.listener.DeliveryFilter;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.work.CancellationMode;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The settings of a container.
 *
 * @param id its name
 * @param queues the settings of each queue it listens to, by the queue's name
 * @param concurrency how many handlers run at the same time; nothing is prefetched if the
 * container is {@linkplain #isLimited() limited}
 * @param ackMode how a message is acknowledged
 * @param batch how many messages a handler gets at a time
 * @param autoStartup whether it starts with the application
 * @param interceptors called around the handling, the outermost first
 * @param order in which order the queues get handlers
 * @since 0.1.0
 */
public record ContainerSettings(String id, Map<String, QueueSettings> queues, Concurrency concurrency, AckMode ackMode,
		Batch batch, boolean autoStartup, List<DeliveryInterceptor> interceptors, QueueOrder order) {

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Creates settings of a container whose queues take turns.
	 */
	public ContainerSettings(String id, Map<String, QueueSettings> queues, Concurrency concurrency, AckMode ackMode,
			Batch batch, boolean autoStartup, List<DeliveryInterceptor> interceptors) {
		this(id, queues, concurrency, ackMode, batch, autoStartup, interceptors,
				QueueOrder.turns(List.copyOf(queues.keySet())));
	}

	/**
	 * Checks the settings.
	 */
	public ContainerSettings {
		Assert.notEmpty(queues, "'queues' must not be empty");
		if (isLimited(queues)) {
			Integer declared = concurrency.prefetch();
			if (declared != null && declared != 0) {
				throw new IllegalArgumentException("'prefetch' must be 0, for claims are limited: " + declared
						+ " messages would count as claimed although no handler has them");
			}
			concurrency = new Concurrency(concurrency.least(), concurrency.most(), 0);
		}
	}

	/**
	 * Returns these settings with another concurrency.
	 * @param min how many handlers run at the same time at least, if there is work
	 * @param max how many handlers run at the same time at most
	 * @return the settings
	 */
	public ContainerSettings withConcurrency(int min, int max) {
		return new ContainerSettings(this.id, this.queues, new Concurrency(min, max, this.concurrency.prefetch()),
				this.ackMode, this.batch, this.autoStartup, this.interceptors, this.order);
	}

	/**
	 * Returns the settings for a queue.
	 * @param queue the name of the queue
	 * @return its settings
	 * @throws IllegalStateException if the container does not listen to the queue
	 */
	public QueueSettings queue(String queue) {
		QueueSettings each = this.queues.get(queue);
		if (each == null) {
			throw new IllegalStateException(
					"The listener '" + this.id + "' has no settings for the queue '" + queue + "'");
		}
		return each;
	}

	/**
	 * Returns whether claims from one of the queues are limited. The container then
	 * claims only messages that a handler takes at once. Claimed messages count, so none
	 * may wait in one instance while another one is idle.
	 * @return whether they are
	 */
	public boolean isLimited() {
		return isLimited(this.queues);
	}

	private static boolean isLimited(Map<String, QueueSettings> queues) {
		return queues.values().stream().anyMatch((queue) -> queue.limits().isLimited());
	}

	private static boolean isBetween(Duration least, Duration value) {
		return value.compareTo(least) >= 0 && value.compareTo(LONGEST) <= 0;
	}

	/**
	 * How many handlers run at the same time.
	 *
	 * @param least how many at least, if there is work
	 * @param most how many at most
	 * @param prefetch how many messages are held beyond those that are handled, or
	 * {@code null} to adapt
	 */
	public record Concurrency(int least, int most, @Nullable Integer prefetch) {

		/**
		 * Checks the numbers.
		 */
		public Concurrency {
			if (least < 1 || least > most) {
				throw new IllegalArgumentException(
						"'concurrency' must be a number from 1, or a range of such: " + least + "-" + most);
			}
			if (prefetch != null && prefetch < 0) {
				throw new IllegalArgumentException("'prefetch' must be 0 or more: " + prefetch);
			}
		}

	}

	/**
	 * How many messages a handler gets at a time.
	 *
	 * @param size how many at most; 1 if it does not take batches
	 * @param timeout how long to wait for a batch to become full
	 */
	public record Batch(int size, Duration timeout) {

		/**
		 * One message at a time.
		 */
		public static final Batch NONE = new Batch(1, Duration.ZERO);

		/**
		 * Checks the values.
		 */
		public Batch {
			if (size < 1 || size > 1000) {
				throw new IllegalArgumentException("'batchSize' must be 1 to 1000: " + size);
			}
			if (!isBetween(Duration.ZERO, timeout)) {
				throw new IllegalArgumentException("'batchTimeout' must be 0 to 3650 days: " + timeout);
			}
		}

	}

	/**
	 * The settings for one queue.
	 *
	 * @param leaseTime how long a lane lives without being renewed, at least 100 ms
	 * @param maxHandlingTime how long handling may take, if that is limited
	 * @param failures what becomes of failed messages
	 * @param limits how many messages all instances claim together at most
	 * @param idempotency how its handler succeeds once for each key, or {@code null} if
	 * its messages have no keys
	 * @param retention what is kept of completed messages, or {@code null} if nothing is
	 * @param cancellation how a running handler is notified that its message was
	 * cancelled
	 * @param filters which messages are handled
	 */
	public record QueueSettings(Duration leaseTime, @Nullable Duration maxHandlingTime, FailureSettings failures,
			ClaimLimits limits, @Nullable IdempotencySettings idempotency, @Nullable RetentionSettings retention,
			CancellationMode cancellation, Filters filters) {

		private static final Duration LEAST_LEASE = Duration.ofMillis(100);

		private static final Duration LEAST_HANDLING_TIME = Duration.ofMillis(1);

		/**
		 * Checks the settings.
		 */
		public QueueSettings {
			if (!isBetween(LEAST_LEASE, leaseTime)) {
				throw new IllegalArgumentException("'leaseTime' must be 100 ms to 3650 days: " + leaseTime);
			}
			if (maxHandlingTime != null && !isBetween(LEAST_HANDLING_TIME, maxHandlingTime)) {
				throw new IllegalArgumentException("'maxHandlingTime' must be 1 ms to 3650 days: " + maxHandlingTime);
			}
		}

	}

	/**
	 * What becomes of failed messages.
	 *
	 * @param retries whether and when a failed message is delivered again
	 * @param errorHandler called after failures, if there is one
	 * @param deadLetters how its dead messages are managed
	 */
	public record FailureSettings(RetrySettings retries, @Nullable QueueErrorHandler errorHandler,
			DeadLetterSettings deadLetters) {

	}

	/**
	 * Which messages are handled.
	 *
	 * @param group which messages the group of a topic gets copies of
	 * @param handler decides which messages are handled; {@code null} if all are
	 */
	public record Filters(GroupFilter group, @Nullable DeliveryFilter handler) {

	}

}
