package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.ClaimLimits;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneRenewal;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.MoveListener;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.OutboxNote;
import io.redelay.queue.store.OutboxReply;
import io.redelay.queue.store.OutboxRequest;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.ResumeRequest;
import io.redelay.queue.store.RunReply;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.Uids;
import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;
import io.redelay.queue.store.WorkReply;
import io.redelay.queue.store.WorkRequest;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * The store on Redis: one script a verb, run through Redisson, on keys that share a hash
 * tag for each queue.
 *
 * @since 0.1.0
 */
public final class RedisDelayQueueStore implements DelayQueueStore, AutoCloseable {

	private static final int MAX_KEYED_QUEUES = 10_000;

	/**
	 * How many queues one request looks at.
	 */
	private static final int MAX_LOOKED_AT = 500;

	private final ScriptRunner runner;

	/**
	 * Queues of which a claim has met a message with a key.
	 */
	private final Set<String> keyedQueues = ConcurrentHashMap.newKeySet();

	private volatile Runnable expiryMatters = () -> {
	};

	private final WakeUpChannel wakeUps;

	private final SendScripts sends;

	private final TopicScripts topics;

	private final InletScripts inlets;

	private final ReplayMemory replayMemory;

	private final boolean clustered;

	private final RedisAvailability availability;

	private volatile MoveListener moves = MoveListener.NONE;

	/**
	 * Called with a queue to restore recurring messages whose ticks may have been
	 * removed.
	 */
	private volatile Consumer<String> ticksGone = (queue) -> {
	};

	/**
	 * Called with queues, or partitions, whose last living message has gone.
	 */
	private volatile BiConsumer<String, Instant> drained = (queue, time) -> {
	};

	private final RequestMeter meter;

	private final String instance = Uids.instance();

