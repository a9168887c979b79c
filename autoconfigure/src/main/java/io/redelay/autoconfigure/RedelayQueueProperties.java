package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.CancellationMode;
import io.redelay.queue.ConversionFailureAction;
import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.partition.PartitionSettings;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.send.DeduplicationSettings;
import io.redelay.queue.send.OrderSettings;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.listener.RetentionSettings;
import io.redelay.queue.listener.WorkSettings;
import io.redelay.queue.store.ClaimLimits;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RetentionBounds;
import io.redelay.queue.store.RollbackListener;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.TopicRetention;
import io.redelay.queue.topic.TopicSettings;
import io.redelay.template.MessageTemplate;
import io.redelay.template.MessageTemplates;
import io.redelay.template.NumberTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties of the delay queue.
 *
 * @param enabled Whether to set up sending and listening.
 * @param keyPrefix What all keys in Redis begin with. Applications that share queues
 * share it.
 * @param resendTimeout How long a request to Redis is sent again while no answer comes,
 * 5m at most.
 * @param safetyPollInterval How often an idle listener looks for messages although
 * nothing woke it. Less often if an application has more than 80 queues.
 * @param shutdownTimeout How long to wait for running handlers when the application
 * stops. By default nine tenths of spring.lifecycle.timeout-per-shutdown-phase.
 * @param instanceName What people call this instance: it is kept with failed attempts. By
 * default the name of its host and the number of its process.
 * @param send What holds for sending.
 * @param listener What holds for all listeners where their annotation says nothing.
 * @param queues What holds for single queues, by name, whatever the annotations of their
 * listeners say.
 * @param topics What holds for single topics, by name.
 * @param limits Limits that several queues can share, by name.
 * @param recurring Messages that are sent again and again, by name.
 * @param recurrence What holds for all recurring messages.
 * @param deadLetters What becomes of dead messages.
 * @param replay What is remembered for when Redis goes back in time.
 * @param work What handlers keep beside their messages: checkpoints, progress and lines.
 * @param mdc What the MDC is told.
 * @param log What logs show of payloads.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
