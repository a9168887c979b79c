package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.List;

/**
 * What an instance tells of itself, as JSON.
 *
 * @param name what people call it
 * @param startedAt when it started, by its own clock
 * @param listeners its listeners
 */
record InstanceDescription(String name, Instant startedAt, List<Listener> listeners) {

	/**
	 * A listener.
	 *
	 * @param id its id
	 * @param queues its queues
	 * @param concurrency how many handlers run at most
	 */
	record Listener(String id, List<String> queues, int concurrency) {

	}

}
