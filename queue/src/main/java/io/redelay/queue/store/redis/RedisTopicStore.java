package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.store.DeclaredFilter;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.GroupRegistration;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.MoveListener;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.PublishReply;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.ReplayReply;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.StoreException;
import io.redelay.queue.store.StoredGroup;
import io.redelay.queue.store.StoredTopic;
import io.redelay.queue.store.TopicRetention;
import io.redelay.queue.store.TopicStore;
import org.jspecify.annotations.Nullable;

/**
 * Topics on Redis. All that belongs to one is in one slot, so that one script reaches all
 * groups. A publisher names the groups that it knows; the script replies if they have
 * changed.
 */
final class RedisTopicStore implements TopicStore {

	/**
	 * For how many topics the groups are remembered.
	 */
	private static final int MAX_TOPICS = 1000;

	/**
	 * How often a request is repeated because the groups changed meanwhile.
	 */
	private static final int MAX_ROUNDS = 20;

	/**
	 * How many messages a step of a replay goes through at most, and how large they are
	 * together.
	 */
	private static final int REPLAY_STEP = 500;

	private static final int REPLAY_BYTES = 4 * 1024 * 1024;

	private final ScriptRunner runner;

	private final ExpiryAnnouncements expiries;

	private final Supplier<String> wakePrefix;

	private final Supplier<String> newLane;

	private final ReplayMemory replayMemory;

	private final Runnable expiryMatters;

	private volatile MoveListener moves = MoveListener.NONE;

	private final RequestMeter meter;

	private final ConcurrentMap<String, StoredTopic> known = new ConcurrentHashMap<>();

	RedisTopicStore(ScriptRunner runner, ExpiryAnnouncements expiries, Supplier<String> wakePrefix,
			Supplier<String> newLane, ReplayMemory replayMemory, Runnable expiryMatters, RequestMeter meter) {
		this.runner = runner;
		this.expiries = expiries;
		this.wakePrefix = wakePrefix;
		this.newLane = newLane;
		this.replayMemory = replayMemory;
		this.expiryMatters = expiryMatters;
		this.meter = meter;
	}

	@Override
	public CompletableFuture<String> open(String topic) {
		String lane = this.newLane.get();
		TopicKeys keys = keys(topic);
		return register("topics", topic).thenCompose(
				(registered) -> this.runner.run("Opening a sender of the topic '" + topic + "'", Script.OPEN_SENDER,
						List.of(keys.sent(lane), keys.known()), new Object[] { SenderMemory.MILLIS }, (reply) -> lane));
	}

	private CompletableFuture<Void> register(String registry, String name) {
		return this.runner.run("Registering '" + name + "'", Script.REGISTER, List.of(this.runner.key(registry)),
				new Object[] { name }, (reply) -> null);
	}

	@Override
	public CompletableFuture<PublishReply> publish(String topic, SendRequest request,
			Function<String, @Nullable LengthLimit> limits) {
		for (NewMessage message : request.messages()) {
			if (EnvelopeCodec.expires(message.envelope())) {
				this.expiryMatters.run();
				return publish(topic, request, limits, true, 1);
			}
		}
		return publish(topic, request, limits, false, 1);
	}

	void tellMoves(MoveListener listener) {
		this.moves = listener;
	}

	/**
	 * Each group's copy is sent to a queue of its own.
	 */
	private void tell(MoveListener listener, String topic, SendRequest request, PublishReply reply) {
		reply.groups().forEach((group, sent) -> {
			String queue = GroupName.of(topic, group);
			SendRequest copies = reply.copies(group, request);
			listener.sending(queue, copies);
			listener.sent(queue, copies, sent);
		});
	}

	private void measure(String topic, SendRequest request, PublishReply reply, long start) {
		reply.groups()
			.forEach((group, sent) -> this.meter.sent(GroupName.of(topic, group), reply.copies(group, request), sent,
					start));
		if (!request.again()) {
			reply.selections()
				.forEach((group, selection) -> this.meter.leftOut(GroupName.of(topic, group), selection.leftOut()));
		}
	}

