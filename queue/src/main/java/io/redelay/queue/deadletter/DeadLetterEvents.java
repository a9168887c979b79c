package io.redelay.queue.deadletter;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Notifies the managers of a queue's dead messages when a container of this application
 * has added to them.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DeadLetterEvents {

	private final ConcurrentMap<String, List<Runnable>> listeners = new ConcurrentHashMap<>();

	/**
	 * Adds a listener, which must be quick.
	 */
	void subscribe(String queue, Runnable listener) {
		this.listeners.compute(queue, (name, present) -> {
			List<Runnable> all = (present != null) ? present : new CopyOnWriteArrayList<>();
			all.add(listener);
			return all;
		});
	}

	void unsubscribe(String queue, Runnable listener) {
		this.listeners.computeIfPresent(queue, (name, all) -> {
			all.remove(listener);
			return all.isEmpty() ? null : all;
		});
	}

	public void publish(String queue) {
		this.listeners.getOrDefault(queue, List.of()).forEach(Runnable::run);
	}

}
