package io.redelay.queue.event;

import java.time.Duration;
import java.util.List;

/**
 * A listener of this instance was given no message for
 * {@code redelay.events.listener-idle-after}, and holds none. Published as an application
 * event in its instance, on a thread of its own: once, and again only after it was given
 * a message or was started anew.
 *
 * @param listener the id of the listener
 * @param queues the queues that it listens to
 * @param idle for how long it was given no message
 * @param paused whether it is paused in this instance
 * @since 0.1.0
 */
public record ListenerContainerIdleEvent(String listener, List<String> queues, Duration idle, boolean paused) {

	/**
	 * Copies the list.
	 */
	public ListenerContainerIdleEvent {
		queues = List.copyOf(queues);
	}

}
