package io.redelay.queue.store.redis;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.StoredTopic;

/**
 * The scripts of topics and their groups. The messages of a group are in a queue of its
 * own, with the name that {@link io.redelay.queue.limits.GroupName} gives it.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link io.redelay.queue.store.StoreException}.
 *
 * @since 0.1.0
 */
public final class TopicScripts {

	private final SendingContext context;

	private final KnownTopics topics;

	private final SubscribeScript subscribe;

	private final TopicScript topic;

	private final PublishScript publish;

	private final ReplayScript replay;

	private final RemoveGroupScript removeGroup;

	private final KeepLogScript keepLog;

	private final ForgetTopicScript forgetTopic;

	TopicScripts(SendingContext context) {
		ScriptRunner runner = context.runner();
		this.context = context;
		this.topics = new KnownTopics(runner);
		this.subscribe = new SubscribeScript(runner, this.topics);
		this.topic = new TopicScript(runner, this.topics, this.subscribe);
		this.publish = new PublishScript(context, this.topics, this.subscribe);
		this.replay = new ReplayScript(context, this.topics, this.topic);
		this.removeGroup = new RemoveGroupScript(runner, this.topics, context.wakePrefix());
		this.keepLog = new KeepLogScript(runner, this.topics, this.subscribe);
		this.forgetTopic = new ForgetTopicScript(runner, this.topics);
	}

	public PublishScript publish() {
		return this.publish;
	}

	public SubscribeScript subscribe() {
		return this.subscribe;
	}

	public TopicScript topic() {
		return this.topic;
	}

	public ReplayScript replay() {
		return this.replay;
	}

	public RemoveGroupScript removeGroup() {
		return this.removeGroup;
	}

	public KeepLogScript keepLog() {
		return this.keepLog;
	}

	public ForgetTopicScript forgetTopic() {
		return this.forgetTopic;
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
		return new NameLists(this.context.runner()).read("Listing the topics", NameLists.TOPICS);
	}

	/**
	 * Returns the requests that are remembered in case Redis goes back in time.
	 * @return the memory that all lanes share
	 */
	public ReplayMemory replayMemory() {
		return this.context.memory();
	}

}
