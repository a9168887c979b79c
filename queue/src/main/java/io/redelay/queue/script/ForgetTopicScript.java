package io.redelay.queue.script;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;

/**
 * Forgets a topic without groups, and its kept messages.
 *
 * @param topics the topics as the instance knows them
 * @since 0.1.0
 */
public record ForgetTopicScript(KnownTopics topics) {

	/**
	 * Forgets a topic.
	 * @param topic the topic
	 * @return whether it is forgotten; not if it has a group
	 */
	public CompletableFuture<Boolean> run(String topic) {
		TopicKeys keys = this.topics.keys(topic);
		return this.topics.runner()
			.run("Forgetting the topic '" + topic + "'", Script.FORGET_TOPIC, keys.of(Script.FORGET_TOPIC),
					new Object[0], (reply) -> reply.text().equals("OK"))
			.thenCompose((forgotten) -> forgotten
					? this.topics.names().remove(NameLists.TOPICS, topic).thenApply((done) -> true)
					: CompletableFuture.completedFuture(false));
	}

}
