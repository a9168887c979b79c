package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.inlet.InletSettings;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.send.DeduplicationSettings;
import io.redelay.queue.send.OrderSettings;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.topic.TopicSettings;
import io.redelay.template.MessageTemplates;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What the properties of queues say, as settings of the library.
 */
record QueueSettings(RedelayQueueProperties common, NamedQueueProperties named, QueueSendProperties send,
		QueueInletProperties inlets, ListenerValues listeners) {

	ListenerDefaults toListenerDefaults() {
		Map<String, DeadLetterDefaults.OfQueue> dead = byQueue(
				(name, queue) -> queue.toDeadLetters(name, this.named.deadLetters().redrive()));
		Map<String, Boolean> aggregating = byQueue(
				(name, queue) -> queue.deduplication().isAggregate() ? Boolean.TRUE : null);
		return new ListenerDefaults(this.listeners, byQueue((name, queue) -> queue.listener().toValues()),
				this.named.deadLetters().toDefaults(dead), toSharedLimits(), aggregating.keySet(),
				byQueue((name, queue) -> queue.completed().toRetention()), toGroupFilters(),
				byQueue((name, queue) -> queue.listener().weight()));
	}

	/**
	 * Returns a value of each queue that has it.
	 */
	private <T> Map<String, T> byQueue(BiFunction<String, SingleQueueProperties, @Nullable T> value) {
		Map<String, T> values = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			T ofQueue = value.apply(name, queue);
			if (ofQueue != null) {
				values.put(name, ofQueue);
			}
		});
		return values;
	}

	private Map<String, GroupFilter> toGroupFilters() {
		Map<String, GroupFilter> filters = new LinkedHashMap<>();
		this.named.topics().forEach((topic, each) -> each.groups().forEach((group, properties) -> {
			GroupFilter filter = properties.toFilter(topic, GroupName.checkGroup(group));
			if (!filter.isEmpty()) {
				filters.put(GroupName.of(topic, group), filter);
			}
		}));
		return filters;
	}

	private Map<String, ClaimLimits.Shared> toSharedLimits() {
		Map<String, ClaimLimits.Shared> shared = new LinkedHashMap<>();
		this.named.limits().forEach((name, limit) -> shared.put(name, limit.toShared(name)));
		return shared;
	}

	/**
	 * How much earlier a priority has messages of a queue delivered, or {@code null}
	 * where priorities do not age.
	 */
	@Nullable Duration priorityAgeing(String queue) {
		SingleQueueProperties ofQueue = this.named.queues().get(queue);
		return (ofQueue != null) ? ofQueue.keys().priorityAgeing() : null;
	}

	EditRules toEditRules(QueuePartitions partitions) {
		return new EditRules(this.send.maxMessageSize().toBytes(),
				Map.copyOf(byQueue((name, queue) -> queue.keys().priorityAgeing())), partitions);
	}

	SendSettings toSendSettings(MessageTemplates templates) {
		Map<String, OrderSettings> orders = byQueue(
				(name, queue) -> queue.keys().areSet() ? queue.keys().toOrder(name, templates) : null);
		Map<String, DeduplicationSettings> deduplications = byQueue(
				(name, queue) -> queue.deduplication().toSettings(name, templates));
		return new SendSettings(this.send.maxMessageSize().toBytes(),
				new SendSettings.MaxWaiting(this.send.maxWaiting(), this.send.maxWaitingBytes()),
				this.send.afterCommit(), toLengthLimits(), orders, deduplications,
				byQueue((name, queue) -> queue.storage().delay()), this.send.defaultQueue());
	}

	Map<String, LengthLimit> toLengthLimits() {
		return byQueue((name, queue) -> queue.toLengthLimit());
	}

	InletSettings toInlets() {
		Map<String, DeadLetterSettings> inlets = byQueue(
				(name, queue) -> queue.inlet().enabled() ? queue.toDeadLetterBounds(this.named.deadLetters()) : null);
		return new InletSettings(inlets, toLengthLimits(), this.send.maxMessageSize().toBytes(),
				this.inlets.pollInterval());
	}

	ForgetSettings toForgetting() {
		Map<String, Duration> byQueue = byQueue((name, queue) -> queue.storage().forgetAfter());
		byQueue.forEach((name, own) -> Assert.isTrue(!GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].forget-after' must not be set, for a group of a topic"
						+ " lives as long as 'redelay.queue.topics." + GroupName.topicOf(name) + ".group-expiry' says: "
						+ own));
		return new ForgetSettings(this.common.forgetAfter(), byQueue);
	}

	FarSettings toFar() {
		return new FarSettings(this.common.farHorizon(),
				byQueue((name, queue) -> queue.storage().dropsOldest() ? Duration.ZERO : queue.storage().farHorizon()));
	}

	Map<String, TopicSettings> toTopics() {
		Map<String, TopicSettings> settings = new LinkedHashMap<>();
		this.named.topics().forEach((name, topic) -> settings.put(GroupName.checkTopic(name), topic.toSettings()));
		return settings;
	}

	Map<String, QueuePartitions.Settings> toPartitions() {
		return byQueue((name, queue) -> {
			SingleQueueProperties.Storage storage = queue.storage();
			Assert.isTrue(storage.partitions() == 1 || !GroupName.isGroup(name),
					() -> "'redelay.queue.queues[" + name + "].partitions' must be 1, for all groups of a topic are in"
							+ " one place: " + storage.partitions());
			return (storage.partitions() > 1)
					? new QueuePartitions.Settings(storage.partitions(), storage.priorityPerPartition()) : null;
		});
	}

}
