package io.redelay.queue.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the topics and their groups. The messages of a group are in a queue of its own,
 * with the name that {@link io.redelay.queue.limits.GroupName} gives it.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface TopicStore {

	/**
	 * Opens a lane to publish on.
	 * @param topic the topic
	 * @return the name of the lane
	 */
	CompletableFuture<String> open(String topic);

	/**
	 * Adds messages to each group of a topic, all to all of them or none to any.
	 * @param topic the topic
	 * @param request the messages to add
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @return the result
	 */
	CompletableFuture<PublishReply> publish(String topic, SendRequest request,
			Function<String, @Nullable LengthLimit> limits);

	/**
	 * Asks which request of a lane is the last one that is remembered.
	 * @param topic the topic
	 * @param lane the lane
	 * @return what is remembered
	 */
	CompletableFuture<SenderState> check(String topic, String lane);

	/**
	 * Returns the last known state of a topic, without a request.
	 * @param topic the topic
	 * @return the state that is known here
	 */
	StoredTopic known(String topic);

	/**
	 * Returns the names of all topics that were ever used and not removed since.
	 * @return the names
	 */
	CompletableFuture<Set<String>> topics();

	/**
	 * Asks for the groups of a topic.
	 * @param topic the topic
	 * @return what the store has of it
	 */
	CompletableFuture<StoredTopic> look(String topic);

	/**
	 * Registers a group or renews it for a consumer, and leaves its filter as it is.
	 * @param topic the topic
	 * @param group the group
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @return whether it was not registered before
	 */
	default CompletableFuture<Boolean> subscribe(String topic, String group, Duration expiry) {
		return subscribe(topic, group, expiry, DeclaredFilter.NONE).thenApply(GroupRegistration::added);
	}

	/**
	 * Registers a group, or renews it for a consumer.
	 * @param topic the topic
	 * @param group the group
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @param filter which messages it gets copies of from now on, unless a filter was
	 * declared later for the group
	 * @return the result
	 */
	CompletableFuture<GroupRegistration> subscribe(String topic, String group, Duration expiry, DeclaredFilter filter);

	/**
	 * Removes a group with all its messages.
	 * @param topic the topic
	 * @param group the group
	 * @param reason why it is to be removed
	 * @return whether it was removed
	 */
	CompletableFuture<Removal> remove(String topic, String group, RemovalReason reason);

	/**
	 * Why a group is to be removed.
	 */
	enum RemovalReason {

		/**
		 * By request of a user. The notes in its outbox are lost.
		 */
		BY_HAND,

		/**
		 * Nothing is removed: the outcome is the one that {@link #BY_HAND} would have.
		 */
		LOOK,

		/**
		 * Its only consumer has left it. It stays while its outbox has notes.
		 */
		LEFT,

		/**
		 * It had no consumer for as long as it lives without one, or else it stays. It
		 * stays while its outbox has notes, too.
		 */
		ENDED

	}

	/**
	 * The result of the removal of a group.
	 *
	 * @param outcome the outcome
	 * @param messages how many messages were removed with it, dead ones included
	 */
	record Removal(Outcome outcome, long messages) {

		/**
		 * Returns whether the group was removed.
		 * @return whether it existed and was removed
		 */
		public boolean isDone() {
			return this.outcome == Outcome.OK;
		}

		/**
		 * The outcome of a removal.
		 */
		public enum Outcome {

			/**
			 * The group is removed.
			 */
			OK,

			/**
			 * It has not ended.
			 */
			KEPT,

			/**
			 * A listener consumes from it.
			 */
			BUSY,

			/**
			 * Its outbox has notes, which are to be relayed first.
			 */
			NOTES,

			/**
			 * There is no such group.
			 */
			UNKNOWN

		}

	}

	/**
	 * Sets how much is kept of the published messages.
	 * @param topic the topic
	 * @param retention how much
	 * @return a future that completes when it is known
	 */
	CompletableFuture<Void> retain(String topic, TopicRetention retention);

	/**
	 * Opens a lane to replay published messages to a group, each step once.
	 * @param topic the topic
	 * @param group the group
	 * @return the name of the lane
	 */
	CompletableFuture<String> openReplay(String topic, String group);

	/**
	 * Replays published messages to a group, one step.
	 * @param topic the topic
	 * @param group the group
	 * @param step which
	 * @return the result
	 */
	CompletableFuture<ReplayReply> replay(String topic, String group, ReplayStep step);

	/**
	 * Forgets a topic without groups, and its kept messages.
	 * @param topic the topic
	 * @return whether it is forgotten; not if it has a group
	 */
	CompletableFuture<Boolean> forget(String topic);

	/**
	 * A step of a replay.
	 *
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param from the first entry, or {@code (} and the entry behind which to begin
	 * @param last the last entry, or {@code +} for the last one that there is
	 * @param uid a new uid
	 * @param limit how long the queue may be, if that is limited
	 */
	record ReplayStep(String lane, long seq, String from, String last, String uid, @Nullable LengthLimit limit) {
	}

	/**
	 * Remembers the requests that were answered, in case the store goes back in time.
	 * @return the memory that all lanes share
	 */
	ReplayMemory replayMemory();

}
