package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.listener.RetentionSettings;
import io.redelay.queue.partition.PartitionSettings;
import io.redelay.queue.send.DeduplicationSettings;
import io.redelay.queue.send.OrderSettings;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.store.ClaimLimits;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.topic.TopicSettings;
import io.redelay.template.MessageTemplates;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

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
 * @param defaultQueue The queue of messages that are sent without naming one. By default
 * there is none, and such a send is refused.
 * @param forgetAfter For how long a queue must have had no messages, listeners, settings
 * and history before its name is forgotten. By default it never is.
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
 * @param stats What is counted for the history of queues.
 * @param mdc What the MDC is told.
 * @param log What logs show of payloads.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
public record RedelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("30s") Duration resendTimeout, @DefaultValue("5s") Duration safetyPollInterval,
		@Nullable Duration shutdownTimeout, @Nullable String instanceName, @Nullable String defaultQueue,
		@Nullable Duration forgetAfter, @NestedConfigurationProperty @DefaultValue QueueSendProperties send,
		@NestedConfigurationProperty @DefaultValue QueueListenerProperties listener,
		@DefaultValue Map<String, SingleQueueProperties> queues, @DefaultValue Map<String, TopicProperties> topics,
		@DefaultValue Map<String, SharedLimitProperties> limits,
		@DefaultValue Map<String, RecurringMessageProperties> recurring,
		@NestedConfigurationProperty @DefaultValue QueueRecurrenceProperties recurrence,
		@NestedConfigurationProperty @DefaultValue QueueDeadLettersProperties deadLetters,
		@NestedConfigurationProperty @DefaultValue QueueReplayProperties replay,
		@NestedConfigurationProperty @DefaultValue QueueWorkProperties work,
		@NestedConfigurationProperty @DefaultValue QueueStatsProperties stats,
		@NestedConfigurationProperty @DefaultValue QueueMdcProperties mdc,
		@NestedConfigurationProperty @DefaultValue QueueLogProperties log) {

	/**
	 * Checks the values.
	 */
	public RedelayQueueProperties {
		Assert.isTrue(keyPrefix.matches("[A-Za-z0-9][A-Za-z0-9._:-]*"),
				() -> "'redelay.queue.key-prefix' must be of letters, digits, '.', '_', ':' and '-': '" + keyPrefix
						+ "'");
		PropertyBounds.atLeast("redelay.queue.resend-timeout", resendTimeout, Duration.ZERO);
		Assert.isTrue(resendTimeout.compareTo(SenderMemory.LONGEST_RESEND) <= 0,
				() -> "'redelay.queue.resend-timeout' must be at most " + SenderMemory.LONGEST_RESEND.toMinutes()
						+ "m, for later Redis may not recognise a request that comes again: " + resendTimeout);
		PropertyBounds.atLeast("redelay.queue.safety-poll-interval", safetyPollInterval, Duration.ofMillis(100));
		PropertyBounds.atLeast("redelay.queue.shutdown-timeout", shutdownTimeout, Duration.ZERO);
		Assert.isTrue(forgetAfter == null || ForgetSettings.isPossible(forgetAfter),
				() -> "'redelay.queue.forget-after' must be 0, for never, or " + ForgetSettings.SHORTEST.toSeconds()
						+ "s to " + DueTime.LONGEST_DELAY.toDays() + "d: " + forgetAfter);
		queues.keySet().forEach(RedelayQueueProperties::checkQueue);
		queues.forEach((name, queue) -> Assert.isTrue(queue.delay() == null || !GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].delay' must not be set, for all groups of a topic get a"
						+ " message at the time that its publisher names: " + queue.delay()));
		Assert.isTrue(defaultQueue == null || QueueName.isValid(defaultQueue),
				() -> "'redelay.queue.default-queue' must begin with a letter or a digit, and be up to 128 letters,"
						+ " digits, '.', '_' and '-': '" + defaultQueue + "'");
	}

	private static void checkQueue(String name) {
		try {
			GroupName.checkQueue(name);
		}
		catch (IllegalArgumentException ex) {
			// Spring Boot shows the innermost cause, so this one has none.
			throw new IllegalArgumentException("'redelay.queue.queues' names '" + name
					+ "', which cannot be a queue or a group: begin with a letter or a digit, and use up to 128 letters,"
					+ " digits, '.', '_' and '-', or name a group like 'orders@billing'");
		}
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
		return new ListenerDefaults(this.listener.toValues(), byQueue, this.deadLetters.toDefaults(deadByQueue),
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
		Map<String, Duration> delays = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.delay() != null) {
				delays.put(name, queue.delay());
			}
			if (queue.hasOrder()) {
				orders.put(name, queue.toOrder(name, templates));
			}
			DeduplicationSettings deduplication = queue.deduplication().toSettings(name, templates);
			if (deduplication != null) {
				deduplications.put(name, deduplication);
			}
		});
		return new SendSettings(this.send.maxMessageSize().toBytes(), this.send.maxWaiting(),
				this.send.maxWaitingBytes(), this.send.afterCommit(), toLengthLimits(), orders, deduplications, delays,
				this.defaultQueue);
	}

	Map<String, LengthLimit> toLengthLimits() {
		Map<String, LengthLimit> lengths = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.maxLength() != null) {
				lengths.put(name, new LengthLimit(queue.maxLength(),
						queue.overflow() == SingleQueueProperties.Overflow.DROP_OLDEST));
			}
		});
		return lengths;
	}

	ForgetSettings toForgetting() {
		Map<String, Duration> byQueue = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			Duration own = queue.forgetAfter();
			if (own != null) {
				Assert.isTrue(!GroupName.isGroup(name),
						() -> "'redelay.queue.queues[" + name
								+ "].forget-after' must not be set, for a group of a topic"
								+ " lives as long as 'redelay.queue.topics." + GroupName.topicOf(name)
								+ ".group-expiry' says: " + own);
				byQueue.put(name, own);
			}
		});
		return new ForgetSettings(this.forgetAfter, byQueue);
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

}