	private CompletableFuture<PublishReply> publish(String topic, SendRequest request,
			Function<String, @Nullable LengthLimit> limits, boolean expires, int round) {
		StoredTopic groups = known(topic);
		PublishCall call = new PublishCall(keys(topic), groups, request, limits, this.runner::keys,
				this.wakePrefix.get());
		CompletableFuture<?> announced = expires ? announce(topic, groups) : CompletableFuture.completedFuture(null);
		long start = this.meter.start();
		return announced
			.thenCompose((done) -> this.runner.run("Publishing to the topic '" + topic + "'", Script.PUBLISH,
					call.keys(), call.args(), call::reply))
			.thenCompose((answer) -> {
				PublishReply reply = answer.reply();
				if (reply != null) {
					if (this.meter.isMeasuring()) {
						measure(topic, request, reply, start);
					}
					MoveListener listener = this.moves;
					if (listener.isListening()) {
						tell(listener, topic, request, reply);
					}
					return CompletableFuture.completedFuture(reply);
				}
				return (round < MAX_ROUNDS)
						? learned(topic, groups, Objects.requireNonNull(answer.groups()))
							.thenCompose((learned) -> publish(topic, request, limits, expires, round + 1))
						: CompletableFuture.failedFuture(new StoreException("the groups of the topic '" + topic
								+ "' changed each of the " + MAX_ROUNDS + " times that it was tried", null));
			});
	}

