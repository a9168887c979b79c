package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.admin.LookScript.State.Blocked;
import org.jspecify.annotations.Nullable;

/**
 * The facts from which a queue is diagnosed.
 *
 * @param time when it was looked at, by the clock of Redis
 * @param info how many messages it has
 * @param retrying how many living messages have failed before
 * @param waitingForTurn how many messages wait for an earlier one of their ordering key
 * @param keysInTurn how many ordering keys have a message with the turn
 * @param keysInHand the fairness keys that have as many messages in hand as is allowed
 * @param keysRated the fairness keys that have used up their rate
 * @param keysGated the fairness keys whose closed gate a claim has met
 * @param closedKeys how many fairness keys have a closed gate
 * @param lostTicks how many recurring messages have lost the message of their next tick
 * @param takers how many instances take over from its inlet
 * @param consumers how many instances have a living lane
 * @param instances the instances that announce a listener to the queue
 * @param throughput what became of messages lately, if that is counted
 * @param limits the limits that are set for all instances
 * @param redrive by which rule dead messages are redriven, if any
 * @param redisTime how long Redis took to answer
 * @since 0.1.0
 */
public record QueueFacts(Instant time, QueueInfo info, long retrying, long waitingForTurn, long keysInTurn,
		Blocked keysInHand, Blocked keysRated, Blocked keysGated, long closedKeys, long lostTicks, int takers,
		int consumers, List<InstanceInfo> instances, @Nullable Throughput throughput, StoredLimits limits,
		@Nullable RedriveStatus redrive, Duration redisTime) {

	/**
	 * Copies the instances.
	 */
	public QueueFacts {
		instances = List.copyOf(instances);
	}

}
