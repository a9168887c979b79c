package io.redelay.queue.deadletter;

import java.util.LinkedHashMap;
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

	/**
	 * Of how many queues the dead messages are kept within their bounds. The queue where
	 * none has died for longest is given up until one dies there again.
	 */
	static final int MAX_QUEUES = 1000;

	private final DeadLetterRuntime runtime;

	/**
	 * The trimmers of the queues where messages died last, by queue.
	 */
	private final Map<String, DeadLetterTrimmer> trimmers = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, DeadLetterTrimmer> eldest) {
			if (size() <= MAX_QUEUES) {
				return false;
			}
			eldest.getValue().stop();
			return true;
		}

	};

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
		if (!this.stopped && this.trimmers.get(queue) == null) {
			DeadLetterTrimmer trimmer = new DeadLetterTrimmer(queue, settings, this.runtime);
			this.trimmers.put(queue, trimmer);
			trimmer.start();
		}
		this.runtime.events().publish(queue);
	}

	/**
	 * Goes on after {@link #stop()}, for each queue where a message dies.
	 */
	public synchronized void start() {
		this.stopped = false;
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