public record RedelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("30s") Duration resendTimeout, @DefaultValue("5s") Duration safetyPollInterval,
		@Nullable Duration shutdownTimeout, @Nullable String instanceName, @DefaultValue Send send,
		@DefaultValue Listener listener, @DefaultValue Map<String, Queue> queues,
		@DefaultValue Map<String, Topic> topics, @DefaultValue Map<String, SharedLimit> limits,
		@DefaultValue Map<String, Recurring> recurring, @DefaultValue Recurrence recurrence,
		@DefaultValue DeadLetters deadLetters, @DefaultValue Replay replay, @DefaultValue Work work,
		@DefaultValue Mdc mdc, @DefaultValue Log log) {

	/**
	 * Checks the values.
	 */
	public RedelayQueueProperties {
		Assert.isTrue(keyPrefix.matches("[A-Za-z0-9][A-Za-z0-9._:-]*"),
				() -> "'redelay.queue.key-prefix' must be of letters, digits, '.', '_', ':' and '-': '" + keyPrefix
						+ "'");
		atLeast("redelay.queue.resend-timeout", resendTimeout, Duration.ZERO);
		Assert.isTrue(resendTimeout.compareTo(SenderMemory.LONGEST_RESEND) <= 0,
				() -> "'redelay.queue.resend-timeout' must be at most " + SenderMemory.LONGEST_RESEND.toMinutes()
						+ "m, for later Redis may not recognise a request that comes again: " + resendTimeout);
		atLeast("redelay.queue.safety-poll-interval", safetyPollInterval, Duration.ofMillis(100));
		atLeast("redelay.queue.shutdown-timeout", shutdownTimeout, Duration.ZERO);
	}

	private static void atLeast(String name, @Nullable Duration value, Duration least) {
		Assert.isTrue(value == null || value.compareTo(least) >= 0,
				() -> "'" + name + "' must be at least " + least.toMillis() + "ms: " + value);
	}

	ListenerDefaults toListenerDefaults() {
		Map<String, ListenerValues> byQueue = new LinkedHashMap<>();
		Map<String, DeadLetterDefaults.OfQueue> deadByQueue = new LinkedHashMap<>();
		Set<String> aggregating = new LinkedHashSet<>();
		Map<String, RetentionSettings> retentions = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			byQueue.put(name, queue.toValues());
			deadByQueue.put(name, queue.toDeadLetters());
			RetentionSettings retention = queue.completed().toRetention();
			if (retention != null) {
				retentions.put(name, retention);
			}
			if (queue.deduplication().isAggregate()) {
				aggregating.add(name);
			}
		});
		return new ListenerDefaults(
				this.listener.toValues(), byQueue, new DeadLetterDefaults(this.deadLetters.maxCount(),
						this.deadLetters.maxAge(), bytes(this.deadLetters.maxBytes()), deadByQueue),
				toSharedLimits(), aggregating, retentions);
	}

	private Map<String, ClaimLimits.Shared> toSharedLimits() {
		Map<String, ClaimLimits.Shared> shared = new LinkedHashMap<>();
		this.limits.forEach((name, limit) -> shared.put(name, limit.toShared(name)));
		return shared;
	}

	SendSettings toSendSettings(MessageTemplates templates) {
		Map<String, OrderSettings> orders = new LinkedHashMap<>();
		Map<String, DeduplicationSettings> deduplications = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.hasOrder()) {
				orders.put(name, queue.toOrder(name, templates));
			}
			DeduplicationSettings deduplication = queue.deduplication().toSettings(name, templates);
			if (deduplication != null) {
				deduplications.put(name, deduplication);
			}
		});
		return new SendSettings(this.send.maxMessageSize().toBytes(), this.send.maxWaiting(),
				this.send.maxWaitingBytes(), this.send.afterCommit(), toLengthLimits(), orders, deduplications);
	}

	Map<String, LengthLimit> toLengthLimits() {
		Map<String, LengthLimit> lengths = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.maxLength() != null) {
				lengths.put(name, new LengthLimit(queue.maxLength(), queue.overflow() == Overflow.DROP_OLDEST));
			}
		});
		return lengths;
	}

	Map<String, TopicSettings> toTopics() {
		Map<String, TopicSettings> settings = new LinkedHashMap<>();
		this.topics.forEach((name, topic) -> settings.put(GroupName.checkTopic(name), topic.toSettings()));
		return settings;
	}

	Map<String, PartitionSettings> toPartitions() {
		Map<String, PartitionSettings> partitions = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			Assert.isTrue(queue.partitions() == 1 || !GroupName.isGroup(name),
					() -> "'redelay.queue.queues[" + name + "].partitions' must be 1, for all groups of a topic are in"
							+ " one place: " + queue.partitions());
			if (queue.partitions() > 1) {
				partitions.put(name, new PartitionSettings(queue.partitions(), queue.priorityPerPartition()));
			}
		});
		return partitions;
	}

	String toInstanceName() {
		return (this.instanceName != null) ? this.instanceName : InstanceName.get();
	}

	private static void checkBounds(String where, @Nullable Long maxCount, @Nullable Duration maxAge,
			@Nullable DataSize maxBytes) {
		Assert.isTrue(maxCount == null || maxCount >= 1,
				() -> "'" + where + ".max-count' must be at least 1: " + maxCount);
		atLeast(where + ".max-age", maxAge, Duration.ofMillis(1));
		Assert.isTrue(maxBytes == null || maxBytes.toBytes() >= 1,
				() -> "'" + where + ".max-bytes' must be at least 1B: " + maxBytes);
	}

	private static @Nullable Long bytes(@Nullable DataSize size) {
		return (size != null) ? size.toBytes() : null;
	}

	/**
	 * What holds for sending.
	 *
	 * @param maxMessageSize How large a message may be, its headers included.
	 * @param maxWaiting How many messages to one queue wait at most while others are on
	 * their way to Redis. More are refused.
	 * @param maxWaitingSize How large the messages to all queues are together at most
	 * that Redis has not answered. More are refused. By default an eighth of the largest
	 * heap.
	 * @param afterCommit Whether a message that is sent inside a transaction waits for
	 * its commit.
	 * @param tellUnheardAfter How long after the first send to a queue the log tells,
	 * once, that nobody listens to it and messages wait. 0 not to look.
	 */
	public record Send(@DefaultValue("1MB") DataSize maxMessageSize, @DefaultValue("10000") int maxWaiting,
			@Nullable DataSize maxWaitingSize, @DefaultValue("true") boolean afterCommit,
			@DefaultValue("5m") Duration tellUnheardAfter) {

		/**
		 * Checks the values.
		 */
		public Send {
			atLeast("redelay.queue.send.tell-unheard-after", tellUnheardAfter, Duration.ZERO);
			Assert.isTrue(maxMessageSize.toBytes() >= 1 && maxMessageSize.toMegabytes() <= 128,
					() -> "'redelay.queue.send.max-message-size' must be 1B to 128MB: " + maxMessageSize);
			Assert.isTrue(maxWaiting >= 1, () -> "'redelay.queue.send.max-waiting' must be at least 1: " + maxWaiting);
			Assert.isTrue(maxWaitingSize == null || maxWaitingSize.toBytes() >= 1,
					() -> "'redelay.queue.send.max-waiting-size' must be at least 1B: " + maxWaitingSize);
		}

		/**
		 * By default an eighth of the heap: a message that waits is there several times,
		 * as payload, as envelope and in what is written.
		 */
		private long maxWaitingBytes() {
			return (this.maxWaitingSize != null) ? this.maxWaitingSize.toBytes() : Runtime.getRuntime().maxMemory() / 8;
		}

	}

	/**
	 * What is remembered of what Redis has answered, so that it can be repeated when
	 * Redis goes back in time: after a failover to a replica that lagged behind, or a
	 * restart with older data.
	 *
	 * @param duration For how long sends, settlements and commands are remembered. 0
	 * remembers nothing.
	 * @param maxSize How large all that is remembered is at most. The oldest is forgotten
	 * first.
	 */
	public record Replay(@DefaultValue("10s") Duration duration, @DefaultValue("16MB") DataSize maxSize) {

		private static final Duration LONGEST = SenderMemory.LONGEST_RESEND;

		/**
		 * Checks the values.
		 */
		public Replay {
			Assert.isTrue(!duration.isNegative() && duration.compareTo(LONGEST) <= 0,
					() -> "'redelay.queue.replay.duration' must be 0 to " + LONGEST.toMinutes() + "m: " + duration);
			Assert.isTrue(!maxSize.isNegative(),
					() -> "'redelay.queue.replay.max-size' must not be negative: " + maxSize);
		}

		ReplayMemory toMemory(RollbackListener listener) {
			return new ReplayMemory(this.duration, this.maxSize.toBytes(), listener);
		}

	}

	/**
	 * A message that is sent again and again.
	 *
	 * @param queue The queue.
	 * @param cron When it is sent: a cron expression of six fields, or a macro such as
	 * &#64;daily. "-" sends nothing.
	 * @param zone The zone of the cron expression. By default that of the JVM.
	 * @param every How much time there is between two of them, instead of a cron
	 * expression.
	 * @param payload What each brings: JSON, or else a text. By default its name and the
	 * time of its tick.
	 * @param missed What becomes of ticks that were missed.
	 * @param maxMissed How many missed ticks run at most if all are to.
	 * @param overlap What becomes of a tick while an earlier run has not ended.
	 * @param maxQueued How many ticks wait at most if they queue.
	 * @param lateAfter How long after it was due a tick is late.
	 */
	public record Recurring(@Nullable String queue, @Nullable String cron, @Nullable String zone,
			@Nullable Duration every, @Nullable String payload, @DefaultValue("once") MissedTicks missed,
			@DefaultValue("10") int maxMissed, @DefaultValue("skip") OverlappingRuns overlap,
			@DefaultValue("100") int maxQueued, @DefaultValue("1m") Duration lateAfter) {
	}

	/**
	 * What holds for all recurring messages.
	 *
	 * @param dropAfter How long after the end of all instances that declare one it goes
	 * on.
	 */
	public record Recurrence(@DefaultValue("5m") Duration dropAfter) {

		/**
		 * Checks the values.
		 */
		public Recurrence {
			atLeast("redelay.queue.recurrence.drop-after", dropAfter, Duration.ofSeconds(1));
		}

	}

	/**
	 * What becomes of dead messages.
	 *
	 * @param maxCount How many dead messages of a queue are kept. The oldest ones are
	 * removed.
	 * @param maxAge How long dead messages are kept.
	 * @param maxBytes How large the dead messages of a queue are together that are kept,
	 * what is known of their attempts included. By default any size.
	 */
	public record DeadLetters(@DefaultValue("10000") long maxCount, @DefaultValue("30d") Duration maxAge,
			@Nullable DataSize maxBytes) {

		/**
		 * Checks the values.
		 */
		public DeadLetters {
			checkBounds("redelay.queue.dead-letters", maxCount, maxAge, maxBytes);
		}

	}

	/**
	 * What becomes of the dead messages of one queue.
	 *
	 * @param maxCount How many are kept.
	 * @param maxAge How long they are kept.
	 * @param maxBytes How large they are together, what is known of their attempts
	 * included.
	 */
	public record QueueDeadLetters(@Nullable Long maxCount, @Nullable Duration maxAge, @Nullable DataSize maxBytes) {

		/**
		 * Checks the values.
		 */
		public QueueDeadLetters {
			checkBounds("redelay.queue.queues.<name>.dead-letters", maxCount, maxAge, maxBytes);
		}

	}

	/**
	 * What is kept of messages that are done: nothing, unless one of the values is given.
	 *
	 * @param maxAge How long completed messages are kept, 7d by default if any are.
	 * @param maxCount How many are kept, 10000 by default if any are. The oldest ones are
	 * removed.
	 * @param maxBytes How large they are together, their results included. By default any
	 * size.
	 * @param results Whether what handlers return is kept.
	 */
	public record Completed(@Nullable Duration maxAge, @Nullable Long maxCount, @Nullable DataSize maxBytes,
			@DefaultValue("false") boolean results) {

		/**
		 * Checks the values.
		 */
		public Completed {
			checkBounds("redelay.queue.queues.<name>.completed", maxCount, maxAge, maxBytes);
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
	 * What holds for listeners.
	 *
	 * @param concurrency How many handlers run at the same time in a container, 8 by
	 * default. A number, or a range like 1-16.
	 * @param prefetch How many messages a container holds beyond those that are handled.
	 * By default as many as are handled in 100 ms.
	 * @param leaseTime How long what an instance holds stays reserved for it after a
	 * crash, 30s by default.
	 * @param maxHandlingTime How long handling a message may take. By default there is no
	 * limit.
	 * @param maxAttempts How often a message is delivered at most before it is kept among
	 * the dead messages, 5 by default.
	 * @param backoff How long to wait before a failed message is delivered again.
	 * @param errorHandler The QueueErrorHandler bean that is asked what is to be done
	 * when handling failed. By default queueErrorHandler, if there is one.
	 * @param batchSize How many messages a listener of batches is given at most, 10 by
	 * default.
	 * @param batchTimeout How long to wait for a batch to become full, 0 by default.
	 * @param autoStartup Whether containers start with the application, true by default.
	 * @param onConversionFailure What becomes of a message that cannot be read, converted
	 * or validated: it is dead at once (bury, the default), or delivered again after the
	 * backoff while it has attempts left (retry).
	 * @param rateLimit How many messages of a queue all instances claim together in a
	 * window, like 100/1s or 100/1s bursting. By default any number.
	 * @param maxInFlight How many messages of a queue all instances have in hand
	 * together. By default any number.
	 * @param keyRateLimit How many messages of one fairness key all instances claim
	 * together in a window, like 10/1s. By default any number.
	 * @param keyMaxInFlight How many messages of one fairness key all instances have in
	 * hand together. By default any number.
	 * @param sharedLimit The limit under redelay.queue.limits that each queue shares with
	 * others. By default none.
	 * @param resetAttemptsOnProgress Whether a message has as many attempts as at first
	 * when its handler has saved a checkpoint, false by default.
	 * @param idempotencyKey Template of the key for which a handler succeeds once, like
	 * #{payload.orderId}. Messages have no such key by default.
	 * @param idempotencyWindow How long messages with a key whose handler has succeeded
	 * are not handled again, 24h by default.
	 * @param cancellation How a running handler is told that its message was cancelled:
	 * its CancellationToken turns (signal, the default), and its thread is interrupted
	 * and what it returned is cancelled (interrupt).
	 */
	public record Listener(@Nullable String concurrency, @Nullable Integer prefetch, @Nullable Duration leaseTime,
			@Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts, @DefaultValue Backoff backoff,
			@Nullable String errorHandler, @Nullable Integer batchSize, @Nullable Duration batchTimeout,
			@Nullable Boolean autoStartup, @Nullable ConversionFailureAction onConversionFailure,
			@Nullable String rateLimit, @Nullable Integer maxInFlight, @Nullable String keyRateLimit,
			@Nullable Integer keyMaxInFlight, @Nullable String sharedLimit, @Nullable Boolean resetAttemptsOnProgress,
			@Nullable String idempotencyKey, @Nullable Duration idempotencyWindow,
			@Nullable CancellationMode cancellation) {

		ListenerValues toValues() {
			return new ListenerValues(this.concurrency, this.prefetch, this.leaseTime, this.maxHandlingTime,
					this.maxAttempts, this.backoff.initialInterval(), this.backoff.multiplier(),
					this.backoff.maxInterval(), this.backoff.jitter(), this.backoff.bean(), this.errorHandler,
					this.batchSize, this.batchTimeout, this.autoStartup, this.onConversionFailure, this.rateLimit,
					this.maxInFlight, this.keyRateLimit, this.keyMaxInFlight, this.sharedLimit,
					this.resetAttemptsOnProgress, this.idempotencyKey, this.idempotencyWindow, this.cancellation);
		}

	}

	/**
	 * What handlers keep beside their messages.
	 *
	 * @param writeInterval How long what a handler reports or saves waits before it is
	 * written to Redis; a third of the lease if that is shorter.
	 * @param maxCheckpointSize How large a checkpoint may be.
	 * @param maxLogLines How many lines the log of a message has at most, 0 for none. The
	 * oldest ones are dropped.
	 * @param maxLogSize How large the log of a message is at most. The oldest lines are
	 * dropped.
	 */
	public record Work(@DefaultValue("1s") Duration writeInterval, @DefaultValue("64KB") DataSize maxCheckpointSize,
			@DefaultValue("100") int maxLogLines, @DefaultValue("32KB") DataSize maxLogSize) {

		/**
		 * Checks the values.
		 */
		public Work {
			atLeast("redelay.queue.work.write-interval", writeInterval, Duration.ofMillis(10));
			Assert.isTrue(isBetween(maxCheckpointSize, 1, DataSize.ofMegabytes(16)),
					() -> "'redelay.queue.work.max-checkpoint-size' must be from 1B to 16MB: " + maxCheckpointSize);
			Assert.isTrue(maxLogLines >= 0 && maxLogLines <= 10_000,
					() -> "'redelay.queue.work.max-log-lines' must be from 0 to 10000: " + maxLogLines);
			Assert.isTrue(isBetween(maxLogSize, 8192, DataSize.ofMegabytes(1)),
					() -> "'redelay.queue.work.max-log-size' must be from 8KB to 1MB: " + maxLogSize);
		}

		private static boolean isBetween(DataSize size, long least, DataSize most) {
			return size.toBytes() >= least && size.compareTo(most) <= 0;
		}

		WorkSettings toSettings() {
			return new WorkSettings(this.writeInterval, (int) this.maxCheckpointSize.toBytes(), this.maxLogLines,
					(int) this.maxLogSize.toBytes());
		}

	}

	/**
	 * What the MDC is told.
	 *
	 * @param enabled Whether the MDC of a handler's thread holds queue, id and attempt of
	 * the message and the listener.
	 * @param keys Entries of the sender's MDC that its messages carry to their handlers.
	 */
	public record Mdc(@DefaultValue("true") boolean enabled, @DefaultValue List<String> keys) {

		/**
		 * Checks the values.
		 */
		public Mdc {
			Assert.isTrue(keys.stream().noneMatch(String::isBlank),
					() -> "'redelay.queue.mdc.keys' must not have blank names: " + keys);
		}

	}

	/**
	 * What logs show of payloads.
	 *
	 * @param maskedFields What the names of the JSON fields contain whose values logs do
	 * not show. Case does not matter, nor what is neither a letter nor a digit.
	 * @param maxLength How many characters of a payload logs show at most.
	 */
	public record Log(@DefaultValue( {
			"password", "passwd", "passphrase", "secret", "token", "authorization", "credential", "api-key",
			"private-key", "card-number", "cvv", "cvc", "iban" }) List<String> maskedFields,
			@DefaultValue("1000") int maxLength){

		/**
		 * Checks the values.
		 */
		public Log {
			Assert.isTrue(maxLength >= 0, () -> "'redelay.queue.log.max-length' must be 0 or more: " + maxLength);
		}

	}

	/**
	 * What holds for one queue: what holds for listeners, and more.
	 *
	 * @param concurrency How many handlers run at the same time in a container.
	 * @param prefetch How many messages a container holds beyond those that are handled.
	 * @param leaseTime How long what an instance holds stays reserved for it after a
	 * crash.
	 * @param maxHandlingTime How long handling a message may take.
	 * @param maxAttempts How often a message is delivered at most before it is kept among
	 * the dead messages.
	 * @param backoff How long to wait before a failed message is delivered again.
	 * @param errorHandler The QueueErrorHandler bean that is asked what is to be done
	 * when handling failed.
	 * @param batchSize How many messages a listener of batches is given at most.
	 * @param batchTimeout How long to wait for a batch to become full.
	 * @param autoStartup Whether containers start with the application.
	 * @param onConversionFailure What becomes of a message that cannot be read, converted
	 * or validated: it is dead at once, or delivered again after the backoff.
	 * @param resetAttemptsOnProgress Whether a message has as many attempts as at first
	 * when its handler has saved a checkpoint.
	 * @param idempotencyKey Template of the key for which a handler succeeds once, like
	 * #{payload.orderId}.
	 * @param idempotencyWindow How long messages with a key whose handler has succeeded
	 * are not handled again.
	 * @param cancellation How a running handler is told that its message was cancelled.
	 * @param deadLetterQueue The queue that dead messages are handed on to, instead of
	 * being kept where they died.
	 * @param deadLetters What becomes of dead messages that are kept.
	 * @param maxLength How many messages the queue may have, those that are scheduled or
	 * in flight included. Heeded by senders. By default any number.
	 * @param overflow What becomes of a message that is one too many: it is refused, or
	 * what has waited longest is dropped.
	 * @param rateLimit How many messages of the queue all instances claim together in a
	 * window, like 100/1s or 100/1s bursting. By default any number.
	 * @param maxInFlight How many messages of the queue all instances have in hand
	 * together. By default any number.
	 * @param keyRateLimit How many messages of one fairness key all instances claim
	 * together in a window, like 10/1s. By default any number.
	 * @param keyMaxInFlight How many messages of one fairness key all instances have in
	 * hand together. By default any number.
	 * @param sharedLimit The limit under redelay.queue.limits that the queue shares with
	 * others. By default none.
	 * @param partitions Over how many partitions the queue is spread, 1 to 64, so that
	 * the nodes of a Redis Cluster share its work. Heeded by senders, listeners and the
	 * administration: the same in all applications.
	 * @param priorityPerPartition Whether messages with a priority may be sent to a queue
	 * of several partitions, each of which heeds priorities by itself.
	 * @param orderingKey The ordering key of messages for which their sender gives none:
	 * a template like "#{payload.customerId}" or "#{headers['customer']}". Messages of
	 * one ordering key are handled one at a time, in the order in which they were sent.
	 * Heeded by senders, like the properties that follow.
	 * @param deadHoldsKey Whether those behind a dead message with the same ordering key
	 * wait until it is delivered again or deleted, false by default.
	 * @param fairnessKey The fairness key of messages for which their sender gives none:
	 * a template. The fairness keys that have messages waiting take turns.
	 * @param fairnessWeight How many messages of a fairness key are delivered each time
	 * it is its turn, 1 to 100, 1 by default: a number, or a template.
	 * @param priority The priority of messages for which their sender gives none, 0 to 9,
	 * 4 by default: a number, or a template. 9 goes first.
	 * @param priorityAgeing Lets no priority starve: how much earlier than it came a
	 * message is taken to have come for each level of its priority. By default the higher
	 * priority always goes first.
	 * @param deduplication What becomes of messages with the same key.
	 * @param completed What is kept of messages that are done. Heeded by listeners.
	 */
	public record Queue(@Nullable String concurrency, @Nullable Integer prefetch, @Nullable Duration leaseTime,
			@Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts, @DefaultValue Backoff backoff,
			@Nullable String errorHandler, @Nullable Integer batchSize, @Nullable Duration batchTimeout,
			@Nullable Boolean autoStartup, @Nullable ConversionFailureAction onConversionFailure,
			@Nullable String deadLetterQueue, @DefaultValue QueueDeadLetters deadLetters, @Nullable Long maxLength,
			@DefaultValue("refuse") Overflow overflow, @Nullable String rateLimit, @Nullable Integer maxInFlight,
			@Nullable String keyRateLimit, @Nullable Integer keyMaxInFlight, @Nullable String sharedLimit,
			@DefaultValue("1") int partitions, @DefaultValue("false") boolean priorityPerPartition,
			@Nullable String orderingKey, @Nullable Boolean deadHoldsKey, @Nullable String fairnessKey,
			@Nullable String fairnessWeight, @Nullable String priority, @Nullable Duration priorityAgeing,
			@DefaultValue QueueDeduplication deduplication, @Nullable Boolean resetAttemptsOnProgress,
			@Nullable String idempotencyKey, @Nullable Duration idempotencyWindow,
			@Nullable CancellationMode cancellation, @DefaultValue Completed completed) {

		/**
		 * Checks the values.
		 */
		public Queue {
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
			Assert.isTrue(priorityAgeing == null
					|| (priorityAgeing.toMillis() >= 1 && priorityAgeing.compareTo(OrderSettings.LONGEST_AGEING) <= 0),
					() -> "'redelay.queue.queues.<name>.priority-ageing' must be 1ms to "
							+ OrderSettings.LONGEST_AGEING.toDays() + "d: " + priorityAgeing
							+ ". Leave it out to let the higher priority always go first");
			Assert.isTrue(
					partitions == 1 || deduplication.key() == null || orderingKey == null
							|| orderingKey.equals(deduplication.key()),
					() -> "'redelay.queue.queues.<name>.deduplication.key' must be the same as 'ordering-key', which "
							+ "chooses one of the " + partitions
							+ " partitions, each of which knows its own keys only: '" + deduplication.key() + "' and '"
							+ orderingKey + "'. Leave out one of the two, or 'partitions'");
			Assert.isTrue(!Boolean.TRUE.equals(deadHoldsKey) || deadLetterQueue == null,
					() -> "'redelay.queue.queues.<name>.dead-holds-key' cannot hold what 'dead-letter-queue' hands on to '"
							+ deadLetterQueue + "'. Leave out one of the two");
		}

		ListenerValues toValues() {
			return new Listener(this.concurrency, this.prefetch, this.leaseTime, this.maxHandlingTime, this.maxAttempts,
					this.backoff, this.errorHandler, this.batchSize, this.batchTimeout, this.autoStartup,
					this.onConversionFailure, this.rateLimit, this.maxInFlight, this.keyRateLimit, this.keyMaxInFlight,
					this.sharedLimit, this.resetAttemptsOnProgress, this.idempotencyKey, this.idempotencyWindow,
					this.cancellation)
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
			return (text != null) ? templates.parse(place(queue, property), text) : null;
		}

		private static @Nullable NumberTemplate number(String queue, String property, @Nullable String text, int least,
				int most, MessageTemplates templates) {
			return (text != null) ? templates.parseNumber(place(queue, property), text, least, most) : null;
		}

		private static String place(String queue, String property) {
			return "'redelay.queue.queues." + queue + "." + property + "'";
		}

		DeadLetterDefaults.OfQueue toDeadLetters() {
			return new DeadLetterDefaults.OfQueue(this.deadLetters.maxCount(), this.deadLetters.maxAge(),
					bytes(this.deadLetters.maxBytes()), this.deadLetterQueue, Boolean.TRUE.equals(this.deadHoldsKey));
		}

	}

	/**
	 * What becomes of a message that is one too many.
	 */
	public enum Overflow {

		/**
		 * It is refused, and its sender gets a QueueFullException.
		 */
		REFUSE,

		/**
		 * What has waited longest is dropped, which the sender's log tells. It is refused
		 * if too many are in hand for that to make room.
		 */
		DROP_OLDEST

	}

	/**
	 * What holds for a topic.
	 *
	 * @param groupExpiry How long a group with a name lives without a consumer. After
	 * that it is removed with all that it has collected. By default for ever.
	 * @param instanceGroupExpiry How long the group of an instance, which a listener
	 * without a group has, lives after the instance was last heard of.
	 * @param retention How much of what is published is kept, so that a group can be
	 * given it once more. Kept in Redis, for all applications.
	 */
	public record Topic(@Nullable Duration groupExpiry, @DefaultValue("1m") Duration instanceGroupExpiry,
			@DefaultValue TopicRetentionProperties retention) {

		/**
		 * Checks the values.
		 */
		public Topic {
			atLeast("redelay.queue.topics.<name>.group-expiry", groupExpiry, Duration.ofSeconds(1));
			atLeast("redelay.queue.topics.<name>.instance-group-expiry", instanceGroupExpiry, Duration.ofSeconds(1));
		}

		TopicSettings toSettings() {
			return new TopicSettings((this.groupExpiry != null) ? this.groupExpiry : Duration.ZERO,
					this.instanceGroupExpiry, this.retention.toRetention());
		}

	}

	/**
	 * How much of what is published to a topic is kept. If one is set, the others do not
	 * limit it; if all that are set are 0, nothing is kept any more.
	 *
	 * @param maxAge For how long. 0 does not limit it.
	 * @param maxCount How many messages. 0 does not limit it.
	 * @param maxBytes How large they are together. 0 does not limit it.
	 */
	public record TopicRetentionProperties(@Nullable Duration maxAge, @Nullable Long maxCount,
			@Nullable DataSize maxBytes) {

		/**
		 * Checks the values.
		 */
		public TopicRetentionProperties {
			atLeast("redelay.queue.topics.<name>.retention.max-age", maxAge, Duration.ZERO);
			Assert.isTrue(maxCount == null || maxCount >= 0,
					() -> "'redelay.queue.topics.<name>.retention.max-count' must be 0 or more: " + maxCount);
			Assert.isTrue(maxBytes == null || !maxBytes.isNegative(),
					() -> "'redelay.queue.topics.<name>.retention.max-bytes' must be 0 or more: " + maxBytes);
		}

		@Nullable TopicRetention toRetention() {
			if (this.maxAge == null && this.maxCount == null && this.maxBytes == null) {
				return null;
			}
			return new TopicRetention((this.maxAge != null) ? this.maxAge : Duration.ZERO,
					(this.maxCount != null) ? this.maxCount : 0, (this.maxBytes != null) ? this.maxBytes.toBytes() : 0);
		}

	}

	/**
	 * A limit that several queues can share.
	 *
	 * @param rate How many messages of all these queues are claimed together in a window,
	 * like 100/1s or 100/1s bursting. By default any number.
	 * @param maxInFlight How many messages of all these queues are in hand together. By
	 * default any number.
	 */
	public record SharedLimit(@Nullable String rate, @Nullable Integer maxInFlight) {

		ClaimLimits.Shared toShared(String name) {
			String where = "redelay.queue.limits." + name;
			Assert.isTrue(name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,127}"),
					() -> "'" + where + "' must have a name of letters, digits, '.', '_' and '-'");
			Assert.isTrue(this.rate != null || this.maxInFlight != null,
					() -> "'" + where + "' must have a rate or a max-in-flight");
			Assert.isTrue(this.maxInFlight == null || this.maxInFlight >= 1,
					() -> "'" + where + ".max-in-flight' must be at least 1: " + this.maxInFlight);
			try {
				return new ClaimLimits.Shared(name, (this.rate != null) ? RateLimit.parse(this.rate) : null,
						this.maxInFlight);
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException(
						"'" + where + "' cannot work: " + ex.getMessage() + ". Write " + RateLimit.FORM, ex);
			}
		}

	}

	/**
	 * How long to wait before a failed message is delivered again.
	 *
	 * @param initialInterval The wait after the first failure, 1s by default.
	 * @param multiplier How much longer each further wait is, 2 by default. With 1 all
	 * waits are equal.
	 * @param maxInterval The longest wait, 5m by default.
	 * @param jitter By which part a wait is varied at random, from 0 to 1, 0.2 by
	 * default.
	 * @param bean The BackOff bean that says how long to wait, instead of the others.
	 */
	public record Backoff(@Nullable Duration initialInterval, @Nullable Double multiplier,
			@Nullable Duration maxInterval, @Nullable Double jitter, @Nullable String bean) {

	}

}
