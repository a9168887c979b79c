package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.lock.LockException;
import io.redelay.lock.LockHandle;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockRequest;
import io.redelay.lock.LockThreads;
import io.redelay.lock.StoredHold;
import io.redelay.lock.redisson.ResentRequests;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

import org.springframework.util.Assert;

/**
 * Acquires locks that several independent servers hold together. A lock is acquired when
 * a majority of them grants it in time, and lost when no majority holds it any more. So
 * it survives the loss of a minority, without replication between the servers.
 * <p>
 * The servers must not be replicas or nodes of one another. A server that was restarted
 * without its data must be kept away for a lease, or it grants locks that are held.
 *
 * @since 0.1.0
 */
public final class QuorumLockProvider implements LockProvider, AutoCloseable {

	private final List<QuorumServer> servers;

	private final QuorumSettings settings;

	private final Scheduler scheduler;

	private final String client;

	private final Set<QuorumWait> waits = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates a provider, and begins to connect to the servers in the background. The
	 * connection to a server that cannot be reached is tried again when a lock is
	 * requested.
	 * @param servers connects to each server, by the server's name in messages; three,
	 * five or seven. It may block; its client is shut down with the provider, and should
	 * not repeat requests
	 * @param settings the settings
	 * @param threads run the connectors
	 * @param client the id by which the servers know this application as a holder: that
	 * of its own Redis client, which {@link io.redelay.lock.LockAdmin} shows
	 */
	public QuorumLockProvider(Map<String, Supplier<RedissonClient>> servers, QuorumSettings settings,
			LockThreads threads, String client) {
		Assert.isTrue(servers.size() >= 3,
				() -> "'servers' of a quorum must be three at least, or the loss of one would "
						+ "be the loss of the majority: " + servers.keySet());
		this.scheduler = Scheduler.unclosed(threads.executor());
		this.servers = servers.entrySet()
			.stream()
			.map((server) -> new QuorumServer(server.getKey(), server.getValue(), settings.timeout(), this.scheduler))
			.toList();
		this.settings = settings;
		this.client = client;
		this.servers.forEach(QuorumServer::connect);
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> acquire(LockRequest request) {
		QuorumWait wait = new QuorumWait(this.servers, request.key(), this.client,
				QuorumLease.of(request, this.settings), request.waitTime(), this.scheduler);
		this.waits.add(wait);
		wait.whenComplete((handle, failure) -> this.waits.remove(wait));
		if (this.closed) {
			// The call of close() may not have seen this wait.
			abandon(wait);
		}
		return wait.start();
	}

	/**
	 * Looks up the holder of a lock: the one that a majority of the servers agrees on. A
	 * lock that only a minority has granted is not held.
	 */
	@Override
	public CompletionStage<List<StoredHold>> holds(String key) {
		List<CompletableFuture<Optional<QuorumServer.StoredOwner>>> looks = this.servers.stream()
			.map((server) -> server.owner(key))
			.toList();
		return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
			.handle((all, failure) -> holds(looks, looks.size() / 2 + 1, failure));
	}

	private static List<StoredHold> holds(List<CompletableFuture<Optional<QuorumServer.StoredOwner>>> looks,
			int majority, @Nullable Throwable failure) {
		List<Optional<QuorumServer.StoredOwner>> answers = looks.stream()
			.filter((look) -> !look.isCompletedExceptionally())
			.map(CompletableFuture::join)
			.toList();
		if (answers.size() < majority) {
			throw new LockException("No majority of the quorum answers, so the holder of the lock is not known: "
					+ ((failure != null) ? ResentRequests.causeOf(failure).getMessage() : "no answer"));
		}
		return answers.stream()
			.flatMap(Optional::stream)
			.collect(Collectors.groupingBy(QuorumServer.StoredOwner::owner))
			.values()
			.stream()
			.filter((given) -> given.size() >= majority)
			.map((given) -> hold(given, majority))
			.toList();
	}

	/**
	 * A majority has the lock for as long as the last server does that it needs.
	 */
	private static StoredHold hold(List<QuorumServer.StoredOwner> given, int majority) {
		List<QuorumServer.StoredOwner> longest = given.stream()
			.sorted(Comparator.comparingLong(QuorumServer.StoredOwner::leaseMillis).reversed())
			.toList();
		return new StoredHold(given.get(0).client(), false, Duration.ofMillis(longest.get(majority - 1).leaseMillis()));
	}

	/**
	 * Returns which servers answer. One that did not answer in time counts as away until
	 * it answers again; it is asked each second whether it does.
	 * @return whether each server answers, by its name
	 */
	public Map<String, Boolean> availability() {
		Map<String, Boolean> availability = new LinkedHashMap<>();
		this.servers.forEach((server) -> availability.put(server.name(), !server.isAway()));
		return availability;
	}

	/**
	 * Connects anew after {@link #close()}, as an application does that goes on after a
	 * checkpoint.
	 */
	public void open() {
		this.closed = false;
		this.servers.forEach(QuorumServer::open);
	}

	/**
	 * Fails all waits for locks, and disconnects.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.waits.forEach(this::abandon);
		this.servers.forEach(QuorumServer::close);
	}

	private void abandon(QuorumWait wait) {
		wait.completeExceptionally(
				new IllegalStateException("The quorum of " + this.servers + " was closed while a lock was waited for"));
	}

}
