package io.redelay.queue.handle;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import io.redelay.scheduling.Scheduler;

/**
 * The threads that handle the waiting messages one by one, and whether another thread is
 * worth waking. It is not if recent handlers were so quick that the present threads will
 * finish before it could begin. If one thread takes longer, this is not expected any
 * more.
 * <p>
 * Guarded by the lock of the waiting messages.
 */
final class WorkerDemand {

	/**
	 * How long a member may take for a message and still be expected to finish soon.
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
	 * Returns whether the present threads seem to be enough for the waiting messages. The
	 * caller has to check again after {@link #CHECK_INTERVAL}.
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
	 * A thread that handles messages, or is about to be started for them.
	 */
	final class Member {

		private long since = WorkerDemand.this.clock.nanoTime();

		/**
		 * Records that it takes a message.
		 */
		void take() {
			this.since = WorkerDemand.this.clock.nanoTime();
		}

		private boolean isStuck(long now) {
			return now - this.since > CHECK_INTERVAL.toNanos();
		}

	}

}
