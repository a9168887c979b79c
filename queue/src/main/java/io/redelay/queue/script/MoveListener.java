package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * Notified by a store of the moves of messages in a reply, before the caller gets the
 * reply. Must be quick, must not block and must not throw.
 *
 * @since 0.1.0
 */
public interface MoveListener {

	/**
	 * A listener that ignores everything.
	 */
	MoveListener NONE = new MoveListener() {

		@Override
		public boolean isListening() {
			return false;
		}

	};

	/**
	 * Returns whether this listens. A store asks for no moves and notifies of none if
	 * not.
	 * @return whether the other methods are to be called
	 */
	boolean isListening();

	/**
	 * Returns whether this listens to changes of queues. A store does not ask for them if
	 * not.
	 * @return whether {@link #changed} is to be called
	 */
	default boolean isListeningToQueues() {
		return false;
	}

	/**
	 * Called when a queue as a whole has changed. May be called even if this does not
	 * listen.
	 * @param type the type of event
	 * @param queue the queue, as the application knows it
	 * @param time when it happened
	 * @param messages how many messages are gone with it, or 0
	 * @param detail more detail, or {@code null}
	 */
	default void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
	}

	/**
	 * Called once for each change of the limits of a queue for all instances.
	 * @param queue the queue, as the application knows it
	 * @param limits the present limits, for display
	 */
	default void limitsChanged(String queue, String limits) {
		changed(QueueEvent.Type.LIMITS_CHANGED, queue, Instant.now(), 0, limits);
	}

	/**
	 * Called before a request that adds messages.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 */
	default void sending(String queue, SendRequest request) {
	}

	/**
	 * Called when a request that adds messages has ended.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply its reply, or {@code null} if it failed
	 */
	default void sent(String queue, SendRequest request, @Nullable SendReply reply) {
	}

	/**
	 * Called when entries of an inlet became dead messages, as they cannot be sent.
	 * @param queue the queue, as the store knows it
	 * @param dead the dead messages that they became
	 * @param time the store's clock
	 */
	default void refused(String queue, List<TakenEntry.Dead> dead, Instant time) {
	}

	/**
	 * Called when a request that settles and claims was answered.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply its reply
	 */
	default void claimed(String queue, ClaimRequest request, ClaimReply reply) {
	}

	/**
	 * Called when the progress, the logs and the checkpoints of messages were written.
	 * @param queue the queue, as the store knows it
	 * @param request the request
	 * @param reply its reply
	 */
	default void worked(String queue, WorkRequest request, WorkReply reply) {
	}

	/**
	 * Called when commands were carried out.
	 * @param queue the queue, as the store knows it
	 * @param commands the commands
	 * @param reply their reply
	 */
	default void commanded(String queue, List<MessageCommand> commands, CommandReply reply) {
	}

	/**
	 * Called when messages were removed.
	 * @param queue the queue, as the store knows it
	 * @param removal the operation that removed them
	 * @param uids the messages
	 * @param time the store's clock
	 */
	default void removed(String queue, Removal removal, List<String> uids, Instant time) {
	}

	/**
	 * The operations that remove messages.
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
