package io.redelay.queue.script;

/**
 * The scripts of topics and their groups. The messages of a group are in a queue of its
 * own, with the name that {@link io.redelay.queue.limits.GroupName} gives it.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link io.redelay.queue.request.StoreException}.
 *
 * @param publish adds messages to the groups
 * @param subscribe registers a group
 * @param topic reads the groups
 * @param replay replays published messages to a group
 * @since 0.1.0
 */
public record TopicScripts(PublishScript publish, SubscribeScript subscribe, TopicScript topic, ReplayScript replay) {

	public static TopicScripts of(SendingContext context) {
		KnownTopics topics = new KnownTopics(context.runner());
		SubscribeScript subscribe = new SubscribeScript(topics);
		TopicScript topic = new TopicScript(subscribe, context.wakePrefix());
		return new TopicScripts(new PublishScript(context, topics, subscribe), subscribe, topic,
				new ReplayScript(context, topics, topic));
	}

}
