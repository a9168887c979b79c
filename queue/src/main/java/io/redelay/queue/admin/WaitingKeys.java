package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What holds messages of a queue back one by one: keys of which messages wait, and
 * limits.
 *
 * @param queue the queue
 * @param time when that was seen, by the clock of Redis
 * @param complete whether all keys were looked at; at most some 500 of each kind are in
 * each partition
 * @param ordering at most 100 ordering keys, that for which most messages wait first
 * @param fairness at most 100 fairness keys, that of which most messages wait first
 * @param limits the limits that hold: those that are set for all instances, or else those
 * that its listeners have, as the running instances announce
 * @since 0.1.0
 */
public record WaitingKeys(String queue, Instant time, boolean complete, List<OrderingKey> ordering,
		List<FairnessKey> fairness, List<Limit> limits) {

	/**
	 * Copies the lists.
	 */
	public WaitingKeys {
		ordering = List.copyOf(ordering);
		fairness = List.copyOf(fairness);
		limits = List.copyOf(limits);
	}

	/**
	 * An ordering key of which messages wait for an earlier one.
	 *
	 * @param key the key
	 * @param waiting how many wait
	 * @param uid the message whose turn it is: it is in hand, ready, waits for a retry,
	 * or is dead and keeps the others waiting
	 * @param instance the instance that has it in hand, by its name in the store, or
	 * {@code null} if none has
	 * @param instanceName what people call that instance, if it tells of itself
	 */
	public record OrderingKey(String key, long waiting, @Nullable String uid, @Nullable String instance,
			@Nullable String instanceName) {

	}

	/**
	 * A fairness key of which messages are ready.
	 *
	 * @param key the key
	 * @param waiting how many are ready
	 * @param inFlight how many are in hand
	 * @param heldBack whether a limit or a gate lets none be claimed now
	 * @param gatedUntil until when its gate is closed, if it is
	 */
	public record FairnessKey(String key, long waiting, long inFlight, boolean heldBack, @Nullable Instant gatedUntil) {

	}

	/**
	 * A limit.
	 *
	 * @param name the name of the setting, and of a shared limit its own
	 * @param kind what it limits
	 * @param permits how many messages it allows: in each period, or at once
	 * @param period the window of a rate
	 * @param used how many are used now; {@code null} where Redis does not count that: of
	 * a rate that is spread evenly, of a limit that queues share, and of one that each
	 * key has
	 * @param exhausted whether it lets no message be claimed now; {@code false} also
	 * where that is not known
	 */
	public record Limit(String name, Kind kind, long permits, @Nullable Duration period, @Nullable Long used,
			boolean exhausted) {

		/**
		 * What is limited.
		 */
		public enum Kind {

			/**
			 * How many messages are claimed in a period.
			 */
			RATE,

			/**
			 * How many messages are in hand.
			 */
			IN_FLIGHT

		}

	}

}
