package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.redelay.lock.redisson.LockScript;
import io.redelay.lock.redisson.ResentRequests;
import org.jspecify.annotations.Nullable;

/**
 * One owner of a lock on one server of a quorum. Its requests are sent one after the
 * other, as a server may serve two connections in any order: a lock that was released
 * before it is taken would stay for its lease.
 */
final class QuorumMember {

	private static final LockScript TAKE = LockScript.read("quorum-take");

	private static final LockScript KEEP = LockScript.read("quorum-keep");

	private static final LockScript RELEASE = LockScript.read("quorum-release");

	private static final long MAX_REPEAT_MILLIS = TimeUnit.MINUTES.toMillis(1);

	/**
	 * When a release is sent once more that may have overtaken the request for the lock.
	 */
	private static final long OVERTAKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final QuorumServer server;

	private final String key;

	private final String owner;

	private CompletableFuture<Boolean> last = CompletableFuture.completedFuture(false);

	/**
	 * How long the server may keep the lock, 0 if it was never requested.
	 */
	private volatile long leaseMillis;

	/**
	 * Whether a request may be on its way yet.
	 */
	private volatile boolean unanswered;

	QuorumMember(QuorumServer server, String key, String owner) {
		this.server = server;
		this.key = key;
		this.owner = owner;
	}

	QuorumServer server() {
		return this.server;
	}

	CompletableFuture<Boolean> take(long leaseMillis) {
		this.leaseMillis = Math.max(this.leaseMillis, leaseMillis);
		return request(TAKE, leaseMillis);
	}

	CompletableFuture<Boolean> keep(long leaseMillis) {
		return request(KEEP, leaseMillis);
	}

	private CompletableFuture<Boolean> request(LockScript script, long leaseMillis) {
		return afterTheLast(() -> this.server.run(script, this.key, this.owner, leaseMillis)
			.whenComplete((answer, failure) -> note(failure)));
	}

	private void note(@Nullable Throwable failure) {
		if (failure != null && !ResentRequests.isAnswer(ResentRequests.causeOf(failure))) {
			this.unanswered = true;
		}
	}

	/**
	 * Releases the lock, and repeats the request until it is answered or the lease is
	 * over.
	 * @param held the result if the server does not have the lock any more, but the
	 * answer to an earlier copy of the request may have been lost
	 */
	CompletableFuture<Boolean> release(boolean held) {
		if (this.leaseMillis == 0) {
			return CompletableFuture.completedFuture(false);
		}
		return afterTheLast(() -> {
			CompletableFuture<Boolean> released = repeatRelease(held);
			if (this.unanswered) {
				released.whenComplete((answer, failure) -> this.server.scheduler()
					.schedule(() -> repeatRelease(held), OVERTAKEN_NANOS));
			}
			return released;
		});
	}

	private CompletableFuture<Boolean> repeatRelease(boolean held) {
		AtomicBoolean sentAgain = new AtomicBoolean();
		return this.server.runUntilAnswered((again) -> {
			sentAgain.compareAndSet(false, again);
			return this.server.run(RELEASE, this.key, this.owner)
				.thenApply((released) -> released || (held && sentAgain.get()));
		}, repeatLimit());
	}

	/**
	 * Keeps the lock for a time from now, and repeats the request until it is answered or
	 * the lease is over.
	 */
	CompletableFuture<Boolean> keepOn(Duration time) {
		long until = this.server.scheduler().nanoTime() + time.toNanos();
		return afterTheLast(() -> this.server.runUntilAnswered((again) -> {
			long left = TimeUnit.NANOSECONDS.toMillis(until - this.server.scheduler().nanoTime());
			return this.server.run(KEEP, this.key, this.owner, Math.max(1, left));
		}, repeatLimit()));
	}

	private Duration repeatLimit() {
		return Duration.ofMillis(Math.min(this.leaseMillis, MAX_REPEAT_MILLIS));
	}

	private synchronized CompletableFuture<Boolean> afterTheLast(Supplier<CompletableFuture<Boolean>> request) {
		this.last = this.last.handle((answer, failure) -> request.get()).thenCompose((answer) -> answer);
		return this.last;
	}

}
