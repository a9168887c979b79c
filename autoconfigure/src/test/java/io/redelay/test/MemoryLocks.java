package io.redelay.test;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.redelay.lock.LockHandle;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockRequest;

/**
 * Locks without a Redis, that are had at once or not at all, and a record of what was
 * asked for.
 */
public final class MemoryLocks implements LockProvider {

	private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

	private final Set<String> held = ConcurrentHashMap.newKeySet();

	private volatile Function<String, CompletionStage<Boolean>> release = (key) -> CompletableFuture
		.completedFuture(true);

	@Override
	public CompletableFuture<LockHandle> acquire(LockRequest request) {
		this.requests.add(request);
		LockHandle handle = () -> {
			this.held.remove(request.key());
			return this.release.apply(request.key());
		};
		return CompletableFuture.completedFuture(this.held.add(request.key()) ? handle : null);
	}

	/**
	 * Lets another hold a lock.
	 */
	public void hold(String key) {
		this.held.add(key);
	}

	/**
	 * Says what comes of releases.
	 */
	public void onRelease(Function<String, CompletionStage<Boolean>> release) {
		this.release = release;
	}

	public Set<String> held() {
		return this.held;
	}

	public List<String> keys() {
		return this.requests.stream().map(LockRequest::key).toList();
	}

}
