package io.redelay.queue.listener;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.redelay.scheduling.Scheduler;

/**
 * The threads that handle what waits, one message after the other, and whether another
 * one is worth waking: not if handlers have been so quick of late that those who are
 * there are through with all of it before it would have begun. If one of them takes
 * longer than that nothing is expected any more.
 * <p>
 * Guarded by the lock of what waits.
 */
final class WorkerDemand {

	/**
	 * How long a member may take for a message and be expected to be through soon.
	 */
	static final Duration CHECK_INTERVAL = Duration.ofMillis(2);

	private final HandlingTimeEstimate pace;

	private final Scheduler clock;

	private final Set<Member> members = new HashSet<>();

	WorkerDemand(HandlingTimeEstimate pace, Scheduler clock) {
		this.pace = pace;
		this.clock = clock;
	}

	Member join() {
		Member member = new Member();
		this.members.add(member);
		return member;
	}

	void leave(Member member) {
		this.members.remove(member);
	}

	/**
	 * Whether nobody else is needed for what waits, as far as can be seen. It may turn
	 * out otherwise: whoever relies on it looks again after {@link #CHECK_INTERVAL}.
	 */
	boolean isEnough(int waiting) {
		if (this.members.isEmpty() || !this.pace.areBrief(waiting, this.members.size())) {
			return false;
		}
		long now = this.clock.nanoTime();
		for (Member member : this.members) {
			if (member.isStuck(now)) {
				return false;
			}
		}
		return true;
	}

	/**
	 * A thread that has something to handle, or is about to be started for it.
	 */
	final class Member {

		private long since = WorkerDemand.this.clock.nanoTime();

		/**
		 * Takes note that it takes a message.
		 */
		void take() {
			this.since = WorkerDemand.this.clock.nanoTime();
		}

		private boolean isStuck(long now) {
			return now - this.since > CHECK_INTERVAL.toNanos();
		}

	}

}
