package io.redelay.queue.claim;

import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.notes.WorkSettings;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.OccupiedScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;

/**
 * The parts that the claim loops of all containers on one server share.
 *
 * @param scripts the scripts of the server
 * @param codec reads envelopes
 * @param scheduler the clock, renews leases and sends requests later
 * @param wakeUps wakes loops up when there are messages to claim
 * @param safetyPoll how often a loop claims without a wake-up
 * @param suspects shared by all containers of the instance, also those of other servers
 * @param partitions knows how many partitions queues have
 * @param outboxes relays the notes that claims report
 * @param gates say whether listeners of this instance may claim now
 * @param invariants reports defects
 * @param idle looks at the queues that have no messages
 * @param ticks decides about ticks of recurring messages
 * @param work how much handlers keep beside their messages
 * @since 0.1.0
 */
public record ClaimRuntime(QueueScripts scripts, EnvelopeCodec codec, Scheduler scheduler, WakeUps wakeUps,
		SafetyPoll safetyPoll, SuspectAdmission suspects, QueuePartitions partitions, OutboxRelays outboxes,
		LocalGates gates, Invariants invariants, IdleWatch idle, TickAdmission ticks, WorkSettings work) {

	/**
	 * Creates a runtime with an idle watch of its own.
	 * @param scripts the scripts of the server
	 * @param codec reads envelopes
	 * @param scheduler the clock, renews leases and sends requests later
	 * @param wakeUps wakes loops up when there are messages to claim
	 * @param safetyPoll how often a loop claims without a wake-up
	 * @param suspects shared by all containers of the instance
	 * @param partitions knows how many partitions queues have
	 * @param outboxes relays the notes that claims report
	 * @param gates say whether listeners of this instance may claim now
	 * @param invariants reports defects
	 * @param ticks decides about ticks of recurring messages
	 * @param work how much handlers keep beside their messages
	 */
	public ClaimRuntime(QueueScripts scripts, EnvelopeCodec codec, Scheduler scheduler, WakeUps wakeUps,
			SafetyPoll safetyPoll, SuspectAdmission suspects, QueuePartitions partitions, OutboxRelays outboxes,
			LocalGates gates, Invariants invariants, TickAdmission ticks, WorkSettings work) {
		this(scripts, codec, scheduler, wakeUps, safetyPoll, suspects, partitions, outboxes, gates, invariants,
				new IdleWatch(new OccupiedScript(scripts.runner()), scheduler, safetyPoll), ticks, work);
	}

}