	private CompletableFuture<?> announce(String topic, StoredTopic groups) {
		return CompletableFuture.allOf(groups.groups()
			.stream()
			.map((group) -> this.expiries.announce(GroupName.of(topic, group.name())))
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public CompletableFuture<SenderState> check(String topic, String lane) {
		return RedisDelayQueueStore.checkSender(this.runner, GroupName.ofTopic(topic), lane);
	}

	@Override
	public StoredTopic known(String topic) {
		return this.known.getOrDefault(topic, StoredTopic.UNKNOWN);
	}

	@Override
	public CompletableFuture<Set<String>> topics() {
		return this.runner.run("Listing the topics", Script.QUEUES, List.of(this.runner.key("topics")), new Object[0],
				(reply) -> {
					Set<String> names = new TreeSet<>();
					while (reply.hasNext()) {
						names.add(reply.text());
					}
					return names;
				});
	}

	@Override
	public CompletableFuture<StoredTopic> look(String topic) {
		TopicKeys keys = keys(topic);
		StoredTopic before = known(topic);
		return this.runner
			.run("Looking at the topic '" + topic + "'", Script.TOPIC, List.of(keys.known(), keys.groups()),
					new Object[0], TopicKeys::stored)
			.thenCompose((stored) -> learned(topic, before, stored));
	}

	@Override
	public CompletableFuture<GroupRegistration> subscribe(String topic, String group, Duration expiry,
			DeclaredFilter filter) {
		TopicKeys keys = keys(topic);
		String queue = GroupName.of(topic, group);
		StoredTopic before = known(topic);
		Instant since = filter.since();
		Object[] args = { group, ScriptTime.millis(expiry), GroupFilterText.of(filter.filter()),
				(since != null) ? Long.toString(since.toEpochMilli()) : "" };
		return register("topics", topic).thenCompose((done) -> register("queues", queue))
			.thenCompose((done) -> this.runner.run("Registering the group '" + group + "' of the topic '" + topic + "'",
					Script.SUBSCRIBE, List.of(keys.known(), keys.groups(), this.runner.keys(queue).known()), args,
					(reply) -> {
						GroupRegistration registration = registration(reply);
						return learned(topic, before, TopicKeys.stored(reply)).thenApply((learned) -> registration);
					}))
			.thenCompose(Function.identity());
	}

	private static GroupRegistration registration(Reply reply) {
		DeclaredFilter filter = TopicKeys.filter(reply.text(), reply.text());
		GroupFilter former = GroupFilterText.parse(reply.text());
		boolean added = reply.flag();
		return new GroupRegistration(added, filter, (added || former.equals(filter.filter())) ? null : former);
	}

	@Override
	public CompletableFuture<Removal> remove(String topic, String group, RemovalReason reason) {
		TopicKeys keys = keys(topic);
		String queue = GroupName.of(topic, group);
		List<Object> names = new ArrayList<>(List.of(keys.known(), keys.groups(), this.runner.keys(queue).lanes()));
		names.addAll(this.runner.keys(queue).all());
		return this.runner
			.run("Removing the group '" + group + "' of the topic '" + topic + "'", Script.REMOVE_GROUP, names,
					new Object[] { group, reason.name(), this.wakePrefix.get(), DeleteScript.DELETION_MILLIS },
					(reply) -> new Removal(Removal.Outcome.valueOf(reply.text()), reply.hasNext() ? reply.number() : 0))
			.thenCompose((removed) -> (!removed.isDone() || reason == RemovalReason.LOOK)
					? CompletableFuture.completedFuture(removed)
					: unregister("expiring", queue).thenCompose((done) -> unregister("queues", queue))
						.thenApply((done) -> removed));
	}

	private CompletableFuture<Void> unregister(String registry, String name) {
		return this.runner.run("Taking '" + name + "' off the list", Script.UNREGISTER,
				List.of(this.runner.key(registry)), new Object[] { name }, (reply) -> null);
	}

	@Override
	public CompletableFuture<Void> retain(String topic, TopicRetention retention) {
		TopicKeys keys = keys(topic);
		StoredTopic before = known(topic);
		return this.runner
			.run("Saying what the topic '" + topic + "' keeps", Script.KEEP_LOG,
					List.of(keys.known(), keys.groups(), keys.log()), new Object[] { TopicKeys.text(retention) },
					TopicKeys::stored)
			.thenCompose((stored) -> learned(topic, before, stored))
			.thenAccept((learned) -> {
			});
	}

	@Override
	public CompletableFuture<String> openReplay(String topic, String group) {
		String lane = this.newLane.get();
		QueueKeys keys = this.runner.keys(GroupName.of(topic, group));
		return this.runner.run("Opening a replay of the topic '" + topic + "'", Script.OPEN_STEERER,
				List.of(keys.sent(lane)), new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

	@Override
	public CompletableFuture<ReplayReply> replay(String topic, String group, ReplayStep step) {
		GroupFilter filter = known(topic).filter(group);
		this.expiryMatters.run();
		CompletableFuture<@Nullable ReplayReply> replayed = this.expiries.announce(GroupName.of(topic, group))
			.thenCompose((announced) -> filter.isEmpty() ? replay(topic, group, step, "-", new Object[0])
					: replayFiltered(topic, group, step, filter));
		return replayed.thenCompose((reply) -> (reply != null) ? CompletableFuture.completedFuture(reply)
				: look(topic).thenCompose((looked) -> replay(topic, group, step)));
	}

	/**
	 * Reads a step, and gives the group the messages that its filter accepts.
	 */
	private CompletableFuture<@Nullable ReplayReply> replayFiltered(String topic, String group, ReplayStep step,
			GroupFilter filter) {
		return this.runner
			.run("Reading what the topic '" + topic + "' keeps", Script.READ_LOG, List.of(keys(topic).log()),
					new Object[] { step.from(), step.last(), Integer.toString(REPLAY_STEP),
							Integer.toString(REPLAY_BYTES) },
					(reply) -> ReadLog.of(reply, filter))
			.thenCompose((read) -> {
				String reached = read.reached();
				if (reached == null) {
					return CompletableFuture
						.completedFuture(new ReplayReply(LaneStatus.OK, 0, "-", read.last(), false));
				}
				ReplayStep bounded = new ReplayStep(step.lane(), step.seq(), step.from(), reached, step.uid(),
						step.limit());
				return replay(topic, group, bounded, GroupFilterText.of(filter),
						new Object[] { "", "", "", read.leftOut() })
					.thenApply((reply) -> (reply != null && reply.status() == LaneStatus.OK)
							? new ReplayReply(reply.status(), reply.added(),
									reply.reached().equals("-") ? reached : reply.reached(), read.last(), true)
							: reply);
			});
	}

	/**
	 * Carries out a step.
	 * @param more the arguments from the sixth on
	 * @return the reply, or {@code null} if the group has another filter by now
	 */
	private CompletableFuture<@Nullable ReplayReply> replay(String topic, String group, ReplayStep step, String filter,
			Object[] more) {
		TopicKeys keys = keys(topic);
		List<Object> ofQueue = SendCall.allKeys(this.runner.keys(GroupName.of(topic, group)), step.lane());
		ofQueue.set(PublishCall.KNOWN, keys.known());
		List<Object> names = new ArrayList<>(List.of(ofQueue.get(0), keys.known(), keys.groups(), keys.log()));
		names.addAll(ofQueue.subList(1, ofQueue.size()));
		String what = String.join(" ", group, filter, step.from(), step.last(), Integer.toString(REPLAY_STEP),
				Integer.toString(REPLAY_BYTES), step.uid());
		List<Object> args = new ArrayList<>(List.of(Long.toString(step.seq()), SenderMemory.MILLIS,
				this.wakePrefix.get(), what, SendCall.limit(step.limit())));
		args.addAll(List.of(more));
		return this.runner.run("Giving the group '" + group + "' of the topic '" + topic + "' what was published",
				Script.REPLAY, names, args.toArray(), RedisTopicStore::replayReply);
	}

	private static @Nullable ReplayReply replayReply(Reply reply) {
		String word = reply.text();
		if (word.equals(ScriptWords.GROUPS)) {
			return null;
		}
		if (word.equals(TopicStore.Removal.Outcome.UNKNOWN.name())) {
			return new ReplayReply(null, 0, "-", "-", false);
		}
		LaneStatus status = LaneStatus.valueOf(word);
		if (status != LaneStatus.OK) {
			return new ReplayReply(status, 0, "-", "-", false);
		}
		reply.time();
		int added = (int) reply.number();
		String reached = reply.text();
		boolean hasMore = reply.flag();
		return new ReplayReply(status, added, reached, reply.text(), hasMore);
	}

	@Override
	public CompletableFuture<Boolean> forget(String topic) {
		TopicKeys keys = keys(topic);
		return this.runner.run("Forgetting the topic '" + topic + "'", Script.FORGET_TOPIC,
				List.of(keys.known(), keys.groups(), keys.log()), new Object[0], (reply) -> reply.text().equals("OK"))
			.thenCompose((forgotten) -> forgotten ? unregister("topics", topic).thenApply((done) -> true)
					: CompletableFuture.completedFuture(false));
	}

	@Override
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	/**
	 * Learns the groups of a topic. If that state is older than the one known at the
	 * request, Redis went back in time, and the groups that it has forgotten are
	 * registered again. Otherwise no published message would reach them before a consumer
	 * renews them.
	 * @param before the state known at the request
	 * @return a future that completes with the state known now
	 */
	private CompletableFuture<StoredTopic> learned(String topic, StoredTopic before, StoredTopic stored) {
		Set<String> present = stored.groups().stream().map(StoredGroup::name).collect(Collectors.toSet());
		List<StoredGroup> forgotten = !stored.isOlderThan(before) ? List.of()
				: before.groups().stream().filter((group) -> !present.contains(group.name())).toList();
		if (forgotten.isEmpty()) {
			return CompletableFuture.completedFuture(learned(topic, stored));
		}
		// Until this is done, nothing else is published to the groups known here.
		CompletableFuture<?> registered = CompletableFuture.completedFuture(null);
		for (StoredGroup group : forgotten) {
			registered = registered
				.thenCompose((done) -> subscribe(topic, group.name(), group.expiry(), group.filter()));
		}
		return registered.thenApply((done) -> known(topic));
	}

	private StoredTopic learned(String topic, StoredTopic stored) {
		if (this.known.size() >= MAX_TOPICS) {
			this.known.clear(); // each costs a publish more then, once
		}
		this.known.put(topic, stored);
		return stored;
	}

	private TopicKeys keys(String topic) {
		return TopicKeys.of(this.runner.prefix(), topic);
	}

}
