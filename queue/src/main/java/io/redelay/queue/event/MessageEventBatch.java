package io.redelay.queue.event;

import java.util.List;

/**
 * Events of one instance, as all instances receive them that listen to the feed.
 * Published as an event of the application, on a thread of its own, if an
 * {@code @EventListener} method takes it.
 *
 * @param instance the instance whose events they are
 * @param events the events, in the order in which the instance learned of them
 * @param missed how many events of that instance are missing before these: the instance
 * had more than it could write, or this one did not read them in time
 * @since 0.1.0
 */
public record MessageEventBatch(String instance, List<MessageEvent> events, long missed) {

	/**
	 * Copies the list.
	 */
	public MessageEventBatch {
		events = List.copyOf(events);
	}

}
