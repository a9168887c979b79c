package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.QueueEvent;
import org.jspecify.annotations.Nullable;

/**
 * Is told by a store what its replies say about the moves of messages, before whoever
 * made the request has the reply. Must be quick, must not block and must not throw.
 *
 * @since 0.1.0
 */
public interface MoveListener {

	/**
	 * Nobody listens.
	 */
	MoveListener NONE = new MoveListener() {

		@Override
		public boolean isListening() {
			return false;
		}

	};

	/**
	 * Whether anybody wants to know. A store tells nothing and asks for nothing if not.
	 * @return whether the other methods are to be called
	 */
	boolean isListening();

	/**
	 * Whether anybody wants to know of changes of queues. A store asks for nothing of
	 * them if not.
	 * @return whether {@link #changed} is to be called
	 */
	default boolean isListeningToQueues() {
		return false;
	}

	/**
	 * A queue as a whole has changed. May be called although nobody listens.
	 * @param type what happened
	 * @param queue the queue, as the application knows it
	 * @param time when it happened
	 * @param messages how many messages are gone with it, or 0
	 * @param detail what else there is to know, or {@code null}
	 */
	default void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
	}

	/**
	 * The limits of a queue were changed for all instances. To be called once for each
	 * change.
	 * @param queue the queue, as the application knows it
	 * @param limits what they are now, for people
	 */
	default void limitsChanged(String queue, String limits) {
		changed(QueueEvent.Type.LIMITS_CHANGED, queue, Instant.now(), 0, limits);
	}

	/**
	 * A request goes out that adds messages.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 */
	default void sending(String queue, SendRequest request) {
	}

	/**
	 * A request ended that adds messages.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply what became of it, or {@code null} if it failed
	 */
	default void sent(String queue, SendRequest request, @Nullable SendReply reply) {
	}

	/**
	 * A request was answered that settles and claims.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply what became of it
	 */
	default void claimed(String queue, ClaimRequest request, ClaimReply reply) {
	}

	/**
	 * What handlers told of messages was written beside them.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply what became of it
	 */
	default void worked(String queue, WorkRequest request, WorkReply reply) {
	}

	/**
	 * Commands were carried out.
	 * @param queue the queue, as the store knows it
	 * @param commands the commands
	 * @param reply what became of them
	 */
	default void commanded(String queue, List<MessageCommand> commands, CommandReply reply) {
	}

	/**
	 * Messages were removed.
	 * @param queue the queue, as the store knows it
	 * @param removal what removed them
	 * @param uids the messages
	 * @param time the store's clock
	 */
	default void removed(String queue, Removal removal, List<String> uids, Instant time) {
	}

	/**
	 * What removes messages.
	 */
	enum Removal {

		/**
		 * A purge.
		 */
		PURGE("Purged"),

		/**
		 * The bounds of the dead messages.
		 */
		TRIMMING("Beyond the bounds of the dead messages");

		private final String cause;

		Removal(String cause) {
			this.cause = cause;
		}

		public String cause() {
			return this.cause;
		}

	}

}
