package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockHandle;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Requests a lock from several servers until a majority grants it or the wait is over. A
 * lock that only a minority granted is released after each attempt.
 */
final class QuorumWait extends CompletableFuture<@Nullable LockHandle> {

	private static final long MIN_PAUSE_MILLIS = 25;

	private static final long MAX_PAUSE_MILLIS = 250;

	private final List<QuorumServer> servers;

	private final String key;

	private final String client;

	private final QuorumLease lease;

	/**
	 * The end of the wait, or {@code null} if there is none.
	 */
	private final @Nullable Long deadline;

	private final Scheduler scheduler;

	private int attempts;

	QuorumWait(List<QuorumServer> servers, String key, String client, QuorumLease lease, @Nullable Duration waitTime,
			Scheduler scheduler) {
		this.servers = servers;
		this.key = key;
		this.client = client;
		this.lease = lease;
		this.scheduler = scheduler;
		this.deadline = (waitTime != null) ? this.scheduler.nanoTime()
				+ TimeUnit.MILLISECONDS.toNanos(Math.min(waitTime.toMillis(), Integer.MAX_VALUE)) : null;
	}

	QuorumWait start() {
		attempt();
		return this;
	}

	private void attempt() {
		if (isDone()) {
			return;
		}
		this.attempts++;
		String owner = this.client + ":" + UUID.randomUUID().toString();
		long begin = this.scheduler.nanoTime();
		CompletableFuture<Boolean> had = new CompletableFuture<>();
		List<QuorumMember> members = this.servers.stream()
			.map((server) -> new QuorumMember(server, this.key, owner))
			.toList();
		boolean enough = 2 * members.stream().filter((member) -> !member.server().isAway()).count() > members.size();
		QuorumVote vote = QuorumVote.of(members, (member) -> take(member, enough, had));
		vote.decided().thenAccept((result) -> {
			long validUntil = this.lease.validUntil(begin, begin);
			boolean taken = result.isYes() && validUntil - this.scheduler.nanoTime() > 0;
			had.complete(taken);
			if (taken) {
				QuorumHold hold = new QuorumHold(members, this.key, this.lease, begin, this.scheduler);
				if (complete(hold)) {
					hold.keep();
				}
				else {
					hold.release();
				}
			}
			else if (result.isUnheard()) {
				completeExceptionally(result.unknown());
			}
			else {
				goOn(vote);
			}
		});
	}

	/**
	 * Requests the lock from one server, and releases it there if the majority does not
	 * grant it.
	 * @param enough whether servers that are away are not needed for a majority, so that
	 * they are not waited for
	 */
	private CompletableFuture<Boolean> take(QuorumMember server, boolean enough, CompletableFuture<Boolean> had) {
		if (enough && server.server().isAway()) {
			return CompletableFuture
				.failedFuture(new IllegalStateException("The server " + server.server() + " is not available"));
		}
		CompletableFuture<Boolean> answer = server.take(this.lease.firstMillis());
		answer.whenComplete((given, failure) -> {
			if (failure != null || given) {
				had.thenAccept((taken) -> {
					if (!taken) {
						server.release(false);
					}
				});
			}
		});
		return server.server().inTime(answer);
	}

	/**
	 * Requests the lock again after a pause. When the wait is over, only the answer of a
	 * majority shows that the lock is busy.
	 */
	private void goOn(QuorumVote vote) {
		long left = (this.deadline != null) ? TimeUnit.NANOSECONDS.toMillis(this.deadline - this.scheduler.nanoTime())
				: Long.MAX_VALUE;
		if (left <= 0) {
			vote.certain().thenAccept((result) -> {
				if (result.isUnheard()) {
					completeExceptionally(result.unknown());
				}
				else {
					complete(null);
				}
			});
			return;
		}
		// The pause is random, or two waiters that share the servers between them would
		// do so again.
		long most = Math.min(MAX_PAUSE_MILLIS, MIN_PAUSE_MILLIS << Math.min(this.attempts, 4));
		long pause = Math.min(left, ThreadLocalRandom.current().nextLong(MIN_PAUSE_MILLIS, most + 1));
		this.scheduler.schedule(this::attempt, TimeUnit.MILLISECONDS.toNanos(pause));
	}

}
