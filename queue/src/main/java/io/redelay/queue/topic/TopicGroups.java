package io.redelay.queue.topic;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.event.TopicGroupEvent;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.script.SubscribeScript;
import io.redelay.queue.script.TopicScript;
import io.redelay.queue.script.TopicScripts;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * The groups of topics, as an instance manages them: it registers the groups that it
 * consumes from and renews them regularly. Instances that publish or consume remove
 * groups that have ended.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class TopicGroups implements AutoCloseable {

	private static final Log logger = PlainLog.of(TopicGroups.class);

	/**
	 * The longest time between two renewals of a membership: Redis may have forgotten it.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

	/**
	 * The shortest time between two searches of a publisher for groups that have ended.
	 */
	private static final Duration LOOK_PAUSE = Duration.ofSeconds(20);

	private final Supplier<TopicScripts> scripts;

	/**
	 * How many topics of publishers are remembered: a forgotten one is searched, or
	 * warned of, once more.
	 */
	private static final int MAX_TOPICS = 1000;

	private final Map<String, TopicSettings> settings;

	private final Scheduler scheduler;

	private final Consumer<TopicGroupEvent> events;

	private final Consumer<String> outboxes;

	/**
	 * The groups that this instance consumes from, by the names of their queues.
	 */
	private final ConcurrentMap<String, GroupMembership> memberships = new ConcurrentHashMap<>();

	/**
	 * The memberships that this instance is ending: a listener that joins such a group
	 * again waits for the end, or the group would be removed with it.
	 */
	private final ConcurrentMap<String, GroupMembership> leaving = new ConcurrentHashMap<>();

	/**
	 * When this instance looked for groups that have ended, by topic.
	 */
	private final ConcurrentMap<String, Long> looked = new ConcurrentHashMap<>();

	/**
	 * The topics for which the log has a warning that they have no group.
	 */
	private final Set<String> unheard = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * Creates them; nothing is asked yet.
	 * @param scripts the scripts of topics
	 * @param settings what is configured here, by topic
	 * @param scheduler when to renew memberships
	 * @param events receives the events of groups, on a thread of the scheduler
	 * @param outboxes relays the outbox of a queue, by its name in the store
	 */
	public TopicGroups(Supplier<TopicScripts> scripts, Map<String, TopicSettings> settings, Scheduler scheduler,
			Consumer<TopicGroupEvent> events, Consumer<String> outboxes) {
		this.scripts = scripts;
		this.settings = Map.copyOf(settings);
		this.scheduler = scheduler;
		this.events = events;
		this.outboxes = outboxes;
	}

	/**
	 * Returns the scripts of topics.
	 * @return the scripts
	 */
	public TopicScripts scripts() {
		return this.scripts.get();
	}

	// Consumers -----------------------------------------------------------------------

	/**
	 * Registers a group, and keeps it registered until it is left.
	 * @param queue the name that the store has for the group's queue
	 * @param filter which messages the group gets copies of; that of the first container
	 * that joins counts
	 * @return completes when it is registered: from then on it collects
	 */
	public CompletableFuture<Void> join(String queue, GroupFilter filter) {
		GroupMembership joined = this.memberships.compute(queue, (name, membership) -> {
			GroupMembership own = (membership != null) ? membership : membership(name, filter);
			own.enter();
			return own;
		});
		if (joined.isNew()) {
			GroupMembership before = this.leaving.get(queue);
			if (before == null) {
				register(joined);
			}
			else {
				before.gone().thenRun(() -> register(joined));
			}
		}
		return joined.registered();
	}

	private GroupMembership membership(String queue, GroupFilter filter) {
		String topic = GroupName.topicOf(queue);
		String group = GroupName.groupOf(queue);
		TopicSettings own = this.settings.getOrDefault(topic, TopicSettings.DEFAULT);
		return new GroupMembership(topic, group,
				GroupName.isOfInstance(group) ? own.instanceGroupExpiry() : own.groupExpiry(), filter);
	}

	private void register(GroupMembership membership) {
		if (this.closed || membership.isLeft()) {
			forgotten(membership);
			return;
		}
		CompletableFuture<SubscribeScript.Registration> subscribed;
		try {
			subscribed = (membership.registered().isDone() ? CompletableFuture.<Void>completedFuture(null)
					: configure(membership.topic()))
				.thenCompose((done) -> subscribe(membership));
		}
		catch (RuntimeException ex) {
			subscribed = CompletableFuture.failedFuture(ex);
		}
		subscribed.whenComplete((registration, failure) -> {
			if (failure != null) {
				logger.warn("The " + membership + " cannot be registered, so that what is published may not reach it;"
						+ " it is tried again in " + PAUSE_AFTER_FAILURE.toMillis() + " ms", failure);
			}
			else {
				registered(membership, registration);
			}
			this.scheduler.schedule(() -> register(membership),
					(failure != null) ? PAUSE_AFTER_FAILURE : pause(membership.expiry(), LONGEST_PAUSE));
		});
	}

	private CompletableFuture<SubscribeScript.Registration> subscribe(GroupMembership membership) {
		return scripts().subscribe()
			.run(membership.topic(), membership.group(), membership.expiry(), membership.filter());
	}

	private void registered(GroupMembership membership, SubscribeScript.Registration registration) {
		boolean added = registration.added();
		GroupFilter replaced = registration.replaced();
		if (membership.isReplaced(registration.filter())) {
			logger.warn("The " + membership + " takes " + taken(registration.filter().filter())
					+ ", as another instance declared later, and not " + taken(membership.filter().filter())
					+ " as the listener here. Give all listeners of a group the same filter, or restart this instance if"
					+ " its filter is to hold");
		}
		else if (replaced != null) {
			logger.info("The " + membership + " takes " + taken(registration.filter().filter()) + " from now on, and no"
					+ " longer " + taken(replaced) + ". What it has already stays");
		}
		boolean first = membership.complete();
		if (membership.isLeft()) {
			if (added && !first && !this.memberships.containsKey(membership.queue())) {
				remove(membership); // it was forgotten before it was registered again
			}
			forget(membership);
			return;
		}
		if (added && !first) {
			logger.warn("The " + membership + " was not registered any more and is again: it was removed, or Redis went"
					+ " back in time. What was published meanwhile did not reach it");
			publish(membership.topic(), membership.group(), TopicGroupEvent.Type.MISSED, 0);
		}
		removeEnded(membership.topic(), scripts().topic().known(membership.topic()));
	}

	private static String taken(GroupFilter filter) {
		return filter.isEmpty() ? "all messages" : "messages with '" + filter + "'";
	}

	/**
	 * Leaves a group: it goes on collecting, unless it belongs to this instance.
	 * @param queue the name that the store has for the group's queue
	 * @return completes when that is done
	 */
	public CompletableFuture<Void> leave(String queue) {
		GroupMembership[] left = new GroupMembership[1];
		this.memberships.computeIfPresent(queue, (name, membership) -> {
			if (!membership.exit()) {
				return membership;
			}
			this.leaving.put(name, membership);
			left[0] = membership;
			return null;
		});
		return (left[0] != null && left[0].registered().isDone()) ? forget(left[0])
				: CompletableFuture.completedFuture(null);
	}

	private CompletableFuture<Void> forget(GroupMembership membership) {
		if (membership.goes()) {
			CompletableFuture<Void> removed;
			try {
				removed = remove(membership);
			}
			catch (RuntimeException ex) {
				removed = CompletableFuture.failedFuture(ex);
			}
			removed.whenComplete((done, failure) -> forgotten(membership));
		}
		return membership.gone();
	}

	private void forgotten(GroupMembership membership) {
		this.leaving.remove(membership.queue(), membership);
		membership.gone().complete(null);
	}

	/**
	 * Removes the group of this instance whose listener has stopped.
	 */
	private CompletableFuture<Void> remove(GroupMembership membership) {
		if (!GroupName.isOfInstance(membership.group())) {
			return CompletableFuture.completedFuture(null);
		}
		return scripts().topic()
			.removeGroup(membership.topic(), membership.group(), TopicScript.Reason.LEFT)
			.handle((removed, failure) -> {
				if (failure != null) {
					logger.info("The " + membership + " could not be removed, and is when its time is over: "
							+ failure.getMessage());
				}
				else if (removed.isDone()) {
					if (removed.messages() > 0) {
						logger.warn("The listener to the " + membership + " has stopped, and " + removed.messages()
								+ " message(s) are gone with the group");
					}
					publish(membership.topic(), membership.group(), TopicGroupEvent.Type.REMOVED, removed.messages());
				}
				else {
					relay(membership.topic(), membership.group(), removed);
				}
				return null;
			});
	}

	/**
	 * No listener claims from a group that is to be removed, so this is the only relay of
	 * messages that its handlers sent with their acknowledgements.
	 */
	private void relay(String topic, String group, TopicScript.Removal removed) {
		if (removed.outcome() == TopicScript.Removal.Outcome.NOTES) {
			logger.info("The group '" + group + "' of the topic '" + topic
					+ "' is removed when what its handlers sent has come to its queues");
			this.outboxes.accept(GroupName.of(topic, group));
		}
	}

	// Publishers ----------------------------------------------------------------------

	/**
	 * Notes that this instance has published to a topic.
	 * @param topic the topic
	 * @param groups how many groups got it
	 */
	public void published(String topic, int groups) {
		if (groups > 0) {
			this.unheard.remove(topic);
			lookForEnded(topic);
		}
		else if (forgetMany(this.unheard).add(topic)) {
			logger.warn("The topic '" + topic + "' has no group, so that no listener gets what is published to it. A"
					+ " @QueueListener(topic = \"" + topic + "\", group = ...) registers one when it starts");
		}
	}

	private static Set<String> forgetMany(Set<String> topics) {
		if (topics.size() >= MAX_TOPICS) {
			topics.clear();
		}
		return topics;
	}

	private void lookForEnded(String topic) {
		Duration shortest = null;
		for (TopicScript.StoredGroup group : scripts().topic().known(topic).groups()) {
			Duration expiry = group.expiry();
			if (!expiry.isZero() && (shortest == null || expiry.compareTo(shortest) < 0)) {
				shortest = expiry;
			}
		}
		if (shortest == null) {
			return;
		}
		long now = this.scheduler.nanoTime();
		forgetMany(this.looked.keySet());
		Long before = this.looked.putIfAbsent(topic, now);
		if (before != null && now - before > pause(shortest, LOOK_PAUSE).toNanos()
				&& this.looked.replace(topic, before, now)) {
			scripts().topic()
				.run(topic)
				.thenAccept((stored) -> removeEnded(topic, stored))
				.exceptionally((failure) -> null); // the next one that publishes looks
													// again
		}
	}

	// Both ----------------------------------------------------------------------------

	private static Duration pause(Duration expiry, Duration longest) {
		Duration pause = expiry.isZero() ? longest : expiry.dividedBy(3);
		if (pause.compareTo(longest) > 0) {
			return longest;
		}
		return (pause.compareTo(SHORTEST_PAUSE) < 0) ? SHORTEST_PAUSE : pause;
	}

	/**
	 * Writes the configuration of a topic to Redis.
	 * @param topic the topic
	 * @return completes when it knows
	 */
	public CompletableFuture<Void> configure(String topic) {
		TopicSettings own = this.settings.get(topic);
		return (own != null && own.retention() != null) ? scripts().topic().keep(topic, own.retention())
				: CompletableFuture.completedFuture(null);
	}

	private void removeEnded(String topic, TopicScript.StoredTopic stored) {
		for (TopicScript.StoredGroup group : stored.groups()) {
			if (group.hasEnded(stored.time()) && !this.closed) {
				scripts().topic()
					.removeGroup(topic, group.name(), TopicScript.Reason.ENDED)
					.whenComplete((removed, failure) -> {
						if (failure != null) {
							return; // the next look-up tries again
						}
						relay(topic, group.name(), removed);
						if (removed.isDone()) {
							logger.warn("The group '" + group.name() + "' of the topic '" + topic
									+ "' had no consumer for " + group.expiry().toMillis() + " ms and is removed, with "
									+ removed.messages() + " message(s)");
							publish(topic, group.name(), TopicGroupEvent.Type.EXPIRED, removed.messages());
						}
					});
			}
		}
	}

	/**
	 * Publishes an event of a group.
	 * @param topic the topic
	 * @param group the group
	 * @param type what happened
	 * @param messages how many messages are gone with it
	 */
	public void publish(String topic, String group, TopicGroupEvent.Type type, long messages) {
		this.scheduler.execute(() -> this.events.accept(new TopicGroupEvent(topic, group, type, messages)));
	}

	/**
	 * Registers all groups again that this instance consumes from: Redis may have
	 * forgotten them.
	 */
	public void renewAll() {
		this.memberships.values()
			.forEach((membership) -> subscribe(membership)
				.thenAccept((registration) -> registered(membership, registration))
				.exceptionally((failure) -> null)); // that is tried again anyway
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
