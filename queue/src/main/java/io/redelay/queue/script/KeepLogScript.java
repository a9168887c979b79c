package io.redelay.queue.script;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.wire.Script;

/**
 * Sets how much is kept of the messages that are published to a topic.
 *
 * @param subscribe registers groups again that Redis has forgotten
 * @since 0.1.0
 */
public record KeepLogScript(SubscribeScript subscribe) {

	/**
	 * Sets how much is kept.
	 * @param topic the topic
	 * @param retention how much
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> run(String topic, TopicRetention retention) {
		TopicKeys keys = this.subscribe.topics().keys(topic);
		TopicScript.StoredTopic before = this.subscribe.topics().known(topic);
		return this.subscribe.topics()
			.runner()
			.run("Saying what the topic '" + topic + "' keeps", Script.KEEP_LOG, keys.of(Script.KEEP_LOG),
					new Object[] { TopicKeys.text(retention) }, TopicKeys::stored)
			.thenCompose((stored) -> this.subscribe.learn(topic, before, stored))
			.thenAccept((learned) -> {
			});
	}

}
