package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The keys and limits that hold messages of a queue back.
 *
 * @param queue the queue
 * @param time when they were read, by the clock of Redis
 * @param complete whether all keys were looked at; at most some 500 of each kind are, in
 * each partition
 * @param ordering at most 100 ordering keys, that for which most messages wait first
 * @param fairness at most 100 fairness keys, that for which most messages wait first
 * @param limits the limits in force: those set for all instances, or else those of its
 * listeners, as the running instances announce them
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
	 * An ordering key with messages that wait for an earlier one.
	 *
	 * @param key the key
	 * @param waiting how many wait
	 * @param uid the message whose turn it is: it is in hand, ready, waits for a retry,
	 * or is dead and keeps the others waiting
	 * @param instance the instance that has it in hand, by its name in the store, or
	 * {@code null} if none
	 * @param instanceName the display name of that instance, if it announces itself
	 */
	public record OrderingKey(String key, long waiting, @Nullable String uid, @Nullable String instance,
			@Nullable String instanceName) {

	}

	/**
	 * A fairness key with ready messages.
	 *
	 * @param key the key
	 * @param waiting how many are ready
	 * @param inFlight how many are in hand
	 * @param heldBack whether a limit or a gate keeps all from being claimed now
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
	 * @param used how many are used now; {@code null} where Redis does not count them:
	 * for a rate that is spread evenly, a limit that queues share, and a limit of each
	 * key
	 * @param exhausted whether no message can be claimed under it now; {@code false} also
	 * if that is not known
	 */
	public record Limit(String name, Kind kind, long permits, @Nullable Duration period, @Nullable Long used,
			boolean exhausted) {

		/**
		 * The kind of a limit.
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
