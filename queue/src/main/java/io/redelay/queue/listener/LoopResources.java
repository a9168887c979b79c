package io.redelay.queue.listener;

import java.util.function.Consumer;

import io.redelay.queue.LeaseLostEvent;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.deadletter.DeadLetterEvents;
import io.redelay.queue.store.redis.QueueScripts;
import io.redelay.scheduling.Scheduler;

/**
 * The parts that a claim loop shares with the other loops of its server.
 *
 * @param scripts the scripts of the server
 * @param scheduler the clock, and runs due tasks
 * @param wakeUps wakes loops up
 * @param suspects decides which loops may claim suspects
 * @param deaths notified of queues with new dead messages
 * @param outboxes relays the notes that claims report
 * @param gates say whether the loop may claim now
 * @param invariants reports defects
 * @param idle looks at the queues that have no messages
 * @param ticks decides about ticks of recurring messages
 * @param work how much handlers keep beside their messages
 * @param leases called with leases that ran out; must be quick
 */
record LoopResources(QueueScripts scripts, Scheduler scheduler, WakeUps wakeUps, SuspectAdmission suspects,
		DeadLetterEvents deaths, OutboxRelays outboxes, LocalGates gates, Invariants invariants, IdleWatch idle,
		TickAdmission ticks, WorkSettings work, Consumer<LeaseLostEvent> leases) {

}
