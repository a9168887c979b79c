package io.redelay.queue.script;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

import io.redelay.queue.wire.ScriptRunner;

/**
 * The topics as an instance knows them, from the last replies about them.
 */
final class KnownTopics {

	/**
	 * For how many topics the groups are remembered.
	 */
	private static final int MAX_TOPICS = 1000;

	private final ScriptRunner runner;

	private final ConcurrentMap<String, TopicScript.StoredTopic> known = new ConcurrentHashMap<>();

	KnownTopics(ScriptRunner runner) {
		this.runner = runner;
	}

	TopicKeys keys(String topic) {
		return TopicKeys.of(this.runner.prefix(), topic);
	}

	ScriptRunner runner() {
		return this.runner;
	}

	NameLists names() {
		return new NameLists(this.runner);
	}

	CompletableFuture<Void> register(String topic) {
		return names().add("Registering '" + topic + "'", NameLists.TOPICS, topic);
	}

	TopicScript.StoredTopic known(String topic) {
		return this.known.getOrDefault(topic, TopicScript.StoredTopic.UNKNOWN);
	}

	TopicScript.StoredTopic remember(String topic, TopicScript.StoredTopic stored) {
		if (this.known.size() >= MAX_TOPICS) {
			this.known.clear(); // each costs a publish more then, once
		}
		this.known.put(topic, stored);
		return stored;
	}

	/**
	 * Returns the groups that Redis has forgotten, as it went back in time.
	 * @param before the state known at a request
	 * @param stored the state in the reply
	 */
	static List<TopicScript.StoredGroup> forgotten(TopicScript.StoredTopic before, TopicScript.StoredTopic stored) {
		if (!stored.isOlderThan(before)) {
			return List.of();
		}
		Set<String> present = stored.groups().stream().map(TopicScript.StoredGroup::name).collect(Collectors.toSet());
		return before.groups().stream().filter((group) -> !present.contains(group.name())).toList();
	}

}
