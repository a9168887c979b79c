package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.redelay.queue.store.BundleCommand;
import io.redelay.queue.store.BundleReply;
import io.redelay.queue.store.BundleStore;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.PendingMember;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.StoredBundle;
import io.redelay.queue.store.Uids;
import org.jspecify.annotations.Nullable;

/**
 * Keeps bundles on Redis, in keys of the queue that gets their callbacks.
 */
final class RedisBundleStore implements BundleStore {

	/**
	 * The key of the names of the queues where bundles were ever opened.
	 */
	static final String QUEUES = "bundled";

	private static final String PAGE = "500";

	/**
	 * As in the script that keeps bundles.
	 */
	private static final List<String> WAYS = List.of("acknowledged", "dead", "cancelled", "purged", "expired",
			"dropped", "replaced", "duplicate", "unaccounted");

	private final ScriptRunner runner;

	private final Supplier<String> wakePrefix;

	private final ReplayMemory replayMemory;

	private final Uids lanes = new Uids();

	RedisBundleStore(ScriptRunner runner, Supplier<String> wakePrefix, ReplayMemory replayMemory) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.replayMemory = replayMemory;
	}

	@Override
	public CompletableFuture<String> openLane(String queue) {
		String lane = this.lanes.next();
		String what = "Opening a lane for the bundles of the queue '" + queue + "'";
		QueueKeys keys = this.runner.keys(queue);
		// In this order: see QueueNames#forget.
		return this.runner
			.run(what, Script.OPEN_SENDER, List.of(keys.sent(lane), keys.known(), keys.idle()),
					new Object[] { SenderMemory.MILLIS }, (reply) -> lane)
			.thenCompose((open) -> register(what, QUEUES, queue))
			.thenCompose((registered) -> register(what, "queues", queue))
			.thenApply((registered) -> lane);
	}

	private CompletableFuture<Boolean> register(String what, String registry, String queue) {
		return this.runner.run(what, Script.REGISTER, List.of(this.runner.key(registry)), new Object[] { queue },
				(reply) -> true);
	}

	@Override
	public CompletableFuture<SenderState> checkLane(String queue, String lane) {
		return RedisDelayQueueStore.checkSender(this.runner, queue, lane);
	}

	@Override
	public CompletableFuture<BundleReply> command(String queue, String lane, long seq, List<BundleCommand> commands,
			boolean again) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(List.of(Long.toString(seq), SenderMemory.MILLIS, this.wakePrefix.get(),
				queue, again ? ScriptWords.YES : ""));
		for (BundleCommand command : commands) {
			args.addAll(List.of(command.verb(), command.bundle(), Integer.toString(command.arguments().size())));
			args.addAll(command.arguments());
		}
		return this.runner.run("Keeping the bundles of the queue '" + queue + "'", Script.BUNDLE,
				List.of(keys.sent(lane), keys.bundles(), keys.bundleCallbacks(), keys.bundlesPending(),
						keys.bundlesDue(), keys.outbox(), keys.meta(), keys.messages(), keys.ready(), keys.scheduled(),
						keys.held(), keys.past(), keys.sleepers(), keys.known(), keys.bundlesEarly(),
						keys.bundlesResults()),
				args.toArray(), RedisBundleStore::reply);
	}

	private static BundleReply reply(Reply reply) {
		LaneStatus status = reply.status();
		Instant time = reply.hasNext() ? reply.time() : Instant.EPOCH;
		boolean follows = reply.hasNext() && reply.flag();
		List<String> answers = new ArrayList<>();
		while (reply.hasNext()) {
			answers.add(reply.text());
		}
		return new BundleReply(status, time, follows, answers);
	}

	@Override
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	@Override
	public CompletableFuture<Set<String>> queues() {
		return this.runner.run("Listing the queues of bundles", Script.QUEUES, List.of(this.runner.key(QUEUES)),
				new Object[0], (reply) -> {
					Set<String> names = new TreeSet<>();
					while (reply.hasNext()) {
						names.add(reply.text());
					}
					return names;
				});
	}

	@Override
	public CompletableFuture<BundlePage> list(String queue, String cursor) {
		return look(queue, "LIST", cursor, "", RedisBundleStore::page);
	}

	@Override
	public CompletableFuture<BundlePage> find(String queue, String bundle) {
		return look(queue, "ONE", bundle, "", RedisBundleStore::page);
	}

	@Override
	public CompletableFuture<PendingMembers> pending(String queue, String bundle, @Nullable PendingMember after) {
		return look(queue, "PENDING", bundle, (after != null) ? after.queue() + "\0" + after.member() : "",
				(reply, time) -> {
					boolean relaying = reply.flag();
					List<PendingMember> members = new ArrayList<>();
					while (reply.hasNext()) {
						members.add(new PendingMember(reply.text(), reply.text()));
					}
					return new PendingMembers(members, relaying);
				});
	}

	private <T> CompletableFuture<T> look(String queue, String what, String where, String after,
			BiFunction<Reply, Instant, T> reader) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking at the bundles of the queue '" + queue + "'", Script.BUNDLES,
				List.of(keys.bundles(), keys.bundlesPending(), keys.outbox()),
				new Object[] { what, where, after, PAGE }, (reply) -> {
					reply.text();
					Instant time = reply.time();
					return reader.apply(reply, time);
				});
	}

	private static BundlePage page(Reply reply, Instant time) {
		String cursor = reply.text();
		List<StoredBundle> bundles = new ArrayList<>();
		while (reply.hasNext()) {
			bundles.add(bundle(reply.text(), reply.words()));
		}
		return new BundlePage(bundles, cursor, time);
	}

	private static StoredBundle bundle(String id, Reply words) {
		boolean open = words.text().equals("open");
		Instant openedAt = words.time();
		Instant openUntil = words.time();
		Instant movedAt = words.time();
		words.text();
		int added = (int) words.number();
		int pending = (int) words.number();
		Map<String, Integer> ends = new HashMap<>();
		for (String way : WAYS) {
			ends.put(way, (int) words.number());
		}
		if (!words.hasNext()) {
			return new StoredBundle(id, open, openedAt, openUntil, movedAt, added, pending, ends, false, 0, 0);
		}
		boolean cancelled = words.text().equals("cancelled");
		words.number();
		words.number();
		int results = (int) words.number();
		words.number();
		return new StoredBundle(id, open, openedAt, openUntil, movedAt, added, pending, ends, cancelled, results,
				(int) words.number());
	}

	@Override
	public CompletableFuture<PendingMembers> missing(String queue, List<PendingMember> members) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(2 * members.size());
		members.forEach((member) -> args.addAll(List.of(member.uid(), member.id())));
		return this.runner.run("Looking for messages of bundles in the queue '" + queue + "'", Script.BUNDLED,
				List.of(keys.messages(), keys.ids(), keys.keys(), keys.outbox()), args.toArray(), (reply) -> {
					reply.text();
					boolean relaying = reply.flag();
					List<PendingMember> missing = new ArrayList<>();
					while (reply.hasNext()) {
						missing.add(members.get((int) reply.number()));
					}
					return new PendingMembers(missing, relaying);
				});
	}

}
