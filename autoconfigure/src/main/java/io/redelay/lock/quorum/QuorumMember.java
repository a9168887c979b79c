package io.redelay.lock.quorum;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.lock.redisson.LockScript;

/**
 * One owner of a lock on one server of a quorum. Its requests are sent one after the
 * other, as a server may serve two connections in any order: a lock that was released
 * before it is taken would stay for its lease.
 */
final class QuorumMember {

	private static final LockScript TAKE = LockScript.read("quorum-take");

	private static final LockScript KEEP = LockScript.read("quorum-keep");

	private static final LockScript RELEASE = LockScript.read("quorum-release");

	private final QuorumServer server;

	private final String key;

	private final String owner;

	private CompletableFuture<Boolean> last = CompletableFuture.completedFuture(false);

	QuorumMember(QuorumServer server, String key, String owner) {
		this.server = server;
		this.key = key;
		this.owner = owner;
	}

	CompletableFuture<Boolean> take(long leaseMillis) {
		return afterTheLast(() -> this.server.run(TAKE, this.key, this.owner, leaseMillis));
	}

	CompletableFuture<Boolean> keep(long leaseMillis) {
		return afterTheLast(() -> this.server.run(KEEP, this.key, this.owner, leaseMillis));
	}

	CompletableFuture<Boolean> release() {
		return afterTheLast(() -> this.server.run(RELEASE, this.key, this.owner));
	}

	<T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
		return this.server.inTime(answer);
	}

	private synchronized CompletableFuture<Boolean> afterTheLast(Supplier<CompletableFuture<Boolean>> request) {
		this.last = this.last.handle((answer, failure) -> request.get()).thenCompose((answer) -> answer);
		return this.last;
	}

}
