package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import org.jspecify.annotations.Nullable;

/**
 * Registers a group of a topic, or renews it for a consumer.
 *
 * @param topics the topics as the instance knows them
 * @since 0.1.0
 */
public record SubscribeScript(KnownTopics topics) {

	/**
	 * Registers a group or renews it.
	 * @param topic the topic
	 * @param group the group
	 * @param expiry how long it lives without a consumer; zero for ever
	 * @param filter which messages it gets copies of from now on, unless a filter was
	 * declared later for the group; {@link DeclaredFilter#NONE} leaves its filter as it
	 * is
	 * @return the result
	 */
	public CompletableFuture<Registration> run(String topic, String group, Duration expiry, DeclaredFilter filter) {
		TopicKeys keys = this.topics.keys(topic);
		String queue = GroupName.of(topic, group);
		TopicScript.StoredTopic before = this.topics.known(topic);
		Instant since = filter.since();
		Object[] args = { group, ScriptTime.millis(expiry), GroupFilterText.of(filter.filter()),
				(since != null) ? Long.toString(since.toEpochMilli()) : "" };
		return this.topics.register(topic)
			.thenCompose((done) -> this.topics.names().addQueue(queue))
			.thenCompose((done) -> this.topics.runner()
				.run("Registering the group '" + group + "' of the topic '" + topic + "'", Script.SUBSCRIBE,
						List.of(keys.known(), keys.groups(), this.topics.runner().keys(queue).known()), args,
						(reply) -> {
							Registration registration = registration(reply);
							return learn(topic, before, TopicKeys.stored(reply)).thenApply((learned) -> registration);
						}))
			.thenCompose(Function.identity());
	}

	private static Registration registration(ReplyReader reply) {
		DeclaredFilter filter = TopicKeys.filter(reply.text(), reply.text());
		GroupFilter former = GroupFilterText.parse(reply.text());
		boolean added = reply.flag();
		return new Registration(added, filter, (added || former.equals(filter.filter())) ? null : former);
	}

	/**
	 * Learns the groups of a topic. If that state is older than the one known at the
	 * request, Redis went back in time, and the groups that it has forgotten are
	 * registered again. Otherwise no published message would reach them before a consumer
	 * renews them.
	 * @param before the state known at the request
	 * @return a future that completes with the state known now
	 */
	CompletableFuture<TopicScript.StoredTopic> learn(String topic, TopicScript.StoredTopic before,
			TopicScript.StoredTopic stored) {
		List<TopicScript.StoredGroup> forgotten = KnownTopics.forgotten(before, stored);
		if (forgotten.isEmpty()) {
			return CompletableFuture.completedFuture(this.topics.remember(topic, stored));
		}
		// Until this is done, nothing else is published to the groups known here.
		CompletableFuture<?> registered = CompletableFuture.completedFuture(null);
		for (TopicScript.StoredGroup group : forgotten) {
			registered = registered.thenCompose((done) -> run(topic, group.name(), group.expiry(), group.filter()));
		}
		return registered.thenApply((done) -> this.topics.known(topic));
	}

	/**
	 * The result of the registration of a group.
	 *
	 * @param added whether the group was not registered before
	 * @param filter the filter that the group has now
	 * @param replaced the filter that it replaced, or {@code null} if both are the same,
	 * or the group is new
	 */
	public record Registration(boolean added, DeclaredFilter filter, @Nullable GroupFilter replaced) {
	}

}
