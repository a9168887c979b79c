package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.redelay.lock.LockHandle;
import io.redelay.log.PlainLog;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * A lock that a majority of servers holds for one owner, and its renewal.
 */
final class QuorumHold implements LockHandle {

	private static final Log logger = PlainLog.of(QuorumHold.class);

	private final List<QuorumMember> servers;

	private final String key;

	private final QuorumLease lease;

	private final Scheduler scheduler;

	/**
	 * When it was requested, by {@link Scheduler#nanoTime()}.
	 */
	private final long since;

	/**
	 * Until when it is certainly held, by {@link Scheduler#nanoTime()}.
	 */
	private volatile long validUntil;

	private volatile boolean lost;

	private volatile boolean released;

	QuorumHold(List<QuorumMember> servers, String key, QuorumLease lease, long since, Scheduler scheduler) {
		this.servers = servers;
		this.key = key;
		this.lease = lease;
		this.since = since;
		this.validUntil = lease.validUntil(since, since);
		this.scheduler = scheduler;
	}

	/**
	 * Renews the lock until it is released or lost, if it has no lease of its own.
	 */
	void keep() {
		if (this.lease.renewed()) {
			renewAfter(this.lease.millis() / 3);
		}
	}

	private void renewAfter(long millis) {
		this.scheduler.schedule(this::renew, TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private void renew() {
		if (this.released) {
			return;
		}
		long begin = this.scheduler.nanoTime();
		long millis = this.lease.millis(this.since, begin);
		QuorumVote.of(this.servers, (server) -> server.server().inTime(renew(server, millis)))
			.certain()
			.thenAccept((result) -> {
				if (result.isYes()) {
					this.validUntil = this.lease.validUntil(this.since, begin);
					renewAfter(this.lease.millis() / 3);
				}
				else if (result.isNo() || this.scheduler.nanoTime() - this.validUntil > 0) {
					lose(result);
				}
				else {
					renewAfter(Math.max(1, this.lease.millis() / 10));
				}
			});
	}

	/**
	 * Renews the lock on one server. If the server does not have it, because it was
	 * restarted, takes it there again: that server counts for the next renewal, not for
	 * this one.
	 */
	private CompletableFuture<Boolean> renew(QuorumMember server, long millis) {
		CompletableFuture<Boolean> kept = server.keep(millis);
		kept.thenAccept((answer) -> {
			if (!answer && !this.released && !this.lost && this.scheduler.nanoTime() - this.validUntil < 0) {
				server.take(millis).whenComplete((taken, failure) -> {
					if (this.released || this.lost) {
						server.release(false);
					}
				});
			}
		});
		return kept;
	}

	private void lose(QuorumVote.Result result) {
		if (this.released) {
			return;
		}
		this.lost = true;
		logger
			.warn("The lock " + this.key + " is lost before it was released, as it could not be renewed on a majority: "
					+ result.unknown().getMessage());
		this.servers.forEach((server) -> server.release(false));
	}

	/**
	 * Releases the lock on all servers. The request to each is repeated until it is
	 * answered or the lease is over.
	 */
	@Override
	public CompletionStage<Boolean> release() {
		boolean held = isInLease();
		return end((server) -> server.release(held));
	}

	private CompletionStage<Boolean> end(Function<QuorumMember, CompletableFuture<Boolean>> request) {
		this.released = true;
		return this.lost ? CompletableFuture.completedFuture(false)
				: QuorumVote.of(this.servers, request).certain().thenApply(this::isKept);
	}

	/**
	 * Returns whether the lock was held at its last renewal and its lease is not over.
	 */
	@Override
	public CompletionStage<Boolean> isHeld() {
		return CompletableFuture.completedFuture(!this.lost && isInLease());
	}

	private boolean isInLease() {
		return this.validUntil - this.scheduler.nanoTime() > 0;
	}

	@Override
	public CompletionStage<Boolean> releaseAfter(Duration time) {
		return end((server) -> server.keepOn(time));
	}

	/**
	 * Returns whether the lock was held until its release, by the answers of the servers.
	 * A lock that no majority renewed before its lease was over was lost, whatever the
	 * servers that did not answer hold.
	 */
	private boolean isKept(QuorumVote.Result result) {
		if (result.isNo() || (!result.isYes() && !isInLease())) {
			return false;
		}
		if (!result.isYes()) {
			throw new CompletionException(result.unknown());
		}
		return true;
	}

}
