package io.redelay.queue.recurring.engine;

import org.jspecify.annotations.Nullable;

/**
 * When the run was under way that ended last, if it outlasted its interval; and those
 * before it of which ticks are left that were due meanwhile.
 *
 * @param from when it began, ms
 * @param to when it ended, ms
 */
record BusyTime(long from, long to) {

	/**
	 * Begins where a former time began if the next tick is not behind that: the run made
	 * up for a missed tick, and those that were due during the run before it come later.
	 * @param former the former time, or {@code null} if there was none
	 * @param next the next tick, ms, or {@code null} if there is none
	 */
	BusyTime since(@Nullable BusyTime former, @Nullable Long next) {
		return (former != null && next != null && next <= former.to())
				? new BusyTime(Math.min(this.from, former.from()), this.to) : this;
	}

}
