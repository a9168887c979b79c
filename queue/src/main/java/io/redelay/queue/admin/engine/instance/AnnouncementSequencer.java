package io.redelay.queue.admin.engine.instance;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Sends the announcements of a name one after the other. Requests take different
 * connections to Redis, so without an order an older announcement could arrive last and
 * overwrite a newer one.
 * <p>
 * Safe for use by many threads.
 */
final class AnnouncementSequencer {

	private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();

	/**
	 * The names that are announced again when the request under way is answered.
	 */
	private final Set<String> awaited = new HashSet<>();

	/**
	 * Announces now, or after the request under way.
	 * @param name what is announced
	 * @param request sends the announcement
	 * @param again runs when a postponed announcement becomes possible
	 * @return a future that completes when it is announced, or at once if it is postponed
	 */
	CompletableFuture<Void> announce(String name, Supplier<CompletableFuture<Void>> request, Runnable again) {
		CompletableFuture<Void> present;
		synchronized (this) {
			present = this.underWay.get(name);
			if (present == null || present.isDone()) {
				CompletableFuture<Void> begun = request.get();
				this.underWay.put(name, begun);
				return begun;
			}
			if (!this.awaited.add(name)) {
				return CompletableFuture.completedFuture(null);
			}
		}
		present.whenComplete((done, failure) -> {
			synchronized (this) {
				this.awaited.remove(name);
			}
			again.run();
		});
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * Announces for the last time, after the request under way.
	 * @param name what is announced
	 * @param request sends the announcement
	 * @return a future that completes when it is announced
	 */
	CompletableFuture<Void> announceLast(String name, Supplier<CompletableFuture<Void>> request) {
		CompletableFuture<Void> present;
		synchronized (this) {
			present = this.underWay.remove(name);
		}
		return (present == null) ? request.get()
				: present.handle((done, failure) -> null).thenCompose((done) -> request.get());
	}

}
