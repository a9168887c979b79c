package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.MessageState;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.store.CheckPart;
import io.redelay.queue.store.CheckStep;
import io.redelay.queue.store.DeathPage;
import io.redelay.queue.store.LimitWords;
import io.redelay.queue.store.MessageOutcome;
import io.redelay.queue.store.MessagePage;
import io.redelay.queue.store.MessagePlace;
import io.redelay.queue.store.ScanReply;
import io.redelay.queue.store.ScanRequest;
import io.redelay.queue.store.StoredCounts;
import io.redelay.queue.store.StoredDeath;
import io.redelay.queue.store.StoredDedupKey;
import io.redelay.queue.store.StoredKeys;
import io.redelay.queue.store.StoredLane;
import io.redelay.queue.store.StoredQueueState;
import io.redelay.queue.store.StoredMessage;
import io.redelay.queue.store.StoredProblem;
import io.redelay.queue.store.StoredWork;
import io.redelay.queue.store.TaggedMessages;
import org.jspecify.annotations.Nullable;

/**
 * Reads the content of a queue: messages, deaths, counts and lanes. Each look is bounded
 * by the number of messages and their bytes.
 * <p>
 * Safe for use by many threads.
 */
final class QueueQueries {

	/**
	 * Failures and crashes. Text behind them, or of another version, is ignored, so that
	 * no message makes a page unreadable.
	 */
	private static final Pattern TRIES = Pattern.compile("(\\d{1,9})(?:" + ScriptWords.CRASHES + "(\\d{1,9}))?");

	private final ScriptRunner runner;

	private final String maxBytes;

	QueueQueries(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	CompletableFuture<MessagePage> find(String queue, List<String> names) {
		List<Object> args = new ArrayList<>(1 + names.size());
		args.add(this.maxBytes);
		args.addAll(names);
		return this.runner.run("Looking for messages of the queue '" + queue + "'", Script.FIND, keys(queue),
				args.toArray(), QueueQueries::page);
	}

	CompletableFuture<TaggedMessages<StoredMessage>> tagged(String queue, String tag, @Nullable String from,
			int count) {
		return tagged(queue, tag, from, count, true, QueueQueries::messages);
	}

	CompletableFuture<TaggedMessages<MessagePlace>> placesByTag(String queue, String tag, @Nullable String from,
			int count) {
		return tagged(queue, tag, from, count, false, QueueQueries::places);
	}

	private <T> CompletableFuture<TaggedMessages<T>> tagged(String queue, String tag, @Nullable String from, int count,
			boolean shows, Function<Reply, List<T>> messages) {
		List<Object> keys = new ArrayList<>(keys(queue));
		QueueKeys all = this.runner.keys(queue);
		keys.addAll(List.of(all.tags(), all.completedTags()));
		Object[] args = { this.maxBytes, tag, Integer.toString(count), Objects.requireNonNullElse(from, ""),
				shows ? ScriptWords.YES : "" };
		return this.runner.run("Looking for messages of the queue '" + queue + "' by a tag", Script.TAGGED, keys, args,
				(reply) -> {
					reply.text();
					Instant time = reply.time();
					String next = reply.textOrNull();
					int passed = (int) reply.number();
					return new TaggedMessages<>(time, messages.apply(reply), passed, next);
				});
	}

	private static List<MessagePlace> places(Reply reply) {
		List<MessagePlace> places = new ArrayList<>();
		while (reply.hasNext()) {
			places.add(new MessagePlace(reply.text(), MessageState.valueOf(reply.text()), reply.timeOrNull()));
		}
		return places;
	}

	CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count) {
		return browse(queue, state, offset, count, ScriptWords.BEGINNING);
	}

