package io.redelay.queue.claim;

import io.redelay.queue.script.OccupiedScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.scheduling.Scheduler;

/**
 * Decides when the loops on one server claim.
 *
 * @param wakeUps wakes loops up when there are messages to claim
 * @param safetyPoll how often a loop claims without a wake-up
 * @param suspects shared by all containers of the instance, also those of other servers
 * @param gates say whether listeners of this instance may claim now
 * @param idle looks at the queues that have no messages
 * @since 0.1.0
 */
public record ClaimSignals(WakeUps wakeUps, SafetyPoll safetyPoll, SuspectAdmission suspects, LocalGates gates,
		IdleWatch idle) {

	/**
	 * Creates the signals of a server, with an idle watch of their own.
	 * @param scripts the scripts of the server
	 * @param scheduler the clock
	 * @param wakeUps wakes loops up when there are messages to claim
	 * @param safetyPoll how often a loop claims without a wake-up
	 * @param suspects shared by all containers of the instance
	 * @param gates say whether listeners of this instance may claim now
	 */
	public ClaimSignals(QueueScripts scripts, Scheduler scheduler, WakeUps wakeUps, SafetyPoll safetyPoll,
			SuspectAdmission suspects, LocalGates gates) {
		this(wakeUps, safetyPoll, suspects, gates,
				new IdleWatch(new OccupiedScript(scripts.runner()), scheduler, safetyPoll));
	}

}
