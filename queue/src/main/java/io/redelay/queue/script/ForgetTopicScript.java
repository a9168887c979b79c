package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Forgets a topic without groups, and its kept messages.
 *
 * @since 0.1.0
 */
public final class ForgetTopicScript {

	private final ScriptRunner runner;

	private final KnownTopics topics;

	private final NameLists names;

	ForgetTopicScript(ScriptRunner runner, KnownTopics topics) {
		this.runner = runner;
		this.topics = topics;
		this.names = new NameLists(runner);
	}

	/**
	 * Forgets a topic.
	 * @param topic the topic
	 * @return whether it is forgotten; not if it has a group
	 */
	public CompletableFuture<Boolean> run(String topic) {
		TopicKeys keys = this.topics.keys(topic);
		return this.runner
			.run("Forgetting the topic '" + topic + "'", Script.FORGET_TOPIC, keys.of(Script.FORGET_TOPIC),
					new Object[0], (reply) -> reply.text().equals("OK"))
			.thenCompose((forgotten) -> forgotten ? this.names.remove(NameLists.TOPICS, topic).thenApply((done) -> true)
					: CompletableFuture.completedFuture(false));
	}

}
