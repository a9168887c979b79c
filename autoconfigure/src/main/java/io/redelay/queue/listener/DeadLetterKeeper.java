package io.redelay.queue.listener;

import java.util.List;

/**
 * Looks after the dead messages of a container's queues while it runs.
 */
final class DeadLetterKeeper {

	private final List<DeadLetterTrimmer> trimmers;

	DeadLetterKeeper(ContainerSettings settings, ListenerRuntime runtime) {
		this.trimmers = settings.queues()
			.entrySet()
			.stream()
			.map((queue) -> new DeadLetterTrimmer(queue.getKey(), queue.getValue().deadLetters(), runtime))
			.toList();
	}

	void start() {
		this.trimmers.forEach(DeadLetterTrimmer::start);
	}

	void stop() {
		this.trimmers.forEach(DeadLetterTrimmer::stop);
	}

}
