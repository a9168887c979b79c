package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.inlet.InletSettings;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.listener.RetentionSettings;
import io.redelay.queue.listener.deadletter.DeadLetterSettings;
import io.redelay.queue.partition.PartitionSettings;
import io.redelay.queue.partition.QueuePartitions;
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
 * @param keyPrefix Prefix of all keys in Redis. Applications that share queues share it.
 * @param resendTimeout How long a request to Redis is sent again while no answer comes,
 * 5m at most.
 * @param safetyPollInterval How often an idle listener looks for messages without a
 * wake-up. Less often if an application has more than 80 queues.
 * @param inletPollInterval How often an instance looks into the inlets of its queues.
 * @param shutdownTimeout How long to wait for running handlers when the application
 * stops. By default nine tenths of spring.lifecycle.timeout-per-shutdown-phase.
 * @param instanceName Display name of this instance, which is kept with failed attempts.
 * By default the name of its host and the number of its process.
 * @param defaultQueue The queue of messages that are sent without naming one. By default
 * there is none, and such a send is refused.
 * @param forgetAfter For how long a queue must have had no messages, listeners, settings
 * and history before its name is forgotten. By default it never is.
 * @param send Properties of sending.
 * @param listener Properties of all listeners, where their annotations set none.
 * @param queues Properties of single queues, by name, which override the annotations of
 * their listeners.
 * @param topics Properties of single topics, by name.
 * @param limits Limits that several queues can share, by name.
 * @param recurring Messages that are sent again and again, by name.
 * @param recurrence Properties of all recurring messages.
 * @param deadLetters Properties of dead messages.
 * @param replay Requests that are remembered in case Redis goes back in time.
 * @param work Data that handlers keep beside their messages: checkpoints, progress and
 * lines.
 * @param stats Counts for the history of queues.
 * @param mdc Properties of the MDC.
 * @param log How payloads are logged.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
public record RedelayQueueProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("30s") Duration resendTimeout, @DefaultValue("5s") Duration safetyPollInterval,
		@DefaultValue("1s") Duration inletPollInterval, @Nullable Duration shutdownTimeout,
		@Nullable String instanceName, @Nullable String defaultQueue, @Nullable Duration forgetAfter,
		@NestedConfigurationProperty @DefaultValue QueueSendProperties send,
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
		PropertyBounds.atLeast("redelay.queue.inlet-poll-interval", inletPollInterval, Duration.ofMillis(10));
		PropertyBounds.atLeast("redelay.queue.shutdown-timeout", shutdownTimeout, Duration.ZERO);
		Assert.isTrue(forgetAfter == null || ForgetSettings.isPossible(forgetAfter),
				() -> "'redelay.queue.forget-after' must be 0, for never, or " + ForgetSettings.SHORTEST.toSeconds()
						+ "s to " + DueTime.LONGEST_DELAY.toDays() + "d: " + forgetAfter);
		queues.keySet().forEach(RedelayQueueProperties::checkQueue);
		queues.forEach((name, queue) -> Assert.isTrue(queue.delay() == null || !GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].delay' must not be set, for all groups of a topic get a"
						+ " message at the time that its publisher names: " + queue.delay()));
		queues.forEach((name, queue) -> Assert.isTrue(!queue.inlet().enabled() || !GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].inlet.enabled' must not be set, for a group of a topic gets"
						+ " what is published. Use the inlet of a queue"));
		deadLetters.redrive().toRule("redelay.queue.dead-letters.redrive");
		queues.forEach((name, queue) -> queue.toDeadLetters(name, deadLetters.redrive()));
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
		Map<String, Integer> weights = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			byQueue.put(name, queue.toValues());
			deadByQueue.put(name, queue.toDeadLetters(name, this.deadLetters.redrive()));
			RetentionSettings retention = queue.completed().toRetention();
			if (retention != null) {
				retentions.put(name, retention);
			}
			if (queue.weight() != null) {
				weights.put(name, queue.weight());
			}
			if (queue.deduplication().isAggregate()) {
				aggregating.add(name);
			}
		});
		return new ListenerDefaults(this.listener.toValues(), byQueue, this.deadLetters.toDefaults(deadByQueue),
				toSharedLimits(), aggregating, retentions, toGroupFilters(), weights);
	}

	private Map<String, GroupFilter> toGroupFilters() {
		Map<String, GroupFilter> filters = new LinkedHashMap<>();
		this.topics.forEach((topic, each) -> each.groups().forEach((group, properties) -> {
			GroupFilter filter = properties.toFilter(topic, GroupName.checkGroup(group));
			if (!filter.isEmpty()) {
				filters.put(GroupName.of(topic, group), filter);
			}
		}));
		return filters;
	}

	private Map<String, ClaimLimits.Shared> toSharedLimits() {
		Map<String, ClaimLimits.Shared> shared = new LinkedHashMap<>();
		this.limits.forEach((name, limit) -> shared.put(name, limit.toShared(name)));
		return shared;
	}

	/**
	 * How much earlier a priority has messages of a queue delivered, or {@code null}
	 * where priorities do not age.
	 */
	@Nullable Duration priorityAgeing(String queue) {
		SingleQueueProperties ofQueue = this.queues.get(queue);
		return (ofQueue != null) ? ofQueue.priorityAgeing() : null;
	}

	EditRules toEditRules(QueuePartitions partitions) {
		Map<String, Duration> ageings = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.priorityAgeing() != null) {
				ageings.put(name, queue.priorityAgeing());
			}
		});
		return new EditRules(this.send.maxMessageSize().toBytes(), Map.copyOf(ageings), partitions);
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
			if (queue.maxLength() != null || queue.orderingKeyMaxLength() != null) {
				lengths.put(name, new LengthLimit((queue.maxLength() != null) ? queue.maxLength() : LengthLimit.ANY,
						queue.overflow() == SingleQueueProperties.Overflow.DROP_OLDEST, queue.orderingKeyMaxLength()));
			}
		});
		return lengths;
	}

	InletSettings toInlets() {
		Map<String, DeadLetterSettings> inlets = new LinkedHashMap<>();
		this.queues.forEach((name, queue) -> {
			if (queue.inlet().enabled()) {
				inlets.put(name, queue.toDeadLetterBounds(this.deadLetters));
			}
		});
		return new InletSettings(inlets, toLengthLimits(), this.send.maxMessageSize().toBytes(),
				this.inletPollInterval);
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