	/**
	 * Browses from the place that the step before returned. Messages in flight are
	 * skipped in steps of some 51,200.
	 */
	private CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count,
			String place) {
		Object[] args = { state.name(), Long.toString(offset), Integer.toString(count), this.maxBytes, place };
		return this.runner.run("Browsing the queue '" + queue + "'", Script.BROWSE, keys(queue), args, (reply) -> {
			reply.text();
			Instant time = reply.time();
			boolean hasNext = reply.flag();
			int passed = (int) reply.number();
			String next = reply.text();
			long seen = reply.number();
			return next.equals(ScriptWords.BEGINNING)
					? CompletableFuture.completedFuture(new MessagePage(time, messages(reply), passed, hasNext))
					: browse(queue, state, Math.max(0, offset - seen), count, next);
		}).thenCompose((page) -> page);
	}

	CompletableFuture<ScanReply> scan(String queue, ScanRequest request) {
		List<Object> args = new ArrayList<>(List.of(request.what().name(), Integer.toString(request.count()),
				this.maxBytes, request.place(), request.uid()));
		request.states().forEach((state) -> args.add(state.name()));
		return this.runner.run("Going through the messages of the queue '" + queue + "'", Script.SCAN, keys(queue),
				args.toArray(), (reply) -> {
					reply.text();
					reply.time();
					boolean hasNext = reply.flag();
					String place = reply.text();
					String uid = reply.text();
					int examined = (int) reply.number();
					return new ScanReply(messages(reply), hasNext, place, uid, examined);
				});
	}

	CompletableFuture<List<MessageOutcome>> outcomes(String queue, List<String> names) {
		List<Object> args = new ArrayList<>(names.size() + 1);
		args.add(this.maxBytes);
		args.addAll(names);
		return this.runner.run("Asking what became of messages of the queue '" + queue + "'", Script.OUTCOMES,
				keys(queue), args.toArray(), (reply) -> {
					reply.text();
					reply.time();
					List<MessageOutcome> outcomes = new ArrayList<>();
					while (reply.hasNext()) {
						outcomes.add(new MessageOutcome(MessageState.valueOf(reply.text()), reply.bytes()));
					}
					return outcomes;
				});
	}

	CompletableFuture<MessagePage> expired(String queue) {
		List<Object> keys = new ArrayList<>(keys(queue));
		keys.add(this.runner.keys(queue).expiries());
		return this.runner.run("Looking for expired messages of the queue '" + queue + "'", Script.EXPIRED, keys,
				new Object[] { this.maxBytes }, QueueQueries::page);
	}

	CompletableFuture<DeathPage> deaths(String queue, long offset, int count) {
		QueueKeys keys = this.runner.keys(queue);
		Object[] args = { Long.toString(offset), Integer.toString(count), this.maxBytes };
		return this.runner.run("Looking at the dead messages of the queue '" + queue + "'", Script.DEATHS,
				List.of(keys.dead(), keys.deadMessages()), args, (reply) -> {
					reply.text();
					reply.time();
					boolean hasNext = reply.flag();
					List<StoredDeath> deaths = new ArrayList<>();
					while (reply.hasNext()) {
						deaths.add(new StoredDeath(reply.text(), reply.time(), reply.textOrNull()));
					}
					return new DeathPage(deaths, hasNext);
				});
	}

	private List<Object> keys(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return List.of(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(), keys.tries(),
				keys.dead(), keys.deadMessages(), keys.ids(), keys.cancelled(), keys.history(), keys.deadIds(),
				keys.waiting(), keys.completed(), keys.completedMessages(), keys.work());
	}

	CompletableFuture<StoredCounts> count(String queue) {
		return this.runner.run("Counting the messages of the queue '" + queue + "'", Script.COUNT,
				countedKeys(this.runner.keys(queue)), new Object[0], QueueQueries::counts);
	}

	CompletableFuture<StoredQueueState> look(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> names = countedKeys(keys);
		names.addAll(List.of(keys.tries(), keys.recurring(), keys.ids()));
		return this.runner.run("Looking why the messages of the queue '" + queue + "' wait", Script.LOOK, names,
				new Object[0], (reply) -> {
					StoredCounts counts = counts(reply);
					long retrying = reply.number();
					long waitingForTurn = reply.number();
					long keysInTurn = reply.number();
					StoredQueueState.Blocked inHand = blocked(reply);
					StoredQueueState.Blocked rated = blocked(reply);
					StoredQueueState.Blocked gated = blocked(reply);
					long closedKeys = reply.number();
					long lostTicks = reply.number();
					List<StoredLane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new StoredLane(reply.text(), Duration.ZERO, reply.number()));
					}
					return new StoredQueueState(counts, retrying, waitingForTurn, keysInTurn, inHand, rated, gated,
							closedKeys, lostTicks, lanes);
				});
	}

	private static StoredQueueState.Blocked blocked(Reply reply) {
		return new StoredQueueState.Blocked(reply.number(), reply.number());
	}

	CompletableFuture<StoredKeys> keys(String queue, List<RateLimit> rates) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> names = List.of(keys.held(), keys.lanes(), keys.order(), keys.waiting(), keys.blocked(),
				keys.busy(), keys.rates(), keys.bursts(), keys.gates());
		return this.runner.run("Listing the keys of which messages of the queue '" + queue + "' wait", Script.KEYS,
				names, rates.stream().map(LimitWords::rate).toArray(), QueueQueries::keys);
	}

	private static StoredKeys keys(Reply reply) {
		reply.text();
		Instant time = reply.time();
		boolean complete = reply.flag();
		long held = reply.number();
		List<Long> allowed = new ArrayList<>();
		for (long left = reply.number(); left > 0; left--) {
			allowed.add(reply.number());
		}
		List<StoredKeys.Ordering> ordering = new ArrayList<>();
		for (long left = reply.number(); left > 0; left--) {
			ordering.add(new StoredKeys.Ordering(reply.text(), reply.number(), reply.textOrNull(),
					lane(reply.textOrNull())));
		}
		List<StoredKeys.Fairness> fairness = new ArrayList<>();
		while (reply.hasNext()) {
			fairness.add(new StoredKeys.Fairness(reply.text(), reply.number(), reply.number(), reply.timeOrNull(),
					reply.flag()));
		}
		return new StoredKeys(time, complete, held, allowed, ordering, fairness);
	}

	CompletableFuture<List<StoredDedupKey>> dedupKey(String queue, String key) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking at a key to deduplicate by of the queue '" + queue + "'", Script.DEDUP_KEY,
				List.of(keys.dedup(), keys.dedupExpiries(), keys.ids()), new Object[] { key }, (reply) -> {
					reply.text();
					reply.time();
					List<StoredDedupKey> found = new ArrayList<>();
					while (reply.hasNext()) {
						found.add(new StoredDedupKey(reply.text(), reply.text(), reply.timeOrNull(),
								(int) reply.number()));
					}
					return found;
				});
	}

	/**
	 * Returns the lane in the holder of a message.
	 */
	private static @Nullable String lane(@Nullable String holder) {
		int end = (holder != null) ? holder.lastIndexOf(ScriptWords.CLAIM) : -1;
		return (holder != null && end >= 0) ? holder.substring(0, end) : null;
	}

	CompletableFuture<CheckStep> check(String queue, CheckPart part, String from, int count, List<String> uids) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> names = keys.withIndex(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(),
				keys.held(), keys.lanes(), keys.tries(), keys.dead(), keys.deadMessages(), keys.ids(), keys.cancelled(),
				keys.history(), keys.expiries(), keys.deadIds());
		names.addAll(List.of(keys.bundles(), keys.bundleCallbacks(), keys.bundlesPending(), keys.bundlesResults()));
		List<Object> args = new ArrayList<>(List.of(part.text(), from, Integer.toString(count)));
		args.addAll(uids);
		return this.runner.run("Checking the queue '" + queue + "'", Script.CHECK, names, args.toArray(),
				QueueQueries::checkStep);
	}

	private static CheckStep checkStep(Reply reply) {
		reply.text();
		Instant time = reply.time();
		String next = reply.textOrNull();
		int examined = (int) reply.number();
		long bytes = reply.number();
		String recorded = reply.textOrNull();
		List<StoredProblem> problems = new ArrayList<>();
		while (reply.hasNext()) {
			problems.add(new StoredProblem(reply.text(), reply.text(), reply.text()));
		}
		return new CheckStep(time, next, examined, bytes, recorded, problems);
	}

	private static List<Object> countedKeys(QueueKeys keys) {
		List<Object> names = keys.withIndex(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(),
				keys.held(), keys.lanes(), keys.dead(), keys.meta(), keys.expiries());
		names.add(keys.deadMessages());
		names.add(keys.inlet());
		return names;
	}

	CompletableFuture<List<StoredLane>> lanes(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Listing the lanes of the queue '" + queue + "'", Script.LANES,
				List.of(keys.held(), keys.lanes()), new Object[0], (reply) -> {
					reply.text();
					Instant now = reply.time();
					List<StoredLane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new StoredLane(reply.text(), Duration.between(now, reply.time()), reply.number()));
					}
					return lanes;
				});
	}

	private static MessagePage page(Reply reply) {
		reply.text();
		Instant time = reply.time();
		boolean hasNext = reply.flag();
		int passed = (int) reply.number();
		return new MessagePage(time, messages(reply), passed, hasNext);
	}

	private static List<StoredMessage> messages(Reply reply) {
		List<StoredMessage> messages = new ArrayList<>();
		while (reply.hasNext()) {
			String uid = reply.text();
			String id = reply.text();
			MessageState state = MessageState.valueOf(reply.text());
			Instant since = reply.timeOrNull();
			Matcher tries = TRIES.matcher(reply.text());
			boolean counted = tries.lookingAt();
			int failures = counted ? Integer.parseInt(tries.group(1)) : 0;
			int crashes = (counted && tries.group(2) != null) ? Integer.parseInt(tries.group(2)) : 0;
			String lane = lane(reply.textOrNull());
			boolean cancelled = reply.flag();
			byte[] envelope = reply.bytes();
			String cause = reply.textOrNull();
			String lines = reply.text();
			String target = reply.textOrNull();
			byte[] result = reply.bytesOrNull();
			messages.add(new StoredMessage(uid, id, state, since, failures, crashes, lane, cancelled, envelope, cause,
					lines.isEmpty() ? List.of() : List.of(lines.split("\n")), target, result, work(reply)));
		}
		return messages;
	}

	private static @Nullable StoredWork work(Reply reply) {
		byte[] progress = reply.bytesOrNull();
		byte[] log = reply.bytesOrNull();
		byte[] checkpoint = reply.bytesOrNull();
		boolean isNothing = progress == null && log == null && checkpoint == null;
		return isNothing ? null : new StoredWork(progress, log, checkpoint);
	}

	private static StoredCounts counts(Reply reply) {
		reply.text();
		Instant time = reply.time();
		long scheduled = reply.number();
		long ready = reply.number();
		long inFlight = reply.number();
		long dead = reply.number();
		Instant nextDue = reply.timeOrNull();
		boolean paused = reply.flag();
		boolean closed = reply.flag();
		return new StoredCounts(time, scheduled, ready, inFlight, dead, nextDue, paused, closed, reply.timeOrNull(),
				reply.number(), reply.timeOrNull(), reply.number(), reply.number(), reply.number(),
				LimitWords.read(reply.text(), reply.text(), reply.text()), reply.number());
	}

}
