package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.handle.RetentionSettings;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.send.OrderSettings;
import io.redelay.template.MessageTemplate;
import io.redelay.template.MessageTemplates;
import io.redelay.template.NumberTemplate;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Properties of one queue: those of its listeners, and more. A group without a name has
 * its properties among those of the queue.
 *
 * @param listener Properties of its listeners.
 * @param keys What senders give messages, and how messages with the same key are treated.
 * @param storage How the queue is kept.
 * @param deadLetterQueue The queue that dead messages are moved to, instead of being kept
 * where they died.
 * @param deadLetters Properties of dead messages that are kept.
 * @param deduplication How messages with the same key are treated.
 * @param completed The completed messages that are kept. Applied by listeners.
 * @param inlet A list in Redis from which this instance takes over messages that programs
 * without Redelay push into it.
 * @since 0.1.0
 */
public record SingleQueueProperties(@Name("") @DefaultValue Listener listener, @Name("") @DefaultValue Keys keys,
		@Name("") @DefaultValue Storage storage, @Nullable String deadLetterQueue,
		@DefaultValue DeadLetters deadLetters,
		@NestedConfigurationProperty @DefaultValue QueueDeduplication deduplication, @DefaultValue Completed completed,
		@DefaultValue Inlet inlet) {

	/**
	 * Checks the values.
	 */
	public SingleQueueProperties {
		int partitions = storage.partitions();
		Assert.isTrue(
				partitions == 1 || keys.priority() == null || keys.priorityAgeing() != null
						|| storage.priorityPerPartition(),
				() -> "'redelay.queue.queues.<name>.priority' cannot be heeded over " + partitions
						+ " partitions: a less urgent message of another partition may go before. If priorities"
						+ " within each partition will do, set 'priority-per-partition' to true; or set"
						+ " 'priority-ageing'");
		Assert.isTrue(
				partitions == 1 || deduplication.key() == null || keys.orderingKey() == null
						|| keys.orderingKey().equals(deduplication.key()),
				() -> "'redelay.queue.queues.<name>.deduplication.key' must be the same as 'ordering-key', which "
						+ "chooses one of the " + partitions + " partitions, each of which knows its own keys only: '"
						+ deduplication.key() + "' and '" + keys.orderingKey()
						+ "'. Leave out one of the two, or 'partitions'");
		Assert.isTrue(!Boolean.TRUE.equals(keys.deadHoldsKey()) || deadLetterQueue == null,
				() -> "'redelay.queue.queues.<name>.dead-holds-key' cannot hold what 'dead-letter-queue' forwards to '"
						+ deadLetterQueue + "'. Leave out one of the two");
		Assert.isTrue(partitions == 1 || !inlet.enabled(),
				() -> "'redelay.queue.queues.<name>.inlet.enabled' must not be set for a queue of " + partitions
						+ " partitions, for no script reaches them all. Leave out 'partitions', or use the inlet of"
						+ " another queue");
	}

	DeadLetterSettings toDeadLetterBounds(QueueDeadLettersProperties all) {
		DataSize maxBytes = (this.deadLetters.maxBytes() != null) ? this.deadLetters.maxBytes() : all.maxBytes();
		return new DeadLetterSettings(
				(this.deadLetters.maxCount() != null) ? this.deadLetters.maxCount() : all.maxCount(),
				(this.deadLetters.maxAge() != null) ? this.deadLetters.maxAge() : all.maxAge(),
				(maxBytes != null) ? maxBytes.toBytes() : DeadLetterSettings.ANY_SIZE, null, null, null);
	}

	@Nullable LengthLimit toLengthLimit() {
		Long maxLength = this.storage.maxLength();
		Integer ofKeys = this.keys.orderingKeyMaxLength();
		return (maxLength == null && ofKeys == null) ? null : new LengthLimit(
				(maxLength != null) ? maxLength : LengthLimit.ANY, this.storage.dropsOldest(), ofKeys);
	}

	DeadLetterDefaults.OfQueue toDeadLetters(String name, QueueRedriveProperties ofAll) {
		DataSize maxBytes = this.deadLetters.maxBytes();
		return new DeadLetterDefaults.OfQueue(this.deadLetters.maxCount(), this.deadLetters.maxAge(),
				(maxBytes != null) ? maxBytes.toBytes() : null, this.deadLetterQueue,
				Boolean.TRUE.equals(this.keys.deadHoldsKey()), this.deadLetters.redrive().toRedrive(name, ofAll));
	}

	/**
	 * Properties of the listeners of one queue.
	 *
	 * @param container Properties of its containers.
	 * @param handling Properties of the handling of a message.
	 * @param limits Limits of what all instances do together.
	 * @param idempotency That handlers succeed once for each key.
	 * @param weight How many messages of the queue a listener of several queues handles
	 * at each turn of the queue, 1 to 100, 1 by default.
	 */
	public record Listener(@Name("") @NestedConfigurationProperty @DefaultValue QueueListenerProperties container,
			@Name("") @NestedConfigurationProperty @DefaultValue QueueListenerProperties.Handling handling,
			@Name("") @NestedConfigurationProperty @DefaultValue QueueListenerProperties.Limits limits,
			@Name("") @NestedConfigurationProperty @DefaultValue QueueListenerProperties.Idempotency idempotency,
			@Nullable Integer weight) {

		/**
		 * Checks the values.
		 */
		public Listener {
			Assert.isTrue(weight == null || (weight >= 1 && weight <= QueueOrder.LARGEST_WEIGHT),
					() -> "'redelay.queue.queues.<name>.weight' must be 1 to " + QueueOrder.LARGEST_WEIGHT + ": "
							+ weight);
		}

		ListenerValues toValues() {
			return QueueListenerProperties.toValues(this.container, this.handling, this.limits, this.idempotency);
		}

	}

	/**
	 * What senders give messages of one queue.
	 *
	 * @param orderingKey The ordering key of messages whose sender sets none: a template
	 * like "#{payload.customerId}" or "#{headers['customer']}". Messages of one ordering
	 * key are handled one at a time, in the order in which they were sent. Applied by
	 * senders, like the properties that follow.
	 * @param orderingKeyMaxLength The longest line of one ordering key: the message whose
	 * turn it is, and those that wait behind it. One more message is refused.
	 * QueueAdmin.limits().change takes precedence. By default any number.
	 * @param deadHoldsKey Whether messages behind a dead one with the same ordering key
	 * wait until it is delivered again or deleted, false by default.
	 * @param fairnessKey The fairness key of messages whose sender sets none: a template.
	 * The fairness keys with waiting messages take turns.
	 * @param fairnessWeight How many messages of a fairness key are delivered at each of
	 * its turns, 1 to 100, 1 by default: a number, or a template.
	 * @param priority The priority of messages whose sender sets none, 0 to 9, 4 by
	 * default: a number, or a template. 9 comes first.
	 * @param priorityAgeing Keeps low priorities from starving: how much earlier a
	 * message counts as due for each level of its priority. By default the higher
	 * priority always comes first.
	 */
	public record Keys(@Nullable String orderingKey, @Nullable Integer orderingKeyMaxLength,
			@Nullable Boolean deadHoldsKey, @Nullable String fairnessKey, @Nullable String fairnessWeight,
			@Nullable String priority, @Nullable Duration priorityAgeing) {

		private static final int LONGEST_LINE = 1_000_000;

		/**
		 * Checks the values.
		 */
		public Keys {
			Assert.isTrue(
					orderingKeyMaxLength == null || (orderingKeyMaxLength >= 1 && orderingKeyMaxLength <= LONGEST_LINE),
					() -> "'redelay.queue.queues.<name>.ordering-key-max-length' must be 1 to " + LONGEST_LINE + ": "
							+ orderingKeyMaxLength);
			Assert.isTrue(priorityAgeing == null
					|| (priorityAgeing.toMillis() >= 1 && priorityAgeing.compareTo(OrderSettings.LONGEST_AGEING) <= 0),
					() -> "'redelay.queue.queues.<name>.priority-ageing' must be 1ms to "
							+ OrderSettings.LONGEST_AGEING.toDays() + "d: " + priorityAgeing
							+ ". Leave it out to let the higher priority always go first");
		}

		boolean areSet() {
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

	}

	/**
	 * How one queue is kept.
	 *
	 * @param maxLength The largest number of messages in the queue, including scheduled
	 * ones and those in flight. Applied by senders. By default any number.
	 * @param overflow What happens to one message too many: it is refused, or the longest
	 * waiting message is dropped.
	 * @param partitions The number of partitions over which the queue is spread, 1 to 64,
	 * so that the nodes of a Redis Cluster share its work. Applied by senders, listeners
	 * and the administration: use the same number in all applications.
	 * @param priorityPerPartition Whether messages with a priority may be sent to a queue
	 * of several partitions, each of which applies priorities by itself.
	 * @param delay The delay of messages that are sent without a delay or time. Applied
	 * by senders. By default they are due at once.
	 * @param forgetAfter For how long the queue must have had no messages, listeners,
	 * settings and history before its name is forgotten; 0 for never. By default that of
	 * redelay.queue.forget-after.
	 * @param farHorizon How far away the due time of scheduled messages must be for them
	 * to be packed in Redis, where they take less memory; 0 to pack none, and to unpack
	 * what is packed. By default that of redelay.queue.far-horizon. None are packed where
	 * the longest waiting message is dropped, as packed ones cannot be.
	 */
	public record Storage(@Nullable Long maxLength, @DefaultValue("refuse") Overflow overflow,
			@DefaultValue("1") int partitions, @DefaultValue("false") boolean priorityPerPartition,
			@Nullable Duration delay, @Nullable Duration forgetAfter, @Nullable Duration farHorizon) {

		/**
		 * Checks the values.
		 */
		public Storage {
			Assert.isTrue(partitions >= 1 && partitions <= PartitionName.MOST,
					() -> "'redelay.queue.queues.<name>.partitions' must be 1 to " + PartitionName.MOST + ": "
							+ partitions);
			Assert.isTrue(maxLength == null || maxLength < 1 || maxLength >= partitions,
					() -> "'redelay.queue.queues.<name>.max-length' must be at least as large as 'partitions', which"
							+ " share it equally: " + maxLength + " for " + partitions + " partitions");
			Assert.isTrue(maxLength == null || maxLength >= 1,
					() -> "'redelay.queue.queues.<name>.max-length' must be at least 1: " + maxLength);
			Assert.isTrue(delay == null || DueTime.isPossible(delay),
					() -> "'redelay.queue.queues.<name>.delay' must be 0 to " + DueTime.LONGEST_DELAY.toDays() + "d: "
							+ delay);
			Assert.isTrue(forgetAfter == null || ForgetSettings.isPossible(forgetAfter),
					() -> "'redelay.queue.queues.<name>.forget-after' must be 0, for never, or "
							+ ForgetSettings.SHORTEST.toSeconds() + "s to " + DueTime.LONGEST_DELAY.toDays() + "d: "
							+ forgetAfter);
			Assert.isTrue(farHorizon == null || FarSettings.isPossible(farHorizon),
					() -> "'redelay.queue.queues.<name>.far-horizon' must be 0, for none, or at least "
							+ FarSettings.SHORTEST.toSeconds() + "s: " + farHorizon);
			Assert.isTrue(
					farHorizon == null || farHorizon.isZero() || maxLength == null || overflow != Overflow.DROP_OLDEST,
					() -> "'redelay.queue.queues.<name>.far-horizon' must be 0 where 'overflow' is 'drop-oldest', for"
							+ " packed messages cannot be dropped: " + farHorizon);
		}

		/**
		 * Whether the longest waiting message is dropped for one too many.
		 */
		boolean dropsOldest() {
			return this.maxLength != null && this.overflow == Overflow.DROP_OLDEST;
		}

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
