package io.redelay.queue.script;

import java.time.Instant;

import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@link ScriptObservers}: observes the calls of scripts while it is there.
 * Must be quick and must not block. What it throws is logged, and fails no call.
 *
 * @since 0.1.0
 */
public interface ScriptObserver {

	/**
	 * Returns whether replies must name the messages that have moved, which scripts leave
	 * out otherwise.
	 * @return whether this needs the moves of messages
	 */
	default boolean needsMoves() {
		return false;
	}

	/**
	 * Returns whether replies must say that the last living message of a queue has gone,
	 * which scripts do not look for otherwise.
	 * @return whether this needs the changes of queues
	 */
	default boolean needsChanges() {
		return false;
	}

	/**
	 * Returns whether this observes requests that add messages, which are not observed
	 * otherwise.
	 * @return whether this needs the sends of messages
	 */
	default boolean needsSends() {
		return false;
	}

	/**
	 * Called before a request that adds messages.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 */
	default void sending(String queue, SendRequest request) {
	}

	/**
	 * Called when a call was answered, before its caller gets the reply.
	 * @param call the call
	 */
	default void called(ScriptCall call) {
	}

	/**
	 * Called when a queue as a whole has changed.
	 * @param type the type of event
	 * @param queue the queue, as the application knows it
	 * @param time when it happened
	 * @param messages how many messages are gone with it, or 0
	 * @param detail more detail, or {@code null}
	 */
	default void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
	}

}
