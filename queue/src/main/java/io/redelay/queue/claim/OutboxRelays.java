package io.redelay.queue.claim;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.Scheduler;

/**
 * Relays the notes in the outboxes of queues, once a reply has shown that there are any.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class OutboxRelays {

	/**
	 * How many idle relays are kept.
	 */
	private static final int MAX_IDLE = 1000;

	private final QueueScripts scripts;

	private final Scheduler scheduler;

	private final List<OutboxNoteHandler> handlers;

	private final ConcurrentMap<String, OutboxRelay> relays = new ConcurrentHashMap<>();

	/**
	 * Creates the relays of a server.
	 * @param scripts the scripts of the server
	 * @param scheduler the clock, and schedules retries
	 * @param handlers carry out notes, each those of one kind
	 */
	public OutboxRelays(QueueScripts scripts, Scheduler scheduler, List<OutboxNoteHandler> handlers) {
		this.scripts = scripts;
		this.scheduler = scheduler;
		this.handlers = List.copyOf(handlers);
	}

	/**
	 * Relays the notes of a queue, unless a pass is under way or has to wait.
	 * @param queue the queue, as the store knows it
	 */
	public void look(String queue) {
		OutboxRelay relay = this.relays.get(queue);
		if (relay == null || !relay.look()) {
			if (this.relays.size() >= MAX_IDLE) {
				this.relays.values().removeIf(OutboxRelay::retire);
			}
			this.relays.compute(queue, (name, present) -> (present != null && !present.retire()) ? present
					: new OutboxRelay(this.scripts, name, this.scheduler, this.handlers))
				.look();
		}
	}

	/**
	 * Tries the waiting relays at once, as Redis, or a node of it, answers again.
	 */
	public void redisIsBack() {
		this.relays.values().forEach(OutboxRelay::redisIsBack);
	}

}
