package io.redelay.queue.script;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Reads the groups of a topic.
 *
 * @since 0.1.0
 */
public final class TopicScript {

	private final ScriptRunner runner;

	private final KnownTopics topics;

	private final SubscribeScript subscribe;

	TopicScript(ScriptRunner runner, KnownTopics topics, SubscribeScript subscribe) {
		this.runner = runner;
		this.topics = topics;
		this.subscribe = subscribe;
	}

	/**
	 * Returns the last known state of a topic, without a request.
	 * @param topic the topic
	 * @return the state that is known here
	 */
	public StoredTopic known(String topic) {
		return this.topics.known(topic);
	}

	/**
	 * Returns the names of all topics that were ever used and not removed since.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> names() {
		return new NameLists(this.runner).read("Listing the topics", NameLists.TOPICS);
	}

	/**
	 * Reads the groups of a topic.
	 * @param topic the topic
	 * @return what Redis has of it
	 */
	public CompletableFuture<StoredTopic> run(String topic) {
		TopicKeys keys = this.topics.keys(topic);
		StoredTopic before = this.topics.known(topic);
		return this.runner
			.run("Looking at the topic '" + topic + "'", Script.TOPIC, keys.of(Script.TOPIC), new Object[0],
					TopicKeys::stored)
			.thenCompose((stored) -> this.subscribe.learn(topic, before, stored));
	}

}
