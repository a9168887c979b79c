package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.CancellationMode;
import io.redelay.queue.ConversionFailureAction;
import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.listener.QueueOrder;
import io.redelay.queue.listener.RetentionSettings;
import io.redelay.queue.listener.deadletter.DeadLetterSettings;
import io.redelay.queue.send.OrderSettings;
import io.redelay.queue.store.RetentionBounds;
import io.redelay.template.MessageTemplate;
import io.redelay.template.MessageTemplates;
import io.redelay.template.NumberTemplate;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Properties of one queue: those of its listeners, and more.
 *
 * @param concurrency How many handlers run at the same time in a container.
 * @param prefetch How many messages a container holds beyond those that are handled.
 * @param leaseTime How long the messages that an instance holds stay reserved for it
 * after a crash.
 * @param maxHandlingTime How long handling a message may take.
 * @param maxAttempts How often a message is delivered at most before it is kept among the
 * dead messages.
 * @param backoff How long to wait before a failed message is delivered again.
 * @param errorHandler The QueueErrorHandler bean that decides what to do when handling
 * failed.
 * @param batchSize How many messages a listener of batches is given at most.
 * @param batchTimeout How long to wait for a batch to become full.
 * @param autoStartup Whether containers start with the application.
 * @param onConversionFailure How a message is treated that cannot be read, converted or
 * validated: it is dead at once, or delivered again after the backoff.
 * @param resetAttemptsOnProgress Whether a message has as many attempts as at first when
 * its handler has saved a checkpoint.
 * @param idempotencyKey Template of the key for which a handler succeeds once, like
 * #{payload.orderId}.
 * @param idempotencyWindow How long messages with a key whose handler has succeeded are
 * not handled again.
 * @param cancellation How a running handler is notified that its message was cancelled.
 * @param deadLetterQueue The queue that dead messages are moved to, instead of being kept
 * where they died.
 * @param deadLetters Properties of dead messages that are kept.
 * @param maxLength How many messages the queue may have, those that are scheduled or in
 * flight included. Heeded by senders. By default any number.
 * @param overflow How a message is treated that is one too many: it is refused, or the
 * message that has waited longest is dropped.
 * @param rateLimit How many messages of the queue all instances claim together in a
 * window, like 100/1s or 100/1s bursting. By default any number.
 * @param maxInFlight How many messages of the queue all instances have in hand together.
 * By default any number.
 * @param keyRateLimit How many messages of one fairness key all instances claim together
 * in a window, like 10/1s. By default any number.
 * @param keyMaxInFlight How many messages of one fairness key all instances have in hand
 * together. By default any number.
 * @param sharedLimit The limit under redelay.queue.limits that the queue shares with
 * others. By default none.
 * @param partitions Over how many partitions the queue is spread, 1 to 64, so that the
 * nodes of a Redis Cluster share its work. Heeded by senders, listeners and the
 * administration: the same in all applications.
 * @param priorityPerPartition Whether messages with a priority may be sent to a queue of
 * several partitions, each of which heeds priorities by itself.
 * @param orderingKey The ordering key of messages whose sender sets none: a template like
 * "#{payload.customerId}" or "#{headers['customer']}". Messages of one ordering key are
 * handled one at a time, in the order in which they were sent. Heeded by senders, like
 * the properties that follow.
 * @param orderingKeyMaxLength How many messages the line of one ordering key may have:
 * the one that has the turn and those that wait behind it. A message that is one too many
 * is refused. QueueAdmin.limits().change takes precedence. By default any number.
 * @param deadHoldsKey Whether messages behind a dead one with the same ordering key wait
 * until it is delivered again or deleted, false by default.
 * @param fairnessKey The fairness key of messages whose sender sets none: a template. The
 * fairness keys that have messages waiting take turns.
 * @param fairnessWeight How many messages of a fairness key are delivered each time it is
 * its turn, 1 to 100, 1 by default: a number, or a template.
 * @param priority The priority of messages whose sender sets none, 0 to 9, 4 by default:
 * a number, or a template. 9 goes first.
 * @param priorityAgeing Lets no priority starve: how much earlier than it did a message
 * counts as having come for each level of its priority. By default the higher priority
 * always goes first.
 * @param deduplication How messages with the same key are treated.
 * @param completed The completed messages that are kept. Heeded by listeners.
 * @param delay How long after its send a message is due whose sender sets no time. Heeded
 * by senders. By default it is due at once.
 * @param filter The DeliveryFilter bean that decides which messages are handled. The
 * others are acknowledged unhandled.
 * @param weight How many messages of the queue a listener of several queues handles in
 * its turn, 1 to 100, 1 by default.
 * @param inlet A list in Redis from which this instance takes over messages that programs
 * without Redelay push into it.
 * @param forgetAfter For how long the queue must have had no messages, listeners,
 * settings and history before its name is forgotten; 0 for never. By default that of
 * redelay.queue.forget-after.
 * @since 0.1.0
 */
