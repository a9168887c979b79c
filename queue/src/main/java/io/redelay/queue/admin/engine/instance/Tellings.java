package io.redelay.queue.admin.engine.instance;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What is told at the moment to each name, one request at a time: requests go different
 * ways to Redis, and an earlier one that arrives later would tell what is not true any
 * more.
 * <p>
 * Safe for use by many threads.
 */
final class Tellings {

	private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();

	/**
	 * The names to which it is told again when what is under way has arrived.
	 */
	private final Set<String> awaited = new HashSet<>();

	/**
	 * Tells now, or has it told again when what is under way has arrived.
	 * @param name to what it is told
	 * @param request tells
	 * @param again is run if it could not be told now, when it can be
	 * @return completes when it is told, or that it could not be told now
	 */
	CompletableFuture<Void> tell(String name, Supplier<CompletableFuture<Void>> request, Runnable again) {
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
	 * Tells for the last time, behind what is under way.
	 * @param name to what it is told
	 * @param request tells
	 * @return completes when it is told
	 */
	CompletableFuture<Void> tellLast(String name, Supplier<CompletableFuture<Void>> request) {
		CompletableFuture<Void> present;
		synchronized (this) {
			present = this.underWay.remove(name);
		}
		return (present == null) ? request.get()
				: present.handle((done, failure) -> null).thenCompose((done) -> request.get());
	}

}
