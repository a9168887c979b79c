package io.redelay.queue.listener.deadletter;

import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the dead messages of queues within their bounds where no listener of them may do
 * so.
 *
 * @since 0.1.0
 */
public final class DeadLetterBounds {

	private final DeadLetterRuntime runtime;

	private final List<DeadLetterTrimmer> trimmers = new ArrayList<>();

	/**
	 * Creates it.
	 * @param runtime what it works with
	 */
	public DeadLetterBounds(DeadLetterRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Begins with a queue.
	 * @param queue the queue
	 * @param settings its bounds
	 */
	public synchronized void start(String queue, DeadLetterSettings settings) {
		DeadLetterTrimmer trimmer = new DeadLetterTrimmer(queue, settings, this.runtime);
		this.trimmers.add(trimmer);
		trimmer.start();
	}

	/**
	 * Ends with all queues.
	 */
	public synchronized void stop() {
		this.trimmers.forEach(DeadLetterTrimmer::stop);
		this.trimmers.clear();
	}

	/**
	 * Has a queue looked at soon, for messages have died.
	 * @param queue the queue
	 */
	public void buried(String queue) {
		this.runtime.events().tell(queue);
	}

}
