package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.lock.LockException;
import io.redelay.lock.StoredHold;
import io.redelay.lock.redisson.ResentRequests;
import org.jspecify.annotations.Nullable;

/**
 * A look at all servers for the holder of a lock. A lock that only a minority has granted
 * is not held.
 */
final class QuorumLook {

	private final int majority;

	private final List<QuorumServer.StoredOwner> owners = new ArrayList<>();

	private int answers;

	private @Nullable Throwable failure;

	private QuorumLook(int servers) {
		this.majority = servers / 2 + 1;
	}

	/**
	 * Looks for the holder.
	 * @return the hold, or none; completed exceptionally without the answers of a
	 * majority
	 */
	static CompletableFuture<List<StoredHold>> at(List<QuorumServer> servers, String key) {
		QuorumLook look = new QuorumLook(servers.size());
		return CompletableFuture
			.allOf(servers.stream()
				.map((server) -> server.owner(key).thenAccept(look::see).exceptionally(look::miss))
				.toArray(CompletableFuture[]::new))
			.thenApply((all) -> look.holds());
	}

	private synchronized void see(Optional<QuorumServer.StoredOwner> owner) {
		this.answers++;
		owner.ifPresent(this.owners::add);
	}

	private synchronized @Nullable Void miss(Throwable failure) {
		this.failure = failure;
		return null;
	}

	private synchronized List<StoredHold> holds() {
		if (this.answers < this.majority) {
			throw new LockException("No majority of the quorum answers, so the holder of the lock is not known: "
					+ ((this.failure != null) ? ResentRequests.causeOf(this.failure).getMessage() : "no answer"));
		}
		return this.owners.stream()
			.collect(Collectors.groupingBy(QuorumServer.StoredOwner::owner))
			.values()
			.stream()
			.filter((given) -> given.size() >= this.majority)
			.map(this::hold)
			.toList();
	}

	/**
	 * A majority has the lock for as long as the last server does that it needs.
	 */
	private StoredHold hold(List<QuorumServer.StoredOwner> given) {
		List<QuorumServer.StoredOwner> longest = given.stream()
			.sorted(Comparator.comparingLong(QuorumServer.StoredOwner::leaseMillis).reversed())
			.toList();
		return new StoredHold(given.get(0).client(), false,
				Duration.ofMillis(longest.get(this.majority - 1).leaseMillis()));
	}

}
