package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptWords;

/**
 * Reads the groups of a topic, sets how much it keeps, removes a group, and forgets the
 * topic.
 *
 * @param subscribe registers groups again that Redis has forgotten
 * @param wakePrefix the beginning of the channels on which other instances are woken
 * @since 0.1.0
 */
public record TopicScript(SubscribeScript subscribe, Supplier<String> wakePrefix) {

	/**
	 * Returns the last known state of a topic, without a request.
	 * @param topic the topic
	 * @return the state that is known here
	 */
	public StoredTopic known(String topic) {
		return this.subscribe.topics().known(topic);
	}

	/**
	 * Returns the names of all topics that were ever used and not removed since.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> names() {
		return this.subscribe.topics().names().read("Listing the topics", NameLists.TOPICS);
	}

	/**
	 * Reads the groups of a topic.
	 * @param topic the topic
	 * @return what Redis has of it
	 */
	public CompletableFuture<StoredTopic> run(String topic) {
		return look(topic, "Looking at the topic '" + topic + "'", Script.TOPIC);
	}

	private CompletableFuture<StoredTopic> look(String topic, String what, Script script, Object... args) {
		KnownTopics topics = this.subscribe.topics();
		StoredTopic before = topics.known(topic);
		return topics.runner()
			.run(what, script, topics.keys(topic).of(script), args, TopicKeys::stored)
			.thenCompose((stored) -> this.subscribe.learn(topic, before, stored));
	}

	/**
	 * Sets how much is kept of the messages that are published to a topic.
	 * @param topic the topic
	 * @param retention how much
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> keep(String topic, TopicRetention retention) {
		return look(topic, "Saying what the topic '" + topic + "' keeps", Script.KEEP_LOG, TopicKeys.text(retention))
			.thenAccept((learned) -> {
			});
	}

	/**
	 * Forgets a topic without groups, and its kept messages.
	 * @param topic the topic
	 * @return whether it is forgotten; not if it has a group
	 */
	public CompletableFuture<Boolean> forget(String topic) {
		KnownTopics topics = this.subscribe.topics();
		return topics.runner()
			.run("Forgetting the topic '" + topic + "'", Script.FORGET_TOPIC,
					topics.keys(topic).of(Script.FORGET_TOPIC), new Object[0], (reply) -> reply.text().equals("OK"))
			.thenCompose(
					(forgotten) -> forgotten ? topics.names().remove(NameLists.TOPICS, topic).thenApply((done) -> true)
							: CompletableFuture.completedFuture(false));
	}

	/**
	 * Removes a group with all its messages.
	 * @param topic the topic
	 * @param group the group
	 * @param reason why it is to be removed
	 * @return whether it was removed
	 */
	public CompletableFuture<Removal> removeGroup(String topic, String group, Reason reason) {
		KnownTopics topics = this.subscribe.topics();
		TopicKeys keys = topics.keys(topic);
		String queue = GroupName.of(topic, group);
		List<Object> all = topics.runner()
			.keys(queue)
			.with(ScriptKey.TOPIC_KNOWN, keys.known())
			.with(ScriptKey.GROUPS, keys.groups())
			.with(ScriptKey.GROUP_LANES, topics.runner().keys(queue).lanes())
			.of(Script.REMOVE_GROUP);
		return topics.runner()
			.run("Removing the group '" + group + "' of the topic '" + topic + "'", Script.REMOVE_GROUP, all,
					new Object[] { group, reason.name(), this.wakePrefix.get(), ScriptWords.DELETION_MILLIS },
					(reply) -> new Removal(Removal.Outcome.valueOf(reply.text()), reply.hasNext() ? reply.number() : 0))
			.thenCompose((removed) -> (!removed.isDone() || reason == Reason.LOOK)
					? CompletableFuture.completedFuture(removed)
					: topics.names()
						.remove(NameLists.EXPIRING, queue)
						.thenCompose((done) -> topics.names().remove(NameLists.QUEUES, queue))
						.thenApply((done) -> removed));
	}

	/**
	 * A group of a topic, as the store has it.
	 *
	 * @param name the group
	 * @param since when it was registered
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @param seen when a consumer last renewed it; asked for only if the group expires
	 * @param filter which messages it gets copies of, as it was last declared
	 */
	public record StoredGroup(String name, Instant since, Duration expiry, Instant seen, DeclaredFilter filter) {

		/**
		 * Returns whether the group is to be removed.
		 * @param now the store's clock
		 * @return whether no consumer was there for as long as it lives without one
		 */
		public boolean hasEnded(Instant now) {
			return !this.expiry.isZero() && this.seen.plus(this.expiry).isBefore(now);
		}

	}

	/**
	 * The state of a topic in the store.
	 *
	 * @param time the store's clock
	 * @param version changes whenever a group comes, goes or has another filter; empty if
	 * the topic is not used
	 * @param groups the groups by name
	 * @param retention how much is kept of the published messages
	 */
	public record StoredTopic(Instant time, String version, List<TopicScript.StoredGroup> groups,
			TopicRetention retention) {

		/**
		 * Nothing is known yet.
		 */
		public static final StoredTopic UNKNOWN = new StoredTopic(Instant.EPOCH, "", List.of(), TopicRetention.NONE);

		/**
		 * The least length of a version that was made from the clock.
		 */
		private static final int VERSION_LENGTH = 16;

		/**
		 * Returns the filter of a group.
		 * @param group the group
		 * @return the filter that it was last known to have; none if the group is not
		 * known
		 */
		public GroupFilter filter(String group) {
			for (TopicScript.StoredGroup each : this.groups) {
				if (each.name().equals(group)) {
					return each.filter().filter();
				}
			}
			return GroupFilter.NONE;
		}

		/**
		 * Returns whether the store had this before another state. A topic that is used
		 * anew after it was forgotten is not older.
		 * @param other another state of the topic in the store
		 * @return whether the groups are of an earlier version
		 */
		public boolean isOlderThan(StoredTopic other) {
			return this.version.length() >= VERSION_LENGTH && other.version.length() >= VERSION_LENGTH
					&& Long.parseLong(this.version) < Long.parseLong(other.version);
		}

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
