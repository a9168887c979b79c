package io.redelay.test;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.RecurringStore;

/**
 * The recurring messages of an application without a server, which has none.
 */
public final class AbsentRecurringStore implements RecurringStore {

	@Override
	public String instance() {
		return "idle";
	}

	@Override
	public CompletableFuture<RecurringStore.Entry> look(String queue, String name) {
		return absent();
	}

	@Override
	public CompletableFuture<Map<String, RecurringStore.Entry>> list(String queue) {
		return CompletableFuture.completedFuture(Map.of());
	}

	@Override
	public CompletableFuture<Boolean> write(String queue, RecurringStore.Change change) {
		return absent();
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return absent();
	}

	@Override
	public CompletableFuture<Void> unregister(String queue) {
		return absent();
	}

	@Override
	public CompletableFuture<Set<String>> queues() {
		return CompletableFuture.completedFuture(Set.of());
	}

	@Override
	public CompletableFuture<Void> announce(Duration timeToLive) {
		return absent();
	}

	@Override
	public CompletableFuture<Boolean> isAnnounced(String declarer) {
		return absent();
	}

	private static <T> CompletableFuture<T> absent() {
		return CompletableFuture.failedFuture(new StoreException("there are no recurring messages", null));
	}

}
