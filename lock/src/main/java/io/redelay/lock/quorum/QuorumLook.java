package io.redelay.lock.quorum;

import java.time.Duration;
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

	private QuorumLook() {
	}

	/**
	 * Looks for the holder.
	 * @return the hold, or none; completed exceptionally without the answers of a
	 * majority
	 */
	static CompletableFuture<List<StoredHold>> at(List<QuorumServer> servers, String key) {
		List<CompletableFuture<Optional<QuorumServer.StoredOwner>>> looks = servers.stream()
			.map((server) -> server.owner(key))
			.toList();
		return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
			.handle((all, failure) -> holds(looks, servers.size() / 2 + 1, failure));
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

}
