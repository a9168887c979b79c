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
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.handle.RetentionSettings;
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
final class QueueSettings {

	private final RedelayQueueProperties common;

	private final NamedQueueProperties named;

	private final QueueSendProperties send;

	private final ListenerValues listeners;

	private final QueueInletProperties inlets;

	QueueSettings(RedelayQueueProperties common, NamedQueueProperties named, QueueSendProperties send,
			QueueInletProperties inlets, ListenerValues listeners) {
		this.common = common;
		this.named = named;
		this.send = send;
		this.listeners = listeners;
		this.inlets = inlets;
	}

	ListenerDefaults toListenerDefaults() {
		Map<String, ListenerValues> byQueue = new LinkedHashMap<>();
		Map<String, DeadLetterDefaults.OfQueue> deadByQueue = new LinkedHashMap<>();
		Set<String> aggregating = new LinkedHashSet<>();
		Map<String, RetentionSettings> retentions = new LinkedHashMap<>();
		Map<String, Integer> weights = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			byQueue.put(name, queue.listener().toValues());
			deadByQueue.put(name, queue.toDeadLetters(name, this.named.deadLetters().redrive()));
			RetentionSettings retention = queue.completed().toRetention();
			if (retention != null) {
				retentions.put(name, retention);
			}
			if (queue.listener().weight() != null) {
				weights.put(name, queue.listener().weight());
			}
			if (queue.deduplication().isAggregate()) {
				aggregating.add(name);
			}
		});
		return new ListenerDefaults(this.listeners, byQueue, this.named.deadLetters().toDefaults(deadByQueue),
				toSharedLimits(), aggregating, retentions, toGroupFilters(), weights);
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
		Map<String, Duration> ageings = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			if (queue.keys().priorityAgeing() != null) {
				ageings.put(name, queue.keys().priorityAgeing());
			}
		});
		return new EditRules(this.send.maxMessageSize().toBytes(), Map.copyOf(ageings), partitions);
	}

	SendSettings toSendSettings(MessageTemplates templates) {
		Map<String, OrderSettings> orders = new LinkedHashMap<>();
		Map<String, DeduplicationSettings> deduplications = new LinkedHashMap<>();
		Map<String, Duration> delays = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			if (queue.storage().delay() != null) {
				delays.put(name, queue.storage().delay());
			}
			if (queue.keys().areSet()) {
				orders.put(name, queue.keys().toOrder(name, templates));
			}
			DeduplicationSettings deduplication = queue.deduplication().toSettings(name, templates);
			if (deduplication != null) {
				deduplications.put(name, deduplication);
			}
		});
		return new SendSettings(this.send.maxMessageSize().toBytes(), this.send.maxWaiting(),
				this.send.maxWaitingBytes(), this.send.afterCommit(), toLengthLimits(), orders, deduplications, delays,
				this.send.defaultQueue());
	}

	Map<String, LengthLimit> toLengthLimits() {
		Map<String, LengthLimit> lengths = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			if (queue.storage().maxLength() != null || queue.keys().orderingKeyMaxLength() != null) {
				lengths.put(name,
						new LengthLimit(
								(queue.storage().maxLength() != null) ? queue.storage().maxLength() : LengthLimit.ANY,
								queue.storage().overflow() == SingleQueueProperties.Overflow.DROP_OLDEST,
								queue.keys().orderingKeyMaxLength()));
			}
		});
		return lengths;
	}

	InletSettings toInlets() {
		Map<String, DeadLetterSettings> inlets = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			if (queue.inlet().enabled()) {
				inlets.put(name, queue.toDeadLetterBounds(this.named.deadLetters()));
			}
		});
		return new InletSettings(inlets, toLengthLimits(), this.send.maxMessageSize().toBytes(),
				this.inlets.pollInterval());
	}

	ForgetSettings toForgetting() {
		Map<String, Duration> byQueue = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			Duration own = queue.storage().forgetAfter();
			if (own != null) {
				Assert.isTrue(!GroupName.isGroup(name),
						() -> "'redelay.queue.queues[" + name
								+ "].forget-after' must not be set, for a group of a topic"
								+ " lives as long as 'redelay.queue.topics." + GroupName.topicOf(name)
								+ ".group-expiry' says: " + own);
				byQueue.put(name, own);
			}
		});
		return new ForgetSettings(this.common.forgetAfter(), byQueue);
	}

	Map<String, TopicSettings> toTopics() {
		Map<String, TopicSettings> settings = new LinkedHashMap<>();
		this.named.topics().forEach((name, topic) -> settings.put(GroupName.checkTopic(name), topic.toSettings()));
		return settings;
	}

	Map<String, QueuePartitions.Settings> toPartitions() {
		Map<String, QueuePartitions.Settings> partitions = new LinkedHashMap<>();
		this.named.queues().forEach((name, queue) -> {
			Assert.isTrue(queue.storage().partitions() == 1 || !GroupName.isGroup(name),
					() -> "'redelay.queue.queues[" + name + "].partitions' must be 1, for all groups of a topic are in"
							+ " one place: " + queue.storage().partitions());
			if (queue.storage().partitions() > 1) {
				partitions.put(name, new QueuePartitions.Settings(queue.storage().partitions(),
						queue.storage().priorityPerPartition()));
			}
		});
		return partitions;
	}

}
