package io.redelay.queue.admin.engine;

import java.time.Duration;

import io.redelay.queue.script.admin.QueueNames;
import io.redelay.scheduling.Scheduler;

/**
 * The turns of an instance for what is done regularly.
 *
 * @param names takes turns
 * @param clock the clock
 * @param owner the name of this instance in the store
 * @param interval how often it is done
 */
record FarTurns(QueueNames names, Scheduler clock, String owner, Duration interval) {

	/**
	 * Returns a turn, which is not taken yet.
	 * @param what the purpose
	 * @param intervals for how many intervals it lasts unless it is prolonged
	 */
	FarTurn of(String what, int intervals) {
		return new FarTurn(this.names, this.clock, what, this.owner, this.interval.multipliedBy(intervals));
	}

}
