package io.redelay.queue.listener.deadletter;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells those who look after the dead messages of a queue that a container of this
 * application has added to them.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DeadLetterEvents {

	private final ConcurrentMap<String, List<Runnable>> listeners = new ConcurrentHashMap<>();

	/**
	 * Begins to tell somebody, who must be quick.
	 */
	void subscribe(String queue, Runnable listener) {
		this.listeners.computeIfAbsent(queue, (name) -> new CopyOnWriteArrayList<>()).add(listener);
	}

	void unsubscribe(String queue, Runnable listener) {
		this.listeners.getOrDefault(queue, List.of()).remove(listener);
	}

	public void tell(String queue) {
		this.listeners.getOrDefault(queue, List.of()).forEach(Runnable::run);
	}

}
