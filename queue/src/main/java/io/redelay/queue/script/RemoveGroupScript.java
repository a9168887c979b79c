package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.limits.GroupName;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptWords;

/**
 * Removes a group of a topic with all its messages.
 *
 * @param topics the topics as the instance knows them
 * @param wakePrefix what its name says
 * @since 0.1.0
 */
public record RemoveGroupScript(KnownTopics topics, Supplier<String> wakePrefix) {

	/**
	 * Removes a group.
	 * @param topic the topic
	 * @param group the group
	 * @param reason why it is to be removed
	 * @return whether it was removed
	 */
	public CompletableFuture<Removal> run(String topic, String group, Reason reason) {
		TopicKeys keys = this.topics.keys(topic);
		String queue = GroupName.of(topic, group);
		List<Object> all = this.topics.runner()
			.keys(queue)
			.with(ScriptKey.TOPIC_KNOWN, keys.known())
			.with(ScriptKey.GROUPS, keys.groups())
			.with(ScriptKey.GROUP_LANES, this.topics.runner().keys(queue).lanes())
			.of(Script.REMOVE_GROUP);
		return this.topics.runner()
			.run("Removing the group '" + group + "' of the topic '" + topic + "'", Script.REMOVE_GROUP, all,
					new Object[] { group, reason.name(), this.wakePrefix.get(), ScriptWords.DELETION_MILLIS },
					(reply) -> new Removal(Removal.Outcome.valueOf(reply.text()), reply.hasNext() ? reply.number() : 0))
			.thenCompose((removed) -> (!removed.isDone() || reason == Reason.LOOK)
					? CompletableFuture.completedFuture(removed)
					: this.topics.names()
						.remove(NameLists.EXPIRING, queue)
						.thenCompose((done) -> this.topics.names().remove(NameLists.QUEUES, queue))
						.thenApply((done) -> removed));
	}

	/**
	 * Why a group is to be removed.
	 */
	public enum Reason {

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
	public record Removal(Outcome outcome, long messages) {

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

}