	private final AtomicLong lanes = new AtomicLong();

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 */
	public RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory replayMemory) {
		this(redisson, prefix, resendFor, timer, replayMemory, new RedisAvailability(timer));
	}

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 * @param availability notified of answers and failures; the stores of a server share
	 * one
	 */
	public RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory replayMemory, RedisAvailability availability) {
		this(redisson, prefix, resendFor, timer, replayMemory, LuaScripts.load(), availability);
	}

	RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, LuaScripts scripts) {
		this(redisson, prefix, resendFor, timer, replayMemory, scripts, new RedisAvailability(timer));
	}

	RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, LuaScripts scripts, RedisAvailability availability) {
		this.replayMemory = replayMemory;
		this.clustered = redisson.getConfig().isClusterConfig();
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		this.runner = new ScriptRunner(redisson, prefix, resendFor, scheduler, scripts, availability);
		this.meter = new RequestMeter(scheduler);
		this.availability = availability;
		this.wakeUps = new WakeUpChannel(redisson, prefix + ":wake:", this.instance, scheduler);
		SendingContext context = new SendingContext(this.runner,
				new ExpiryAnnouncements(this.runner, scheduler, replayMemory), this.wakeUps::prefix, this::newLane,
				replayMemory, () -> this.moves, () -> this.expiryMatters.run(), this.meter);
		this.sends = new SendScripts(context, (queue) -> this.ticksGone.accept(queue));
		this.topics = TopicScripts.of(context);
		this.inlets = new InletScripts(context, this.sends, this.clustered);
	}

	/**
	 * Returns the availability of the server.
	 * @return what the requests of this store show
	 */
	public RedisAvailability availability() {
		return this.availability;
	}

	/**
	 * Stops resending requests, as the application is closing: requests that wait to be
	 * resent fail, so that no caller waits for ever. The client stays open.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * Sets a callback for when this instance begins to claim, or to send messages with a
	 * time to live, so that expired ones are looked for.
	 * @param expiryMatters called each time; must be quick
	 */
	public void onExpiringMessages(Runnable expiryMatters) {
		this.expiryMatters = expiryMatters;
	}

	@Override
	public String instance() {
		return this.instance;
	}

	@Override
	public boolean isClustered() {
		return this.clustered;
	}

	/**
	 * Returns {@code false} on a cluster, as the keys of a request must be in one slot.
	 */
	@Override
	public boolean looksAtMany() {
		return !this.clustered;
	}

	@Override
	public CompletableFuture<List<String>> findOccupied(List<String> queues) {
		List<CompletableFuture<List<String>>> parts = new ArrayList<>();
		for (int first = 0; first < queues.size(); first += MAX_LOOKED_AT) {
			parts.add(findOccupiedPart(queues.subList(first, Math.min(queues.size(), first + MAX_LOOKED_AT))));
		}
		return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
			.thenApply((all) -> parts.stream().flatMap((part) -> part.join().stream()).toList());
	}

	private CompletableFuture<List<String>> findOccupiedPart(List<String> queues) {
		List<Object> keys = new ArrayList<>(2 * queues.size());
		queues.forEach((queue) -> {
			QueueKeys names = this.runner.keys(queue);
			keys.add(names.messages());
			keys.add(names.outbox());
		});
		return this.runner.run("Looking at " + queues.size() + " queues", Script.OCCUPIED, keys, new Object[0],
				(reply) -> {
					Set<String> occupied = new LinkedHashSet<>();
					while (reply.hasNext()) {
						occupied.add(queues.get((int) (reply.number() - 1) / 2));
					}
					return List.copyOf(occupied);
				});
	}

	@Override
	public String newLane() {
		return this.instance + "." + Long.toString(this.lanes.incrementAndGet(), Character.MAX_RADIX);
	}

	/**
	 * Returns the scripts that send messages.
	 */
	SendScripts sends() {
		return this.sends;
	}

	/**
	 * Returns the scripts of the topics, whose groups have queues of this store.
	 * @return the scripts
	 */
	public TopicScripts topics() {
		return this.topics;
	}

	/**
	 * Returns the scripts of the inlets of queues of this store.
	 * @return the scripts
	 */
	public InletScripts inlets() {
		return this.inlets;
	}

	@Override
	public RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms) {
		return this.sends.protocol(queue, terms);
	}

	@Override
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return this.runner.run("Registering the queue '" + queue + "'", Script.REGISTER,
				List.of(this.runner.key("queues")), new Object[] { queue }, (reply) -> null);
	}

	/**
	 * Sets the callback that restores recurring messages when a send of this store has
	 * dropped the message of a tick to make room.
	 * @param look called with the queue; must not block and must not throw
	 */
	public void whenTicksGo(Consumer<String> look) {
		this.ticksGone = look;
	}

	/**
	 * Sets the listener to the moves of messages that this store makes.
	 * @param listener the listener
	 */
	public void tellMoves(MoveListener listener) {
		this.moves = listener;
	}

	/**
	 * Sets a callback for when the last living message of a queue, or of a partition, has
	 * gone. It is called only while the listener to moves listens to queues.
	 * @param drained called with the queue and the time; must not block and must not
	 * throw
	 */
	public void whenDrained(BiConsumer<String, Instant> drained) {
		this.drained = drained;
	}

	/**
	 * Sets the meter that records the requests of this store.
	 * @param meter the meter
	 */
	public void measure(QueueMeter meter) {
		this.meter.tell(meter);
	}

	@Override
	public CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		this.expiryMatters.run();
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Opening a lane of the queue '" + queue + "'", Script.OPEN_LANE,
				List.of(keys.held(), keys.lanes(), keys.sleepers()),
				new Object[] { lane, ScriptTime.millis(lease), this.wakeUps.prefix(), Long.toString(before) },
				(reply) -> null);
	}

	private static String word(ResumeRequest.Holding holding) {
		if (!holding.done()) {
			return ScriptWords.HELD;
		}
		return holding.completes() ? ScriptWords.DONE_WITH_MORE : ScriptWords.DONE;
	}

	@Override
	public CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(List.of(request.lane(), Long.toString(request.seq()),
				ScriptTime.millis(request.lease()), request.former(),
				request.wentBack() ? ScriptWords.WENT_BACK : ScriptWords.DIED, ScriptWords.flag(request.last())));
		for (ResumeRequest.Holding holding : request.holdings()) {
			args.addAll(List.of(holding.uid(), Long.toString(holding.claim()), word(holding)));
		}
		return this.runner.run("Resuming on a new lane of the queue '" + queue + "'", Script.RESUME,
				keys.withIndex(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(),
						keys.lanes(), keys.dead(), keys.past(), keys.sleepers(), keys.meta()),
				args.toArray(), RedisDelayQueueStore::resumeReply);
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		MoveListener listener = this.moves;
		CompletableFuture<ClaimReply> claimed = claimMeasured(queue, request);
		return (!listener.isListening() && !listener.isListeningToQueues()) ? claimed : claimed.thenApply((reply) -> {
			listener.claimed(queue, request, reply);
			if (reply.moves().drained()) {
				this.drained.accept(queue, reply.time());
			}
			return reply;
		});
	}

	private CompletableFuture<ClaimReply> claimMeasured(String queue, ClaimRequest request) {
		if (!this.meter.isMeasuring()) {
			return claimUntold(queue, request);
		}
		long start = this.meter.start();
		return claimUntold(queue, request).thenApply((reply) -> {
			this.meter.claimed(queue, request, reply, (next) -> CompletionCall.isWithinReach(next,
					this.runner.keys(queue), this.runner::keys, this.clustered), start);
			return reply;
		});
	}

	private CompletableFuture<ClaimReply> claimUntold(String queue, ClaimRequest request) {
		return claim(queue, request,
				request.limits().isLimited() || this.keyedQueues.contains(queue) || ClaimCall.completes(request));
	}

	private CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request, boolean indexed) {
		ClaimLimits.Shared shared = request.limits().shared();
		ClaimCall call = new ClaimCall(this.runner.keys(queue), request, this.wakeUps.prefix(),
				(shared != null) ? SharedLimitKeys.of(this.runner, shared.name()) : null, this.runner::keys,
				this.clustered, this.moves);
		return this.runner
			.run("Claiming from the queue '" + queue + "'", Script.CLAIM, call.keys(indexed), call.args(),
					(reply) -> ClaimCall.reply(reply, request.seq()))
			.thenCompose(
					(reply) -> (reply != null) ? CompletableFuture.completedFuture(reply) : claimKeyed(queue, request));
	}

	/**
	 * Claims from a keyed queue, and from then on names its additional keys in each
	 * claim.
	 */
	private CompletableFuture<ClaimReply> claimKeyed(String queue, ClaimRequest request) {
		if (this.keyedQueues.size() >= MAX_KEYED_QUEUES) {
			this.keyedQueues.clear(); // each costs a claim more then, once
		}
		this.keyedQueues.add(queue);
		return claim(queue, request, true);
	}

	@Override
	public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered) {
		return renewLane(queue, lane, lease, answered, ClaimLimits.NONE);
	}

	@Override
	public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered,
			ClaimLimits limits) {
		QueueKeys keys = this.runner.keys(queue);
		String shared = sharedHeld(limits);
		List<Object> names = new ArrayList<>(List.of(keys.held(), keys.lanes(), keys.cancelled()));
		if (shared != null) {
			names.add(shared);
		}
		return this.runner.run("Renewing a lane of the queue '" + queue + "'", Script.RENEW_LANE, names,
				new Object[] { lane, ScriptTime.millis(lease), Long.toString(answered) },
				(reply) -> (reply.status() == LaneStatus.OK) ? new LaneRenewal(true, reply.flag()) : LaneRenewal.LOST);
	}

	@Override
	public CompletableFuture<WorkReply> keepWork(String queue, WorkRequest request) {
		MoveListener listener = this.moves;
		WorkCall call = new WorkCall(this.runner.keys(queue), request, sharedHeld(request.limits()));
		CompletableFuture<WorkReply> kept = this.runner.run(
				"Writing what handlers keep of messages of the queue '" + queue + "'", Script.WORK, call.keys(),
				call.args(), WorkCall::reply);
		return !listener.isListening() ? kept : kept.thenApply((reply) -> {
			listener.worked(queue, request, reply);
			return reply;
		});
	}

	private @Nullable String sharedHeld(ClaimLimits limits) {
		ClaimLimits.Shared shared = limits.shared();
		return (shared != null) ? SharedLimitKeys.of(this.runner, shared.name()).held() : null;
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Closing a lane of the queue '" + queue + "'", Script.CLOSE_LANE,
				List.of(keys.held(), keys.lanes(), keys.sleepers()), new Object[] { lane, this.wakeUps.prefix() },
				(reply) -> null);
	}

	@Override
	public CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		if (uids.isEmpty()) {
			return CompletableFuture.completedFuture(Set.of());
		}
		return this.runner.run("Asking which messages of the queue '" + queue + "' were cancelled", Script.IS_CANCELLED,
				List.of(this.runner.keys(queue).cancelled()), uids.toArray(), (reply) -> {
					Set<String> cancelled = new HashSet<>();
					for (String uid : uids) {
						if (reply.flag()) {
							cancelled.add(uid);
						}
					}
					return cancelled;
				});
	}

	@Override
	public CompletableFuture<OutboxReply> outbox(String queue, OutboxRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(
				List.of(request.instance(), Long.toString(request.number()), ScriptTime.millis(request.lease()),
						(request.after() != null) ? request.after() : ScriptWords.FIRST_NOTE,
						(request.until() != null) ? request.until() : ScriptWords.LAST_NOTE,
						Integer.toString(request.maxBytes())));
		args.addAll(request.relayed());
		return this.runner.run("Relaying the outbox of the queue '" + queue + "'", Script.OUTBOX,
				List.of(keys.outbox(), keys.meta()), args.toArray(), RedisDelayQueueStore::outboxReply);
	}

	private static OutboxReply outboxReply(Reply reply) {
		Reply first = reply.words();
		boolean busy = first.text().equals(ScriptWords.BUSY);
		first.time();
		long number = first.number();
		if (busy) {
			return new OutboxReply(Duration.ofMillis(number), 0, false, List.of());
		}
		boolean unbroken = first.text().equals(ScriptWords.YES);
		List<OutboxNote> notes = new ArrayList<>();
		while (reply.hasNext()) {
			notes.add(new OutboxNote(reply.text(), reply.text().charAt(0), reply.bytes()));
		}
		return new OutboxReply(null, number, unbroken, notes);
	}

	@Override
	public CompletableFuture<RunReply> runs(String queue, RunRequest request) {
		RunCall call = new RunCall(this.runner.keys(queue), request);
		return this.runner.run("Beginning and ending idempotent runs of the queue '" + queue + "'", Script.RUN_ONCE,
				call.keys(), call.args(), call::reply);
	}

	/**
	 * Finds out whether the user of the connection has the rights that the scripts need.
	 * @return each command that the user may not use, or not on the keys and channels of
	 * queues, with the error of Redis
	 */
	public CompletableFuture<List<String>> findRefusals() {
		return this.runner.run("Finding out what the user may do", Script.PERMISSIONS,
				List.of(this.runner.key("permissions")), new Object[] { this.wakeUps.prefix() }, (reply) -> {
					List<String> refusals = new ArrayList<>();
					while (reply.hasNext()) {
						refusals.add(reply.text());
					}
					return refusals;
				});
	}

	/**
	 * Repeats at once the steps that failed while Redis was away, and would be repeated
	 * later.
	 */
	public void redisIsBack() {
		this.wakeUps.redisIsBack();
	}

	@Override
	public WakeUpSubscription subscribe(WakeUpListener listener) {
		return this.wakeUps.subscribe(listener);
	}

	private static ResumeReply resumeReply(Reply reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new ResumeReply(status, 0, Set.of());
		}
		reply.time();
		long givenBack = reply.number();
		Set<String> refused = new HashSet<>();
		while (reply.hasNext()) {
			refused.add(reply.text());
		}
		return new ResumeReply(status, givenBack, refused);
	}

}
