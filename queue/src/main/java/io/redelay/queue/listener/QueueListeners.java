package io.redelay.queue.listener;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.QueueListener;

/**
 * The listeners of this application, those of {@link QueueListener} annotations and those
 * that are registered while it runs. Changes made here hold for this instance, and until
 * it ends.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueListeners {

	/**
	 * Adds a listener, and starts it if the application has started its listeners and the
	 * definition does not say otherwise. It is stopped with the application like all
	 * others. A group of a topic gets all messages that are published after this has
	 * returned: this waits until Redis knows the group, for five seconds at most.
	 * @param definition what it listens to, and what handles its messages
	 * @return the listener
	 * @throws IllegalStateException if it cannot work as it is defined, or its id is
	 * taken; the message says what to do
	 */
	ListenerInfo register(ListenerDefinition definition);

	/**
	 * Starts a listener; does nothing if it runs. One that is stopping still finishes the
	 * messages it is handling. Waits for a group of a topic as {@link #register} does.
	 * @param id the id of the listener
	 * @throws IllegalArgumentException if there is no such listener
	 */
	void start(String id);

	/**
	 * Stops a listener until {@link #start} is called: it claims no more, gives back the
	 * messages whose handling has not begun, with no attempt counted, and lets running
	 * handlers finish for as long as when the application stops. Messages that are not
	 * finished by then are given back.
	 * @param id the id of the listener
	 * @return completes when it has stopped; on a thread of Redelay's that must not block
	 * @throws IllegalArgumentException if there is no such listener
	 */
	CompletableFuture<Void> stop(String id);

	/**
	 * Stops a listener and forgets it. Its id is free again when the returned future has
	 * completed.
	 * @param id the id of the listener
	 * @return completes when it has stopped; on a thread of Redelay's that must not block
	 * @throws IllegalArgumentException if there is no such listener
	 */
	CompletableFuture<Void> remove(String id);

	/**
	 * Has a listener claim nothing until {@link #resume} is called, and give back
	 * messages whose handling has not begun. Other instances go on;
	 * {@code QueueAdmin.control().pause} pauses a queue for all.
	 * @param id the id of the listener
	 * @throws IllegalArgumentException if there is no such listener
	 */
	void pause(String id);

	/**
	 * Has a listener claim again.
	 * @param id the id of the listener
	 * @throws IllegalArgumentException if there is no such listener
	 */
	void resume(String id);

	/**
	 * Changes how many handlers of a listener run at the same time, without a stop.
	 * @param id the id of the listener
	 * @param concurrency the number, from 1
	 * @throws IllegalArgumentException if there is no such listener
	 */
	default void setConcurrency(String id, int concurrency) {
		setConcurrency(id, concurrency, concurrency);
	}

	/**
	 * Changes how many handlers of a listener run at the same time, without a stop. If
	 * more run than are allowed then, they finish, and no others start until fewer do.
	 * @param id the id of the listener
	 * @param min how many at least, if there is work, from 1
	 * @param max how many at most
	 * @throws IllegalArgumentException if there is no such listener, or the numbers are
	 * not valid for it
	 */
	void setConcurrency(String id, int min, int max);

	/**
	 * Returns all listeners.
	 * @return the listeners, in the order in which they were registered
	 */
	List<ListenerInfo> list();

	/**
	 * Finds a listener.
	 * @param id its id
	 * @return the listener, or nothing if there is none
	 */
	Optional<ListenerInfo> find(String id);

}