public record SingleQueueProperties(@Nullable String concurrency, @Nullable Integer prefetch,
		@Nullable Duration leaseTime, @Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts,
		@NestedConfigurationProperty @DefaultValue QueueListenerProperties.Backoff backoff,
		@Nullable String errorHandler, @Nullable Integer batchSize, @Nullable Duration batchTimeout,
		@Nullable Boolean autoStartup, @Nullable ConversionFailureAction onConversionFailure,
		@Nullable String deadLetterQueue, @DefaultValue DeadLetters deadLetters, @Nullable Long maxLength,
		@DefaultValue("refuse") Overflow overflow, @Nullable String rateLimit, @Nullable Integer maxInFlight,
		@Nullable String keyRateLimit, @Nullable Integer keyMaxInFlight, @Nullable String sharedLimit,
		@DefaultValue("1") int partitions, @DefaultValue("false") boolean priorityPerPartition,
		@Nullable String orderingKey, @Nullable Integer orderingKeyMaxLength, @Nullable Boolean deadHoldsKey,
		@Nullable String fairnessKey, @Nullable String fairnessWeight, @Nullable String priority,
		@Nullable Duration priorityAgeing, @NestedConfigurationProperty @DefaultValue QueueDeduplication deduplication,
		@Nullable Boolean resetAttemptsOnProgress, @Nullable String idempotencyKey,
		@Nullable Duration idempotencyWindow, @Nullable CancellationMode cancellation,
		@DefaultValue Completed completed, @Nullable Duration delay, @Nullable String filter, @Nullable Integer weight,
		@DefaultValue Inlet inlet, @Nullable Duration forgetAfter) {

	private static final int LONGEST_LINE = 1_000_000;

	/**
	 * Checks the values.
	 */
	public SingleQueueProperties {
		Assert.isTrue(partitions >= 1 && partitions <= PartitionName.MOST,
				() -> "'redelay.queue.queues.<name>.partitions' must be 1 to " + PartitionName.MOST + ": "
						+ partitions);
		Assert.isTrue(partitions == 1 || priority == null || priorityAgeing != null || priorityPerPartition,
				() -> "'redelay.queue.queues.<name>.priority' cannot be heeded over " + partitions
						+ " partitions: a less urgent message of another partition may go before. If priorities"
						+ " within each partition will do, set 'priority-per-partition' to true; or set"
						+ " 'priority-ageing'");
		Assert.isTrue(maxLength == null || maxLength < 1 || maxLength >= partitions,
				() -> "'redelay.queue.queues.<name>.max-length' must be at least as large as 'partitions', which"
						+ " share it equally: " + maxLength + " for " + partitions + " partitions");
		Assert.isTrue(maxLength == null || maxLength >= 1,
				() -> "'redelay.queue.queues.<name>.max-length' must be at least 1: " + maxLength);
		Assert.isTrue(
				orderingKeyMaxLength == null || (orderingKeyMaxLength >= 1 && orderingKeyMaxLength <= LONGEST_LINE),
				() -> "'redelay.queue.queues.<name>.ordering-key-max-length' must be 1 to " + LONGEST_LINE + ": "
						+ orderingKeyMaxLength);
		Assert.isTrue(priorityAgeing == null
				|| (priorityAgeing.toMillis() >= 1 && priorityAgeing.compareTo(OrderSettings.LONGEST_AGEING) <= 0),
				() -> "'redelay.queue.queues.<name>.priority-ageing' must be 1ms to "
						+ OrderSettings.LONGEST_AGEING.toDays() + "d: " + priorityAgeing
						+ ". Leave it out to let the higher priority always go first");
		Assert.isTrue(
				partitions == 1 || deduplication.key() == null || orderingKey == null
						|| orderingKey.equals(deduplication.key()),
				() -> "'redelay.queue.queues.<name>.deduplication.key' must be the same as 'ordering-key', which "
						+ "chooses one of the " + partitions + " partitions, each of which knows its own keys only: '"
						+ deduplication.key() + "' and '" + orderingKey
						+ "'. Leave out one of the two, or 'partitions'");
		Assert.isTrue(!Boolean.TRUE.equals(deadHoldsKey) || deadLetterQueue == null,
				() -> "'redelay.queue.queues.<name>.dead-holds-key' cannot hold what 'dead-letter-queue' hands on to '"
						+ deadLetterQueue + "'. Leave out one of the two");
		Assert.isTrue(weight == null || (weight >= 1 && weight <= QueueOrder.LARGEST_WEIGHT),
				() -> "'redelay.queue.queues.<name>.weight' must be 1 to " + QueueOrder.LARGEST_WEIGHT + ": " + weight);
		Assert.isTrue(delay == null || DueTime.isPossible(delay),
				() -> "'redelay.queue.queues.<name>.delay' must be 0 to " + DueTime.LONGEST_DELAY.toDays() + "d: "
						+ delay);
		Assert.isTrue(partitions == 1 || !inlet.enabled(),
				() -> "'redelay.queue.queues.<name>.inlet.enabled' must not be set for a queue of " + partitions
						+ " partitions, for no script reaches them all. Leave out 'partitions', or use the inlet of"
						+ " another queue");
		Assert.isTrue(forgetAfter == null || ForgetSettings.isPossible(forgetAfter),
				() -> "'redelay.queue.queues.<name>.forget-after' must be 0, for never, or "
						+ ForgetSettings.SHORTEST.toSeconds() + "s to " + DueTime.LONGEST_DELAY.toDays() + "d: "
						+ forgetAfter);
	}

	DeadLetterSettings toDeadLetterBounds(QueueDeadLettersProperties all) {
		DataSize maxBytes = (this.deadLetters.maxBytes() != null) ? this.deadLetters.maxBytes() : all.maxBytes();
		return new DeadLetterSettings(
				(this.deadLetters.maxCount() != null) ? this.deadLetters.maxCount() : all.maxCount(),
				(this.deadLetters.maxAge() != null) ? this.deadLetters.maxAge() : all.maxAge(),
				(maxBytes != null) ? maxBytes.toBytes() : DeadLetterSettings.ANY_SIZE, null, null, null);
	}

	ListenerValues toValues() {
		return new QueueListenerProperties(this.concurrency, this.prefetch, this.leaseTime, this.maxHandlingTime,
				this.maxAttempts, this.backoff, this.errorHandler, this.batchSize, this.batchTimeout, this.autoStartup,
				this.onConversionFailure, this.rateLimit, this.maxInFlight, this.keyRateLimit, this.keyMaxInFlight,
				this.sharedLimit, this.resetAttemptsOnProgress, this.idempotencyKey, this.idempotencyWindow,
				this.cancellation, this.filter)
			.toValues();
	}

	boolean hasOrder() {
		return this.orderingKey != null || this.deadHoldsKey != null || this.fairnessKey != null
				|| this.fairnessWeight != null || this.priority != null || this.priorityAgeing != null;
	}

	OrderSettings toOrder(String name, MessageTemplates templates) {
		return new OrderSettings(template(name, "ordering-key", this.orderingKey, templates),
				template(name, "fairness-key", this.fairnessKey, templates),
				number(name, "fairness-weight", this.fairnessWeight, 1, DeliveryOrder.LARGEST_WEIGHT, templates),
				number(name, "priority", this.priority, 0, DeliveryOrder.HIGHEST_PRIORITY, templates),
				this.priorityAgeing, Boolean.TRUE.equals(this.deadHoldsKey));
	}

	private static @Nullable MessageTemplate template(String queue, String property, @Nullable String text,
			MessageTemplates templates) {
		try {
			return (text != null) ? templates.parse(place(queue, property), text) : null;
		}
		catch (TemplateException ex) {
			throw new InvalidQueuePropertyException(ex);
		}
	}

	private static @Nullable NumberTemplate number(String queue, String property, @Nullable String text, int least,
			int most, MessageTemplates templates) {
		try {
			return (text != null) ? templates.parseNumber(place(queue, property), text, least, most) : null;
		}
		catch (TemplateException ex) {
			throw new InvalidQueuePropertyException(ex);
		}
	}

	private static String place(String queue, String property) {
		return "'redelay.queue.queues." + queue + "." + property + "'";
	}

	DeadLetterDefaults.OfQueue toDeadLetters(String name, QueueRedriveProperties ofAll) {
		DataSize maxBytes = this.deadLetters.maxBytes();
		return new DeadLetterDefaults.OfQueue(this.deadLetters.maxCount(), this.deadLetters.maxAge(),
				(maxBytes != null) ? maxBytes.toBytes() : null, this.deadLetterQueue,
				Boolean.TRUE.equals(this.deadHoldsKey), this.deadLetters.redrive().toRedrive(name, ofAll));
	}

	/**
	 * Properties of the dead messages of one queue.
	 *
	 * @param maxCount How many are kept.
	 * @param maxAge How long they are kept.
	 * @param maxBytes Their total size, the data of their attempts included.
	 * @param redrive When they are redriven automatically.
	 */
	public record DeadLetters(@Nullable Long maxCount, @Nullable Duration maxAge, @Nullable DataSize maxBytes,
			@NestedConfigurationProperty @DefaultValue QueueRedriveProperties redrive) {

		/**
		 * Checks the values.
		 */
		public DeadLetters {
			PropertyBounds.ofKept("redelay.queue.queues.<name>.dead-letters", maxCount, maxAge, maxBytes);
		}

	}

	/**
	 * The completed messages that are kept: none, unless one of the values is given.
	 *
	 * @param maxAge How long completed messages are kept, 7d by default if any are.
	 * @param maxCount How many are kept, 10000 by default if any are. The oldest ones are
	 * removed.
	 * @param maxBytes Their total size, their results included. By default any size.
	 * @param results Whether the results of handlers are kept.
	 */
	public record Completed(@Nullable Duration maxAge, @Nullable Long maxCount, @Nullable DataSize maxBytes,
			@DefaultValue("false") boolean results) {

		/**
		 * Checks the values.
		 */
		public Completed {
			PropertyBounds.ofKept("redelay.queue.queues.<name>.completed", maxCount, maxAge, maxBytes);
		}

		@Nullable RetentionSettings toRetention() {
			if (this.maxAge == null && this.maxCount == null && this.maxBytes == null && !this.results) {
				return null;
			}
			RetentionBounds defaults = RetentionBounds.DEFAULTS;
			return new RetentionSettings(new RetentionBounds((this.maxAge != null) ? this.maxAge : defaults.maxAge(),
					(this.maxCount != null) ? this.maxCount : defaults.maxCount(),
					(this.maxBytes != null) ? this.maxBytes.toBytes() : defaults.maxBytes()), this.results);
		}

	}

	/**
	 * The inlet of one queue.
	 *
	 * @param enabled Whether this instance takes over the messages that are pushed into
	 * the inlet.
	 */
	public record Inlet(@DefaultValue("false") boolean enabled) {

	}

	/**
	 * How a message is treated that is one too many.
	 */
	public enum Overflow {

		/**
		 * It is refused, and its sender gets a QueueFullException.
		 */
		REFUSE,

		/**
		 * The message that has waited longest is dropped, which the sender logs. The new
		 * one is refused if too many are in hand for that to make room.
		 */
		DROP_OLDEST

	}

}
