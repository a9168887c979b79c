package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.lock.redisson.LockScript;
import io.redelay.lock.redisson.ResentRequests;
import io.redelay.log.PlainLog;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * One of the servers that hold locks together. The connection is made in the background,
 * and again if that failed, so that the others can be used without it.
 * <p>
 * A server that fails to answer in time is away until it answers again. It is asked each
 * second whether it does.
 */
final class QuorumServer {

	private static final Log logger = PlainLog.of(QuorumServer.class);

	private static final LockScript RELEASE = LockScript.read("quorum-release");

	/**
	 * The key that is requested to find out whether a server answers. A reply that the
	 * user may not read it is an answer too.
	 */
	private static final String PROBE = "redelay:quorum-probe";

	private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

	private final String name;

	private final Supplier<RedissonClient> connector;

	private final Duration timeout;

	private final Scheduler scheduler;

	private final ResentRequests requests;

	private @Nullable CompletableFuture<RedissonClient> client;

	private long attempted;

	private volatile boolean away;

	private @Nullable ScheduledTask probe;

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
		this.requests = new ResentRequests(scheduler);
	}

	String name() {
		return this.name;
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * Returns whether the server failed to answer in time and has not answered since.
	 */
	boolean isAway() {
		return this.away;
	}

	/**
	 * Runs a script. The answer may come later than the vote waits for it.
	 */
	CompletableFuture<Boolean> run(LockScript script, String key, Object... arguments) {
		return send((client) -> script.run(client, List.of(key), arguments)).thenApply((reply) -> reply == 1);
	}

	/**
	 * Reads the owner of a lock on this server, and the remaining time of its lease. A
	 * server that is away is not asked.
	 */
	CompletableFuture<Optional<StoredOwner>> owner(String key) {
		if (isAway()) {
			return CompletableFuture
				.failedFuture(new IllegalStateException("The server " + this.name + " is not available"));
		}
		return inTime(send((client) -> {
			RBatch batch = client.createBatch(BatchOptions.defaults());
			batch.getBucket(key, StringCodec.INSTANCE).getAsync();
			batch.getBucket(key, StringCodec.INSTANCE).remainTimeToLiveAsync();
			return batch.executeAsync().toCompletableFuture();
		}).thenApply((replies) -> StoredOwner.of(replies.getResponses())));
	}

	private <T> CompletableFuture<T> send(Function<RedissonClient, CompletableFuture<T>> request) {
		return connect().thenCompose(request).handle((reply, failure) -> {
			Throwable cause = (failure != null) ? ResentRequests.causeOf(failure) : null;
			if (cause == null || ResentRequests.isAnswer(cause)) {
				answered();
			}
			else {
				silent(cause);
			}
			if (cause != null) {
				throw new CompletionException(cause);
			}
			return reply;
		});
	}

	/**
	 * Sends a request that may arrive twice, and repeats it until it is answered, at once
	 * when a server that was away answers again.
	 * @param limit how long to repeat it
	 */
	CompletableFuture<Boolean> runUntilAnswered(ResentRequests.Request<Boolean> request, Duration limit) {
		return this.requests.send(request, limit);
	}

	/**
	 * Limits the wait for an answer to the timeout.
	 */
	<T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
		CompletableFuture<T> limited = this.scheduler.limit(answer.copy(), this.timeout);
		limited.whenComplete((value, failure) -> {
			if (failure instanceof TimeoutException) {
				silent(failure);
			}
		});
		return limited;
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
			client.whenComplete((connected, failure) -> {
				if (failure != null) {
					silent(failure);
				}
				else {
					answered();
				}
			});
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

	private void silent(Throwable failure) {
		synchronized (this) {
			if (this.away || this.closed) {
				return;
			}
			this.away = true;
			probeLater();
		}
		logger.warn("The server " + this.name + " of the quorum is not available; locks are taken as long as a "
				+ "majority of the servers is: " + reason(failure));
	}

	private String reason(Throwable failure) {
		return (failure instanceof TimeoutException) ? "it did not answer within " + this.timeout
				: ResentRequests.causeOf(failure).toString();
	}

	private void answered() {
		if (!this.away) {
			return;
		}
		synchronized (this) {
			if (!this.away || this.closed) {
				return;
			}
			this.away = false;
		}
		logger.info("The server " + this.name + " of the quorum is available");
		this.requests.repeatAll();
	}

	/**
	 * Checks later whether the server answers again. If that cannot be scheduled,
	 * requests for locks find out, but have to wait for it.
	 */
	private synchronized void probeLater() {
		if (this.away && !this.closed) {
			this.probe = this.scheduler.schedule(this::probe, PROBE_NANOS);
			this.away = this.probe != null;
		}
	}

	private void probe() {
		run(RELEASE, PROBE, this.name).whenComplete((answer, failure) -> probeLater());
	}

	/**
	 * Connects anew after {@link #close()}.
	 */
	void open() {
		synchronized (this) {
			if (!this.closed) {
				return;
			}
			this.closed = false;
			this.away = false;
			this.client = null;
		}
		connect();
	}

	void close() {
		CompletableFuture<RedissonClient> client;
		synchronized (this) {
			this.closed = true;
			client = this.client;
			if (this.probe != null) {
				this.probe.cancel();
			}
		}
		if (client != null) {
			client.thenAccept(RedissonClient::shutdown);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * The owner of a lock on one server.
	 *
	 * @param owner the owner, a client and its attempt
	 * @param leaseMillis how much longer the server keeps the lock for it
	 */
	record StoredOwner(String owner, long leaseMillis) {

		static Optional<StoredOwner> of(List<?> replies) {
			return Optional.ofNullable(replies.get(0))
				.map((owner) -> new StoredOwner(owner.toString(), Math.max(0, (Long) replies.get(1))));
		}

		String client() {
			int end = this.owner.indexOf(':');
			return (end != -1) ? this.owner.substring(0, end) : this.owner;
		}

	}

}
