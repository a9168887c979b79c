package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Sets how much is kept of the messages that are published to a topic.
 *
 * @since 0.1.0
 */
public final class KeepLogScript {

	private final ScriptRunner runner;

	private final KnownTopics topics;

	private final SubscribeScript subscribe;

	KeepLogScript(ScriptRunner runner, KnownTopics topics, SubscribeScript subscribe) {
		this.runner = runner;
		this.topics = topics;
		this.subscribe = subscribe;
	}

	/**
	 * Sets how much is kept.
	 * @param topic the topic
	 * @param retention how much
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> run(String topic, TopicRetention retention) {
		TopicKeys keys = this.topics.keys(topic);
		TopicScript.StoredTopic before = this.topics.known(topic);
		return this.runner
			.run("Saying what the topic '" + topic + "' keeps", Script.KEEP_LOG, keys.of(Script.KEEP_LOG),
					new Object[] { TopicKeys.text(retention) }, TopicKeys::stored)
			.thenCompose((stored) -> this.subscribe.learn(topic, before, stored))
			.thenAccept((learned) -> {
			});
	}

}
