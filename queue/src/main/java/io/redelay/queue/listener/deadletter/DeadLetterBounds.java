package io.redelay.queue.listener.deadletter;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the dead messages of queues within their bounds where no listener may do so: for
 * each queue from the first message that dies here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DeadLetterBounds {

	private final DeadLetterRuntime runtime;

	private final Map<String, DeadLetterTrimmer> trimmers = new HashMap<>();

	private boolean stopped;

	/**
	 * Creates an object without queues.
	 * @param runtime the shared parts to manage dead messages
	 */
	public DeadLetterBounds(DeadLetterRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Has a queue checked soon, because messages have died.
	 * @param queue the queue
	 * @param settings its bounds
	 */
	public synchronized void buried(String queue, DeadLetterSettings settings) {
		if (!this.stopped && !this.trimmers.containsKey(queue)) {
			DeadLetterTrimmer trimmer = new DeadLetterTrimmer(queue, settings, this.runtime);
			this.trimmers.put(queue, trimmer);
			trimmer.start();
		}
		this.runtime.events().tell(queue);
	}

	/**
	 * Stops for all queues.
	 */
	public synchronized void stop() {
		this.stopped = true;
		this.trimmers.values().forEach(DeadLetterTrimmer::stop);
		this.trimmers.clear();
	}

}
