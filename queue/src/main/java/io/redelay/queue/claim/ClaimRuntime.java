package io.redelay.queue.claim;

import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.notes.WorkSettings;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.Scheduler;

/**
 * The parts that the claim loops of all containers on one server share.
 *
 * @param scripts the scripts of the server
 * @param scheduler the clock, renews leases and sends requests later
 * @param signals say when loops claim
 * @param partitions knows how many partitions queues have
 * @param outboxes relays the notes that claims report
 * @param invariants reports defects
 * @param ticks decides about ticks of recurring messages
 * @param work how much handlers keep beside their messages
 * @since 0.1.0
 */
public record ClaimRuntime(QueueScripts scripts, Scheduler scheduler, ClaimSignals signals, QueuePartitions partitions,
		OutboxRelays outboxes, Invariants invariants, TickAdmission ticks, WorkSettings work) {

}
