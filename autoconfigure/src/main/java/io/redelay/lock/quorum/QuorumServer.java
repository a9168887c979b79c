package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.redelay.lock.redisson.LockScript;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * One of the servers that hold locks together. The connection is made in the background,
 * and again if that failed, so that the others can be used without it.
 */
final class QuorumServer {

	private static final Log logger = LogFactory.getLog(QuorumServer.class);

	private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final String name;

	private final Supplier<RedissonClient> connector;

	private final Duration timeout;

	private final Scheduler scheduler;

	private @Nullable CompletableFuture<RedissonClient> client;

	private long attempted;

	private boolean failureTold;

	private boolean closed;

	/**
	 * Creates a server.
	 * @param name its name in messages
	 * @param connector connects, and may block
	 * @param timeout how long to wait for an answer
	 * @param scheduler runs the connector, which may block, and ends waits
	 */
	QuorumServer(String name, Supplier<RedissonClient> connector, Duration timeout, Scheduler scheduler) {
		this.name = name;
		this.connector = connector;
		this.timeout = timeout;
		this.scheduler = scheduler;
	}

	/**
	 * Returns the requests of one owner of a lock to this server.
	 */
	QuorumMember member(String key, String owner) {
		return new QuorumMember(this, key, owner);
	}

	/**
	 * Runs a script. The answer may come later than the vote waits for it.
	 */
	CompletableFuture<Boolean> run(LockScript script, String key, Object... arguments) {
		return connect().thenCompose((client) -> script.run(client, List.of(key), arguments))
			.thenApply((reply) -> reply == 1);
	}

	/**
	 * Limits the wait for an answer to the timeout.
	 */
	<T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
		return this.scheduler.limit(answer.copy(), this.timeout);
	}

	/**
	 * Connects, unless that was done before; again if it failed some time ago.
	 */
	synchronized CompletableFuture<RedissonClient> connect() {
		CompletableFuture<RedissonClient> client = this.client;
		boolean again = client != null && client.isCompletedExceptionally()
				&& this.scheduler.nanoTime() - this.attempted > RECONNECT_NANOS;
		if (client == null || (again && !this.closed)) {
			this.attempted = this.scheduler.nanoTime();
			client = new CompletableFuture<>();
			this.client = client;
			client.whenComplete(this::tell);
			connect(client);
		}
		return client;
	}

	private void connect(CompletableFuture<RedissonClient> client) {
		boolean connecting = this.scheduler.execute(() -> {
			try {
				client.complete(this.connector.get());
			}
			catch (Throwable ex) {
				client.completeExceptionally(ex);
			}
		});
		if (!connecting) {
			client.completeExceptionally(new IllegalStateException("There is no thread to connect on"));
		}
	}

	private synchronized void tell(@Nullable RedissonClient client, @Nullable Throwable failure) {
		if (failure != null && !this.failureTold && !this.closed) {
			this.failureTold = true;
			logger.warn("The server " + this.name + " of the quorum is not available; locks are taken as long as a "
					+ "majority of the servers is: " + failure);
		}
		else if (client != null && this.failureTold) {
			this.failureTold = false;
			logger.info("The server " + this.name + " of the quorum is available");
		}
	}

	void close() {
		CompletableFuture<RedissonClient> client;
		synchronized (this) {
			this.closed = true;
			client = this.client;
		}
		if (client != null) {
			client.thenAccept(RedissonClient::shutdown);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}
