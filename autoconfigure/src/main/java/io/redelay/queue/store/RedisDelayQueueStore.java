package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;

/**
 * The store on Redis: one script a verb, run through Redisson, on keys that share a hash
 * tag for each queue.
 *
 * @since 0.1.0
 */
public final class RedisDelayQueueStore implements DelayQueueStore {

	/**
	 * How long an unused sender lane is remembered: far longer than any of its requests
	 * is sent again.
	 */
	private static final String SENDER_TTL = Long.toString(Duration.ofMinutes(10).toMillis());

	/**
	 * What the script adds to an envelope at most: {@code "sentAt":…,"dueAt":…,}.
	 */
	private static final int STAMP_LENGTH = 64;

	/**
	 * Some 30,000 years: longer ones are cut to it, for the numbers of Redis and Lua
	 * count milliseconds up to there and little further.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(1_000_000_000_000L);

	private final String prefix;

	private final LuaScripts scripts;

	private final Resender resender;

	private final RScript runner;

	private final WakeUpChannel wakeUps;

	private final String instance = Uids.instance();

	private final AtomicLong lanes = new AtomicLong();

	private final ConcurrentMap<String, QueueKeys> keys = new ConcurrentHashMap<>();

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix what all keys begin with
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 */
	public RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer) {
		this(redisson, prefix, resendFor, timer, LuaScripts.load());
	}

	RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			LuaScripts scripts) {
		this.prefix = prefix;
		this.scripts = scripts;
		this.resender = new Resender(timer, resendFor);
		this.runner = redisson.getScript(OptionalOptions.defaults().codec(BytesCodec.INSTANCE).retryAttempts(0));
		this.wakeUps = new WakeUpChannel(redisson, prefix + ":wake:", this.instance, timer);
	}

	@Override
	public String newLane() {
		return this.instance + "." + Long.toString(this.lanes.incrementAndGet(), Character.MAX_RADIX);
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return run("Registering the queue '" + queue + "'", this.scripts.register(), List.of(this.prefix + ":queues"),
				new Object[] { queue }, (reply) -> null);
	}

	@Override
	public CompletableFuture<Void> openSender(String queue, String lane) {
		return run("Opening a sender of the queue '" + queue + "'", this.scripts.openSender(),
				List.of(keys(queue).sent(lane)), new Object[] { SENDER_TTL }, (reply) -> null);
	}

	@Override
	public CompletableFuture<SendReply> send(String queue, SendRequest request) {
		QueueKeys keys = keys(queue);
		Object[] args = new Object[4 + request.messages().size() * 4];
		args[0] = Long.toString(request.seq());
		args[1] = SENDER_TTL;
		args[2] = this.wakeUps.prefix();
		int longest = 0;
		int i = 4;
		for (NewMessage message : request.messages()) {
			args[i++] = message.uid();
			args[i++] = when(message);
			args[i++] = (message.id() != null) ? message.id() : "";
			args[i++] = message.envelope();
			longest = Math.max(longest, message.envelope().length);
		}
		args[3] = Integer.toString(longest + STAMP_LENGTH);
		return run(
				"Sending to the queue '" + queue + "'", this.scripts.send(), List.of(keys.sent(request.lane()),
						keys.messages(), keys.ready(), keys.scheduled(), keys.ids(), keys.sleepers(), keys.meta()),
				args, RedisDelayQueueStore::sendReply);
	}

	@Override
	public CompletableFuture<Void> openLane(String queue, String lane, Duration lease) {
		QueueKeys keys = keys(queue);
		return run("Opening a lane of the queue '" + queue + "'", this.scripts.openLane(),
				List.of(keys.held(), keys.lanes(), keys.sleepers()),
				new Object[] { lane, millis(lease), this.wakeUps.prefix() }, (reply) -> null);
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		QueueKeys keys = keys(queue);
		List<Object> args = new ArrayList<>(List.of(request.lane(), Long.toString(request.seq()),
				millis(request.lease()), Integer.toString(request.wanted()), Integer.toString(request.maxBytes()),
				request.suspect() ? "1" : "0", millis(request.sleep()), this.wakeUps.prefix()));
		args.add(acknowledged(request.settlements()));
		for (Settlement settlement : request.settlements()) {
			if (settlement.action() != Settlement.Action.ACK) {
				args.add(settlement.action().verb());
				args.add(settlement.uid());
				args.add(Long.toString(settlement.claim()));
				args.add(millis(settlement.delay()));
				args.add(settlement.cause());
			}
		}
		return run("Claiming from the queue '" + queue + "'", this.scripts.claim(),
				List.of(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(), keys.lanes(),
						keys.tries(), keys.dead(), keys.deadMessages(), keys.ids(), keys.sleepers(), keys.meta()),
				args.toArray(), (reply) -> claimReply(reply, request.seq()));
	}

	@Override
	public CompletableFuture<Boolean> renewLane(String queue, String lane, Duration lease) {
		QueueKeys keys = keys(queue);
		return run("Renewing a lane of the queue '" + queue + "'", this.scripts.renewLane(),
				List.of(keys.held(), keys.lanes()), new Object[] { lane, millis(lease) },
				(reply) -> reply.status() == LaneStatus.OK);
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		QueueKeys keys = keys(queue);
		return run("Closing a lane of the queue '" + queue + "'", this.scripts.closeLane(),
				List.of(keys.held(), keys.lanes(), keys.sleepers()), new Object[] { lane, this.wakeUps.prefix() },
				(reply) -> null);
	}

	@Override
	public WakeUpSubscription subscribe(WakeUpListener listener) {
		return this.wakeUps.subscribe(listener);
	}

	private <T extends @Nullable Object> CompletableFuture<T> run(String what, String script, List<Object> keys,
			Object[] args, Function<Reply, T> mapper) {
		return this.resender
			.<List<Object>>send(what,
					() -> this.runner.<List<Object>>evalAsync(RScript.Mode.READ_WRITE, script, RScript.ReturnType.LIST,
							keys, args))
			.thenApply((elements) -> mapper.apply(new Reply(elements)));
	}

	private QueueKeys keys(String queue) {
		return this.keys.computeIfAbsent(queue, (name) -> QueueKeys.of(this.prefix, name));
	}

	/**
	 * The acknowledgements as one argument, for most settlements are, and each argument
	 * costs.
	 */
	private static String acknowledged(List<Settlement> settlements) {
		StringBuilder words = new StringBuilder();
		long claim = -1;
		for (Settlement settlement : settlements) {
			if (settlement.action() == Settlement.Action.ACK) {
				if (settlement.claim() != claim) {
					claim = settlement.claim();
					words.append('/').append(claim).append(' ');
				}
				words.append(settlement.uid()).append(' ');
			}
		}
		return words.toString();
	}

	private static SendReply sendReply(Reply reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new SendReply(status, Instant.EPOCH, Map.of());
		}
		Instant time = reply.time();
		if (!reply.hasNext()) {
			return new SendReply(status, time, Map.of());
		}
		Map<Integer, SendReply.Duplicate> duplicates = new HashMap<>();
		while (reply.hasNext()) {
			duplicates.put((int) reply.number(), new SendReply.Duplicate(reply.text(), reply.time()));
		}
		return new SendReply(status, time, duplicates);
	}

	private static ClaimReply claimReply(Reply reply, long seq) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new ClaimReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, null, Set.of(), List.of());
		}
		Instant time = reply.time();
		long next = reply.number();
		String refusals = reply.text();
		Set<String> refused = refusals.isEmpty() ? Set.of() : new HashSet<>(List.of(refusals.split(" ")));
		List<ClaimedMessage> messages = new ArrayList<>();
		while (reply.hasNext()) {
			String[] told = reply.text().split(" ");
			boolean plain = told.length == 1;
			messages.add(new ClaimedMessage(told[0], seq, plain ? 0 : Integer.parseInt(told[1]),
					plain ? 0 : Integer.parseInt(told[2]), told.length > 3, reply.bytes()));
		}
		return new ClaimReply(status, time, (next >= 0) ? Duration.ofMillis(next) : null, refused, messages);
	}

	/**
	 * When the message is due, as the script reads it. Parts of a millisecond are rounded
	 * up: never early.
	 */
	private static String when(NewMessage message) {
		Instant dueAt = message.dueAt();
		if (dueAt != null) {
			return "@" + millis(Duration.between(Instant.EPOCH, dueAt));
		}
		Duration delay = message.delay();
		return (delay == null || delay.isZero() || delay.isNegative()) ? "" : "+" + millis(delay);
	}

	private static String millis(Duration duration) {
		if (duration.compareTo(LONGEST) >= 0) {
			return Long.toString(LONGEST.toMillis());
		}
		return (duration.isZero() || duration.isNegative()) ? "0"
				: Long.toString(duration.plusNanos(999_999).toMillis());
	}

}
