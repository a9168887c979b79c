package io.redelay.queue.store.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import java.util.function.Supplier;

import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.ResumeRequest;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.Settlement;
import io.redelay.queue.store.Uids;
import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;
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

	private static final Duration ANNOUNCEMENT = Duration.ofMinutes(1);

	private final ScriptRunner runner;

	/**
	 * When it was told of a queue that it gets messages with a time to live.
	 */
	private final ConcurrentMap<String, Long> expiring = new ConcurrentHashMap<>();

	private volatile Runnable expiryMatters = () -> {
	};

	private final WakeUpChannel wakeUps;

	private final Scheduler scheduler;

	private final ReplayMemory replayMemory;

	private final RedisAvailability availability;

	private final String instance = Uids.instance();

	private final AtomicLong lanes = new AtomicLong();

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix what all keys begin with
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory what is remembered for when Redis goes back in time
	 */
	public RedisDelayQueueStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory replayMemory) {
		this(redisson, prefix, resendFor, timer, replayMemory, new RedisAvailability(timer));
	}

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix what all keys begin with
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory what is remembered for when Redis goes back in time
	 * @param availability is told which requests are answered; the stores of a server
	 * share one
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
		this.scheduler = Scheduler.of(timer, Runnable::run);
		this.runner = new ScriptRunner(redisson, prefix, resendFor, this.scheduler, scripts, availability);
		this.availability = availability;
		this.wakeUps = new WakeUpChannel(redisson, prefix + ":wake:", this.instance, this.scheduler);
	}

	/**
	 * Whether the server answers.
	 * @return what the requests of this store show
	 */
	public RedisAvailability availability() {
		return this.availability;
	}

	/**
	 * Ends sending requests again, for the application is closing: those that wait for
	 * that fail, so that nobody waits for ever. The client stays open.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * Has somebody told that this instance begins to claim, or to send messages with a
	 * time to live, so that somebody is to see that these expire.
	 * @param expiryMatters is called each time, and must be quick
	 */
	public void whenExpiryMatters(Runnable expiryMatters) {
		this.expiryMatters = expiryMatters;
	}

	@Override
	public String instance() {
		return this.instance;
	}

	@Override
	public String newLane() {
		return this.instance + "." + Long.toString(this.lanes.incrementAndGet(), Character.MAX_RADIX);
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

	@Override
	public CompletableFuture<Void> openSender(String queue, String lane) {
		return this.runner.run("Opening a sender of the queue '" + queue + "'", Script.OPEN_SENDER,
				List.of(this.runner.keys(queue).sent(lane), this.runner.keys(queue).known()),
				new Object[] { SenderMemory.MILLIS }, (reply) -> null);
	}

	@Override
	public CompletableFuture<SendReply> send(String queue, SendRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<NewMessage> messages = request.messages();
		List<Object> args = new ArrayList<>(List.of(Long.toString(request.seq()),
				request.renews() ? SenderMemory.MILLIS : "", this.wakeUps.prefix(), packed(messages)));
		LengthLimit limit = request.limit();
		if (limit != null || request.again()) {
			args.add((limit != null) ? limit.length() + (limit.dropsOldest() ? ScriptWords.DROPS_OLDEST : "") : "");
		}
		if (request.again()) {
			args.add(ScriptTime.millis(SendRequest.HOLD_BACK) + (request.returned() ? ScriptWords.RETURNED : ""));
		}
		List<Object> used = new ArrayList<>(List.of(keys.sent(request.lane()), keys.messages(), keys.ready(),
				keys.sleepers(), keys.known(), keys.meta()));
		if (limit != null || request.again() || !arePlain(messages)) {
			used.addAll(List.of(keys.scheduled(), keys.ids(), keys.tries(), keys.history(), keys.expiries()));
		}
		if (limit != null || request.again() || messages.stream().anyMatch((message) -> message.id() != null)) {
			used.addAll(List.of(keys.dead(), keys.deadIds()));
		}
		if (request.again() || (limit != null && limit.dropsOldest())) {
			used.addAll(List.of(keys.suspects(), keys.held(), keys.lanes()));
		}
		if (request.again()) {
			used.add(keys.past());
		}
		Supplier<CompletableFuture<SendReply>> send = () -> this.runner.run("Sending to the queue '" + queue + "'",
				Script.SEND, used, args.toArray(), RedisDelayQueueStore::sendReply);
		return expire(messages) ? announceExpiring(queue).thenCompose((announced) -> send.get()) : send.get();
	}

	private static boolean expire(List<NewMessage> messages) {
		for (NewMessage message : messages) {
			if (EnvelopeCodec.expires(message.envelope())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Tells all instances once a minute that a queue gets messages with a time to live,
	 * before it does. Where that fails the send does, too, or the next one tells it.
	 */
	private CompletableFuture<Void> announceExpiring(String queue) {
		this.expiryMatters.run();
		long now = this.scheduler.nanoTime();
		Long before = this.expiring.get(queue);
		if (before != null && now - before < ANNOUNCEMENT.toNanos()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.runner
			.run("Telling that messages of the queue '" + queue + "' expire", Script.REGISTER,
					List.of(this.runner.key("expiring")), new Object[] { queue }, (reply) -> now)
			.handle((told, failure) -> {
				if (told != null) {
					this.expiring.put(queue, told);
				}
				return null;
			});
	}

	private static boolean arePlain(List<NewMessage> messages) {
		for (NewMessage message : messages) {
			if (message.id() != null || message.delay() != null || message.dueAt() != null
					|| EnvelopeCodec.expires(message.envelope())) {
				return false;
			}
		}
		return true;
	}

	@Override
	public CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return checkSender(this.runner, queue, lane);
	}

	static CompletableFuture<SenderState> checkSender(ScriptRunner runner, String queue, String lane) {
		return runner.run("Checking a sender of the queue '" + queue + "'", Script.CHECK_SENDER,
				List.of(runner.keys(queue).sent(lane)), new Object[0],
				(reply) -> new SenderState(reply.status(), reply.time(), reply.hasNext() ? reply.number() : 0));
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

	@Override
	public CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(List.of(request.lane(), Long.toString(request.seq()),
				ScriptTime.millis(request.lease()), request.former(),
				request.wentBack() ? ScriptWords.WENT_BACK : ScriptWords.DIED, ScriptWords.flag(request.last())));
		for (ResumeRequest.Holding holding : request.holdings()) {
			args.addAll(List.of(holding.uid(), Long.toString(holding.claim()),
					holding.done() ? ScriptWords.DONE : ScriptWords.HELD));
		}
		return this.runner
			.run("Resuming on a new lane of the queue '" + queue + "'", Script.RESUME,
					List.of(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(), keys.lanes(),
							keys.dead(), keys.past(), keys.sleepers()),
					args.toArray(), RedisDelayQueueStore::resumeReply);
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(List.of(request.lane(), Long.toString(request.seq()),
				ScriptTime.millis(request.lease()), Integer.toString(request.wanted()),
				Integer.toString(request.maxBytes()), ScriptWords.flag(request.suspect()),
				ScriptTime.millis(request.sleep()), this.wakeUps.prefix()));
		args.add(acknowledged(request.settlements()));
		for (Settlement settlement : request.settlements()) {
			if (settlement.action() != Settlement.Action.ACK) {
				args.add(settlement.action().verb());
				args.add(settlement.uid());
				args.add(Long.toString(settlement.claim()));
				args.add(ScriptTime.millis(settlement.delay()));
				args.add(settlement.cause());
			}
		}
		return this.runner.run("Claiming from the queue '" + queue + "'", Script.CLAIM,
				List.of(keys.messages(), keys.ready(), keys.suspects(), keys.scheduled(), keys.held(), keys.lanes(),
						keys.tries(), keys.dead(), keys.deadMessages(), keys.ids(), keys.sleepers(), keys.meta(),
						keys.cancelled(), keys.history(), keys.past(), keys.expiries()),
				args.toArray(), (reply) -> claimReply(reply, request.seq()));
	}

	@Override
	public CompletableFuture<Boolean> renewLane(String queue, String lane, Duration lease, long answered) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Renewing a lane of the queue '" + queue + "'", Script.RENEW_LANE,
				List.of(keys.held(), keys.lanes()),
				new Object[] { lane, ScriptTime.millis(lease), Long.toString(answered) },
				(reply) -> reply.status() == LaneStatus.OK);
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Closing a lane of the queue '" + queue + "'", Script.CLOSE_LANE,
				List.of(keys.held(), keys.lanes(), keys.sleepers()), new Object[] { lane, this.wakeUps.prefix() },
				(reply) -> null);
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String queue, String uid) {
		return this.runner.run("Asking whether a message of the queue '" + queue + "' was cancelled",
				Script.IS_CANCELLED, List.of(this.runner.keys(queue).cancelled()), new Object[] { uid }, Reply::flag);
	}

	@Override
	public WakeUpSubscription subscribe(WakeUpListener listener) {
		return this.wakeUps.subscribe(listener);
	}

	/**
	 * The messages as one argument, for each costs, in the client as much as in Redis.
	 */
	private static byte[] packed(List<NewMessage> messages) {
		byte[][] heads = new byte[messages.size()][];
		int size = 0;
		for (int i = 0; i < heads.length; i++) {
			heads[i] = head(messages.get(i)).getBytes(StandardCharsets.UTF_8);
			size += Short.BYTES + heads[i].length + Integer.BYTES + messages.get(i).envelope().length - 1;
		}
		ByteBuffer packed = ByteBuffer.allocate(size);
		for (int i = 0; i < heads.length; i++) {
			byte[] envelope = messages.get(i).envelope();
			packed.putShort((short) heads[i].length).put(heads[i]);
			packed.putInt(envelope.length - 1).put(envelope, 1, envelope.length - 1);
		}
		return packed.array();
	}

	/**
	 * What the script is to know of a message beside its envelope.
	 */
	private static String head(NewMessage message) {
		String head = message.uid() + ScriptTime.when(message.delay(), message.dueAt());
		return (message.id() != null) ? head + " " + message.id() : head;
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
					words.append(ScriptWords.CLAIM).append(claim).append(' ');
				}
				words.append(settlement.uid()).append(' ');
			}
		}
		return words.toString();
	}

	private static SendReply sendReply(Reply reply) {
		LaneStatus status = reply.status();
		if (!reply.hasNext()) {
			return new SendReply(status, Instant.EPOCH, Map.of(), List.of());
		}
		Instant time = reply.time();
		if (status != LaneStatus.OK || !reply.hasNext()) {
			return new SendReply(status, time, Map.of(), List.of());
		}
		Map<Integer, SendReply.Duplicate> duplicates = new HashMap<>();
		List<String> dropped = new ArrayList<>();
		while (reply.hasNext()) {
			String position = reply.text();
			String uid = reply.text();
			Instant due = reply.time();
			if (position.equals(ScriptWords.DROPPED)) {
				dropped.add(uid);
			}
			else {
				duplicates.put(Integer.parseInt(position), new SendReply.Duplicate(uid, due));
			}
		}
		return new SendReply(status, time, duplicates, dropped);
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

	private static ClaimReply claimReply(Reply reply, long seq) {
		Reply first = reply.words();
		LaneStatus status = first.status();
		if (status != LaneStatus.OK) {
			Instant time = first.hasNext() ? first.time() : Instant.EPOCH;
			return new ClaimReply(status, time, null, Set.of(), List.of(), first.hasNext() ? first.number() : 0);
		}
		Instant time = first.time();
		long next = first.number();
		Set<String> refused = new HashSet<>();
		while (first.hasNext()) {
			refused.add(first.text());
		}
		List<ClaimedMessage> messages = new ArrayList<>();
		while (reply.hasNext()) {
			String[] told = reply.text().split(" ");
			boolean plain = told.length == 1;
			messages.add(new ClaimedMessage(told[0], seq, plain ? 0 : Integer.parseInt(told[1]),
					plain ? 0 : Integer.parseInt(told[2]), told.length > 3, reply.bytes()));
		}
		return new ClaimReply(status, time, (next >= 0) ? Duration.ofMillis(next) : null, refused, messages, 0);
	}

}
