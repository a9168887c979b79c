package io.redelay.queue.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the topics and their groups. What a group collects is in a queue of its own, with
 * the name that {@link io.redelay.queue.limits.GroupName} gives it.
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
	 * @param request what to add
	 * @param limits how long the queue of a group may be, by its name in the store
	 * @return what became of it
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
	 * Tells what was last learned of a topic, without asking.
	 * @param topic the topic
	 * @return what is known here
	 */
	StoredTopic known(String topic);

	/**
	 * The names of all topics that were ever used and not removed since.
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
	 * Registers a group, or says that a consumer of it is there, and leaves its filter as
	 * it is.
	 * @param topic the topic
	 * @param group the group
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @return whether it was not registered before
	 */
	default CompletableFuture<Boolean> subscribe(String topic, String group, Duration expiry) {
		return subscribe(topic, group, expiry, DeclaredFilter.NONE).thenApply(GroupRegistration::added);
	}

	/**
	 * Registers a group, or says that a consumer of it is there.
	 * @param topic the topic
	 * @param group the group
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @param filter which messages it gets copies of from here on, unless that was
	 * declared later for the group
	 * @return what became of it
	 */
	CompletableFuture<GroupRegistration> subscribe(String topic, String group, Duration expiry, DeclaredFilter filter);

	/**
	 * Removes a group with all that it has collected.
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
		 * Somebody said so. What is in its outbox is lost.
		 */
		BY_HAND,

		/**
		 * Nothing is removed: the outcome is what {@link #BY_HAND} would have.
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
	 * What became of the removal of a group.
	 *
	 * @param outcome what became of it
	 * @param messages how many messages were removed with it, dead ones included
	 */
	record Removal(Outcome outcome, long messages) {

		/**
		 * Whether the group was removed.
		 * @return whether it was there and is no more
		 */
		public boolean isDone() {
			return this.outcome == Outcome.OK;
		}

		/**
		 * What became of it.
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
			 * Somebody consumes from it.
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
	 * Says what is kept of what is published.
	 * @param topic the topic
	 * @param retention how much
	 * @return completes when it is known
	 */
	CompletableFuture<Void> retain(String topic, TopicRetention retention);

	/**
	 * Opens a lane to give a group what was published, each step once.
	 * @param topic the topic
	 * @param group the group
	 * @return the name of the lane
	 */
	CompletableFuture<String> openReplay(String topic, String group);

	/**
	 * Gives a group what was published once more, one step.
	 * @param topic the topic
	 * @param group the group
	 * @param step which
	 * @return what became of it
	 */
	CompletableFuture<ReplayReply> replay(String topic, String group, ReplayStep step);

	/**
	 * Forgets a topic that has no group, and what is kept of it.
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
