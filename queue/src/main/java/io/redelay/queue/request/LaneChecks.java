package io.redelay.queue.request;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * Checks idle lanes as long as they remember requests, to find out whether Redis went
 * back in time. A lane in use finds that out from the reply to its next request.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
final class LaneChecks<T, R extends LaneReply<R>> {

	private final ReplayMemory memory;

	private final List<RequestLane<T, R>> lanes;

	private final BiConsumer<RequestLane<T, R>, Boolean> check;

	private final Runnable checkAll = this::checkAll;

	/**
	 * Whether a look at the lanes is scheduled.
	 */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates the checks.
	 * @param check checks a lane, unless it is in use: takes the lane, and whether what
	 * it remembers is forgotten if Redis has it
	 */
	LaneChecks(ReplayMemory memory, List<RequestLane<T, R>> lanes, BiConsumer<RequestLane<T, R>, Boolean> check) {
		this.memory = memory;
		this.lanes = lanes;
		this.check = check;
	}

	/**
	 * Schedules a look at the lanes, if none is scheduled. To be called when a lane
	 * remembers something.
	 */
	void schedule() {
		if (this.memory.isEnabled() && this.scheduled.compareAndSet(false, true)) {
			this.memory.watch(this.checkAll);
			if (this.memory.scheduler().schedule(this::checkOld, this.memory.duration()) == null) {
				this.scheduled.set(false);
			}
		}
	}

	private void checkOld() {
		this.scheduled.set(false);
		if (!this.memory.isEnabled()) {
			return;
		}
		if (this.lanes.stream().noneMatch(RequestLane::remembers)) {
			this.memory.unwatch(this.checkAll);
			return;
		}
		this.lanes.stream().filter(RequestLane::isToBeChecked).forEach((lane) -> this.check.accept(lane, true));
		schedule();
	}

	private void checkAll() {
		this.lanes.forEach((lane) -> this.check.accept(lane, false));
	}

}
