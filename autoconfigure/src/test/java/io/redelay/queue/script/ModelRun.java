package io.redelay.queue.script;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.CompletionSection;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.RetentionBounds;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.StoreModel.Message;
import io.redelay.queue.script.StoreModel.State;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.script.admin.ColdScript;
import io.redelay.queue.script.admin.ColdTier;
import io.redelay.queue.script.admin.DeathsScript;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.LanesScript;
import io.redelay.queue.script.admin.MessagePage;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.TaggedScript;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.TestRedis;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random senders and consumers of one queue, who crash, repeat themselves and are
 * repeated by the network, under a clock that jumps: step by step, the store must do
 * exactly what its model does. And a sleeping lane must be notified of what concerns it.
 */
public final class ModelRun {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration LONG_SLEEP = Duration.ofMinutes(10);

	/**
	 * How long senders may send again what the store has forgotten.
	 */
	private static final Duration FORGOTTEN = Duration.ofMinutes(10);

	private static final int MOST_LIVING = 90;

	private static final int REMEMBERED = 60;

	/**
	 * How much of an entry of the inlet is read.
	 */
	private static final int LONGEST_ENTRY = 20;

	private final long seed;

	private final Random random;

	/**
	 * Whether hardly anything happens but what happens in most queues, so that nothing is
	 * there for most of the time that other queues have: every second run.
	 */
	private final boolean plain;

	/**
	 * Whether messages have keys and priorities: in two of three runs.
	 */
	private final boolean keyed;

	private static final String NO_LIMITS = "q=- m=- kq=- km=- l=-";

	/**
	 * What claims are limited to: in every second run to something.
	 */
	private final ClaimLimits limits;

	private final StoreWorkbench bench;

	private final QueueScripts store;

	private final String queue = TestRedis.queue();

	/**
	 * A queue to which messages are sent together with acknowledgements.
	 */
	private final String otherQueue = TestRedis.queue();

	private final StoreWorkbench otherBench;

	private final Map<String, Completion> completions = new HashMap<>();

	/**
	 * The lane on which the messages of the other queue are handled.
	 */
	private String otherLane;

	private long otherSeq;

	private final List<Settlement> otherDone = new ArrayList<>();

	private final Map<String, Long> otherSenders = new HashMap<>();

	/**
	 * Ids of notes that were relayed, and are to be removed.
	 */
	private final List<String> relayed = new ArrayList<>();

	private final Map<String, Long> relayNumbers = new HashMap<>();

	private StoreModel model;

	private StoreModel snapshot;

	private final Uids uids = new Uids();

	private final MemoryColdChunks database = new MemoryColdChunks(() -> 1);

	private final List<Consumer> consumers = new ArrayList<>();

	private final Map<String, Long> senders = new HashMap<>();

	/**
	 * Every request that was made, for the network to repeat.
	 */
	private final List<Runnable> requests = new ArrayList<>();

	private final Deque<String> log = new ArrayDeque<>();

	private int step;

	private int sent;

	/**
	 * How much handlers have reported.
	 */
	private long reported;

	private final List<List<NewMessage>> earlier = new ArrayList<>();

	private LookInletScript.Page lastPage;

	private final List<List<TakenEntry>> taken = new ArrayList<>();

	private String adminLane;

	/**
	 * The commands that were done since the snapshot, a list each request.
	 */
	private final List<List<MessageCommand>> given = new ArrayList<>();

	private long adminSeq;

	/**
	 * A wake-up reached only the deaf, or one crashed who would have come, so the others
	 * come as late as they said; until one of them has looked again.
	 */
	private boolean unheard;

	public ModelRun(RedissonClient redisson, ScheduledExecutorService timer, long seed) {
		this.seed = seed;
		this.random = new Random(seed);
		this.plain = seed % 2 == 0;
		this.keyed = seed % 3 > 0;
		this.bench = new StoreWorkbench(redisson, this.queue, timer);
		this.store = this.bench.store;
		this.otherBench = new StoreWorkbench(redisson, this.otherQueue, timer);
		this.limits = this.random.nextBoolean() ? newLimits() : ClaimLimits.NONE;
		// Ahead of that of Redis, so that nothing expires before its time.
		this.model = new StoreModel(System.currentTimeMillis() + 3_600_000, new LimitsModel(this.limits));
		this.model.otherName = this.otherQueue;
		this.model.otherIsFar = redisson.getConfig().isClusterConfig();
		this.model.other = new StoreModel(this.model.now, new LimitsModel(ClaimLimits.NONE));
		this.bench.setClock(this.model.now);
		this.otherBench.setClock(this.model.now);
	}

	private ClaimLimits newLimits() {
		return new ClaimLimits(newRate(40), this.random.nextBoolean() ? this.random.nextInt(1, 20) : null, newRate(10),
				this.random.nextBoolean() ? this.random.nextInt(1, 5) : null, null);
	}

	private RateLimit newRate(int most) {
		if (this.random.nextBoolean()) {
			return null;
		}
		return new RateLimit(this.random.nextInt(1, most), Duration.ofMillis(this.random.nextInt(100, 5_000)),
				this.random.nextBoolean());
	}

	public void run(int steps) {
		try {
			for (this.step = 1; this.step <= steps; this.step++) {
				step();
			}
			drain();
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("Seed %d, %s, step %d, queue %s, at %d. The last steps:%n  %s".formatted(this.seed,
					this.limits, this.step, this.queue, this.model.now, String.join("\n  ", this.log)), ex);
		}
	}

	private void step() {
		// A lane that wants to claim mostly does, so that there are times when all sleep
		// or
		// are busy.
		boolean somebodyComes = this.consumers.stream()
			.anyMatch((consumer) -> !consumer.crashed && consumer.isPending(this.model.now));
		if (somebodyComes && this.random.nextInt(3) > 0) {
			claim();
			return;
		}
		if (this.keyed && this.random.nextInt(20) == 0) {
			gate();
			return;
		}
		if (this.random.nextInt(50) == 0) {
			commands(List.of(newLimitsCommand()));
			return;
		}
		if (!this.plain && this.random.nextInt(15) == 0) {
			keepWork();
			return;
		}
		if (!this.plain && this.random.nextInt(20) == 0) {
			useInlet();
			return;
		}
		if (!this.plain && this.random.nextInt(12) == 0) {
			switch (this.random.nextInt(6)) {
				case 0, 1, 2 -> pack();
				case 3 -> thaw();
				default -> moveBytes();
			}
			return;
		}
		if (this.random.nextInt(25) == 0) {
			relay();
			return;
		}
		if (this.random.nextInt(40) == 0) {
			handleOthers();
			return;
		}
		int dice = this.random.nextInt(120);
		if (this.random.nextInt(60) == 0) {
			takeSnapshot();
		}
		else if (this.snapshot != null && this.random.nextInt(90) == 0) {
			goBack();
		}
		else if (dice >= 100) {
			administrate();
		}
		else if (dice < 24) {
			send();
		}
		else if (dice < 45) {
			claim();
		}
		else if (dice < 50) {
			renew();
		}

		else if (dice < 54) {
			crash();
		}
		else if (dice < 56) {
			close();
		}
		else if (dice < 82) {
			repeat();
		}
		else if (dice < 95) {
			tick();
		}
		else {
			note("SCRIPT FLUSH");
			this.bench.flushScripts();
		}
	}

	// Sending

	private void send() {
		if (this.model.living().size() > MOST_LIVING) {
			claim();
			return;
		}
		if (this.random.nextInt(40) == 0) {
			sendOnNoLane();
			return;
		}
		if (this.senders.size() < 2 || this.random.nextInt(20) == 0) {
			String lane = this.store.newLane();
			this.senders.put(lane, 0L);
			request("open sender " + lane, () -> {
				StoreWorkbench.get(this.store.sends().openSender(this.queue, lane));
				StoreDump found = dump();
				this.model.openSender(lane);
				this.model.compare(found);
			});
		}
		String lane = pick(this.senders.keySet());
		long seq = this.senders.merge(lane, 1L + (this.random.nextInt(30) == 0 ? 1 : 0), Long::sum);
		int count = (this.random.nextInt(4) > 0) ? 1 : this.random.nextInt(1, 12);
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(newMessage());
		}
		boolean again = this.random.nextInt(8) == 0 && !this.earlier.isEmpty();
		if (again) {
			messages = pick(this.earlier);
		}
		this.earlier.add(messages);
		SendRequest request = new SendRequest(lane, seq, this.random.nextBoolean(), messages, again ? null : limit(),
				again, again && this.random.nextBoolean());
		String words = messages.stream()
			.map((message) -> message.uid() + ((message.id() != null) ? " id " + message.id() : "")
					+ ((message.delay() != null) ? " +" + message.delay().toMillis() : "")
					+ ((message.dueAt() != null) ? " @" + message.dueAt().toEpochMilli() : "")
					+ ((message.keys() != null) ? " " + message.keys() : ""))
			.collect(Collectors.joining(", "));
		List<NewMessage> messagesSent = request.messages();
		request("send%s %s/%d, %s: %s".formatted(again ? " again" : "", lane, seq, request.limit(), words), () -> {
			if (!again && messagesSent.stream().anyMatch((each) -> this.model.isMissing(each.uid()))) {
				// The guide says so: what was on its way when the store went back, and is
				// handled, is there twice.
				return;
			}
			if (!again && this.model.wentBack
					&& messagesSent.stream().anyMatch((each) -> this.model.isDead(each.uid()))) {
				// So is what was sent again meanwhile, and has died.
				return;
			}
			if (!again && this.model.wentBack && this.model.isNext(lane, seq)
					&& messagesSent.stream().anyMatch((each) -> this.model.isAlive(each.uid()))) {
				// Or waits: a request that the store has forgotten arrives after its
				// repetition.
				return;
			}
			if (request.limit() != null) { // it drops no packed messages
				bringNear(null);
			}
			SendReply reply = StoreWorkbench.get(this.store.sends().send().run(this.queue, request));
			StoreDump found = dump();
			this.model.send(request, reply);
			if (reply.status() == LaneStatus.BEHIND || reply.status() == LaneStatus.DELETED) {
				this.senders.remove(lane);
			}
			check(found);
		});
	}

	private void sendOnNoLane() {
		SendRequest request = new SendRequest(this.store.newLane(), 1, false, List.of(newMessage()), null, false,
				false);
		request("send on the lane %s, which is not open".formatted(request.lane()), () -> {
			SendReply reply = StoreWorkbench.get(this.store.sends().send().run(this.queue, request));
			StoreDump found = dump();
			this.model.send(request, reply);
			check(found);
		});
	}

	// Packed messages

	/**
	 * Packs some messages: none that a lane has held since they were sent or got their
	 * present uid. A late acknowledgement of such a one counts.
	 */
	private void pack() {
		note("look what can be packed");
		FarScript far = this.bench.admin.far();
		List<PackedMessages.Entry> found = StoreWorkbench.get(far.look(this.queue, null, Duration.ofMillis(1)))
			.messages()
			.stream()
			.filter((each) -> mayBePacked(each.uid()))
			.toList();
		if (found.isEmpty()) {
			return;
		}
		int from = this.random.nextInt(found.size());
		List<PackedMessages.Entry> packed = found.subList(from,
				Math.min(found.size(), from + this.random.nextInt(1, 8)));
		List<String> uids = packed.stream().map(PackedMessages.Entry::uid).toList();
		request("pack " + uids, () -> {
			if (uids.stream().allMatch(this::mayBePacked)) {
				StoreWorkbench.get(far.pack(this.queue, packed, Duration.ofMillis(1)));
			}
			check(dump());
		});
	}

	/**
	 * Whether a message may be packed as far as the store does not see to that itself.
	 * What is sent again is held back for seconds, with the turn of its ordering key, but
	 * is packed only if it is due minutes later.
	 */
	private boolean mayBePacked(String uid) {
		return !this.model.hasTurn(uid) && (!this.model.wentBack
				|| this.consumers.stream().noneMatch((consumer) -> consumer.holding.containsKey(uid)));
	}

	private void thaw() {
		FarScript far = this.bench.admin.far();
		List<FarScript.Chunk> chunks = chunks(null);
		if (!chunks.isEmpty()) {
			FarScript.Chunk chunk = pick(chunks);
			request("bring the chunk %s near".formatted(chunk.number()), () -> {
				StoreWorkbench.get(far.thaw(this.queue, chunk));
				check(dump());
			});
		}
	}

	/**
	 * Moves the bytes of chunks into a database or back, which changes nothing else.
	 */
	private void moveBytes() {
		ColdScript cold = new ColdScript(this.bench.admin.runner());
		ColdTier tier = this.bench.admin.coldTier();
		tier.use(this.database);
		boolean out = this.random.nextBoolean();
		note("look which bytes can move");
		List<FarScript.Chunk> chunks = StoreWorkbench
			.get(cold.look(this.queue, out ? ColdScript.Direction.OUT : ColdScript.Direction.IN,
					Duration.ofDays(out ? 0 : 1000), null))
			.chunks();
		if (chunks.isEmpty()) {
			return;
		}
		List<ColdChunks.Saved> moved = out ? chunks.stream()
			.map((each) -> new ColdChunks.Saved("redis", ColdTier.key(this.queue, each), each.dueMillis(),
					each.latestMillis(), each.left(), each.packed()))
			.toList() : StoreWorkbench.get(tier.load(this.queue, chunks));
		assertThat(moved).hasSameSizeAs(chunks);
		StoreWorkbench.get(this.database.save(moved));
		request("move the bytes of %d chunks %s".formatted(moved.size(), out ? "out" : "in"), () -> {
			StoreWorkbench.get(out ? cold.chill(this.queue, moved) : cold.warm(this.queue, moved));
			check(dump());
		});
	}

	private List<FarScript.Chunk> chunks(Instant until) {
		return StoreWorkbench.get(this.bench.admin.far().chunks(this.queue, true, 100, until, null)).chunks();
	}

	/**
	 * Does what an instance does for all in time.
	 */
	private void bringNear(Instant until) {
		boolean any = false;
		List<FarScript.Chunk> chunks;
		do {
			chunks = this.model.packed.isEmpty() ? List.of() : chunks(until);
			for (FarScript.Chunk chunk : chunks) {
				note("the chunk %s comes near".formatted(chunk.number()));
				assertThat(StoreWorkbench.get(this.bench.admin.far().thaw(this.queue, chunk)))
					.isEqualTo(FarScript.Thawed.NEAR);
				any = true;
			}
		}
		while (!chunks.isEmpty());
		if (any) {
			this.model.compare(dump());
		}
	}

	// The inlet

	private void useInlet() {
		if (this.random.nextInt(3) == 0) {
			push();
			return;
		}
		int most = this.random.nextInt(1, 6);
		long maxBytes = pick(List.of(1, 100, 100_000));
		if (this.model.living().size() > MOST_LIVING || this.senders.isEmpty()) {
			return;
		}
		note("look at the inlet");
		LookInletScript.Page read = StoreWorkbench
			.get(this.store.inlets().lookInlet().run(this.queue, most, maxBytes, LONGEST_ENTRY));
		this.model.look(read, most, maxBytes, LONGEST_ENTRY);
		// One that was read some time ago may have been taken by another instance.
		LookInletScript.Page page = (this.lastPage != null && this.random.nextInt(4) == 0) ? this.lastPage : read;
		this.lastPage = read;
		List<TakenEntry> entries = new ArrayList<>();
		List<String> texts = new ArrayList<>();
		if (this.random.nextInt(8) > 0) {
			page.entries().forEach((entry) -> {
				entries.add(taken(entry));
				texts.add(text(entry));
			});
		}
		takeOver(entries, texts, false);
		if (!entries.isEmpty()) {
			this.taken.add(entries);
		}
		if (!this.taken.isEmpty() && !this.senders.isEmpty() && this.random.nextInt(8) == 0) {
			List<TakenEntry> before = pick(this.taken).stream().filter((each) -> !each.entry().isCut()).toList();
			takeOver(before, before.stream().map((each) -> text(each.entry())).toList(), true);
		}
	}

	private void push() {
		List<String> texts = new ArrayList<>();
		for (int i = this.random.nextInt(1, 6); i > 0; i--) {
			// Many are the same, and some are longer than what is read of them.
			texts.add(pick(List.of("a", "b", "é😀", "x".repeat(LONGEST_ENTRY), "y".repeat(LONGEST_ENTRY + 1))));
		}
		note("push " + texts.size() + " entries");
		this.bench.push(texts);
		this.model.inlet.addAll(texts);
	}

	/**
	 * What is read of the longest one shows which it is.
	 */
	private static String text(LookInletScript.Entry entry) {
		String text = new String(entry.text(), StandardCharsets.UTF_8);
		return entry.isCut() ? text + "y" : text;
	}

	private TakenEntry taken(LookInletScript.Entry entry) {
		if (this.random.nextInt(3) > 0) {
			return new TakenEntry(entry, newMessage(), null);
		}
		byte[] envelope = ("{\"payload\":\"é" + this.sent++ + "\"}").getBytes(StandardCharsets.UTF_8);
		return new TakenEntry(entry, null,
				new TakenEntry.Dead(this.uids.next(), envelope, "{\"cause\":\"é " + this.step + "\"}"));
	}

	private void takeOver(List<TakenEntry> entries, List<String> texts, boolean again) {
		String lane = pick(this.senders.keySet());
		long seq = this.senders.merge(lane, 1L + (this.random.nextInt(30) == 0 ? 1 : 0), Long::sum);
		boolean sends = entries.stream().anyMatch((each) -> each.message() != null);
		TakeOverScript.Request request = new TakeOverScript.Request(lane, seq, this.random.nextBoolean(), entries,
				(again || !sends) ? null : limit(), again ? SendRequest.HOLD_BACK : null);
		List<String> made = entries.stream()
			.map((each) -> (each.message() != null) ? each.message().uid() : "!" + each.dead().uid())
			.toList();
		request("take over%s %s/%d, %s: %s".formatted(again ? " again" : "", lane, seq, request.limit(), made), () -> {
			List<String> uids = request.messages().stream().map(NewMessage::uid).toList();
			if (!again && (uids.stream().anyMatch(this.model::isMissing)
					|| (this.model.wentBack && (uids.stream().anyMatch(this.model::isDead)
							|| (this.model.isNext(lane, seq) && uids.stream().anyMatch(this.model::isAlive)))))) {
				// As with a send.
				return;
			}
			bringNear(null);
			SendReply reply = StoreWorkbench
				.get(this.store.inlets().takeOver().run(this.queue, request, LONGEST_ENTRY));
			StoreDump found = dump();
			this.model.takeOver(request, texts, reply);
			if (reply.status() == LaneStatus.BEHIND || reply.status() == LaneStatus.DELETED) {
				this.senders.remove(lane);
			}
			check(found);
		});
	}

	private LengthLimit limit() {
		if (this.random.nextInt(5) > 0) {
			return null;
		}
		// One that hardly leaves room beside what is in hand, or any.
		int length = (this.random.nextInt(4) == 0) ? this.model.in(State.HELD).size() + this.random.nextInt(1, 5)
				: this.random.nextInt(5, 60);
		Integer line = (this.random.nextInt(3) == 0) ? this.random.nextInt(1, 6) : null;
		if (this.random.nextInt(8) == 0) {
			return LengthLimit.EXEMPT;
		}
		return new LengthLimit((line != null && this.random.nextBoolean()) ? LengthLimit.ANY : length,
				this.random.nextBoolean(), line);
	}

	private NewMessage newMessage() {
		String id = (!this.plain && this.random.nextInt(3) == 0) ? "id " + this.random.nextInt(6) + "|%é\n" : null;
		int most = (this.random.nextInt(4) > 0) ? 6 : 1_000;
		String text = "é\\u0000\\n\u2028😀".repeat(this.random.nextInt(most)) + this.sent++;
		Duration delay = null;
		Instant due = null;
		switch (this.random.nextInt(6)) {
			case 0, 1, 2 -> {
			}
			case 3 -> delay = Duration.ofMillis(this.random.nextInt(1, 40_000));
			case 4 -> due = Instant.ofEpochMilli(this.model.now + this.random.nextInt(-5, 5));
			default -> due = Instant.ofEpochMilli(this.model.now + this.random.nextInt(-5_000, 100_000));
		}
		String life = this.plain ? "" : newLife(delay, due);
		byte[] envelope = ("{" + life + "\"payload\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8);
		MessageKeys keys = (this.keyed && this.random.nextInt(4) > 0) ? newKeys() : null;
		if (this.keyed && keys == null && this.random.nextBoolean()) {
			keys = MessageKeys.NONE.tagged(newTags());
		}
		return new NewMessage(this.uids.next(), id, delay, due, envelope, keys, null);
	}

	private String newLife(Duration delay, Instant due) {
		String life = (this.random.nextInt(3) == 0) ? "\"timeToLive\":" + this.random.nextInt(1, 30_000) + "," : "";
		life += switch (this.random.nextInt(12)) {
			case 0, 1 -> "\"deadlineAfter\":" + this.random.nextInt(1, 60_000) + ",";
			case 2, 3 -> "\"deadline\":" + (this.model.now + this.random.nextInt(-5_000, 60_000)) + ",";
			case 4 -> deadlineWhenDue(delay, due);
			default -> "";
		};
		return life.isEmpty() ? "" : "\"v\":1," + life;
	}

	/**
	 * A deadline in the very millisecond in which the message is due, which is refused,
	 * or beside it. A delay begins with the next millisecond.
	 */
	private String deadlineWhenDue(Duration delay, Instant due) {
		if (due != null) {
			return "\"deadline\":" + (due.toEpochMilli() + this.random.nextInt(-1, 2)) + ",";
		}
		return "\"deadlineAfter\":" + ((delay != null) ? delay.toMillis() + this.random.nextInt(3) : 1) + ",";
	}

	private MessageKeys newKeys() {
		String orderingKey = (this.random.nextInt(2) == 0) ? "o" + this.random.nextInt(4) : null;
		String fairnessKey = (this.random.nextInt(2) == 0) ? fairnessKey() : null;
		boolean weighs = this.random.nextInt(3) == 0;
		MessageKeys keys = new MessageKeys(orderingKey, fairnessKey,
				weighs ? this.random.nextInt(1, TurnsModel.MAX_WEIGHT + 1) : 1,
				(this.random.nextInt(4) == 0) ? this.random.nextInt(10) : null,
				(this.random.nextInt(6) == 0) ? Duration.ofMillis(this.random.nextInt(1, 20_000)) : null,
				orderingKey != null && this.random.nextInt(4) == 0);
		return (this.random.nextInt(2) == 0) ? keys.tagged(newTags()) : keys;
	}

	/**
	 * Of which some are the beginnings of others.
	 */
	private Set<String> newTags() {
		return this.random.ints(this.random.nextInt(1, 4), 0, 5)
			.mapToObj((number) -> "é tag".substring(0, 2 + number % 4) + number / 4)
			.collect(Collectors.toSet());
	}

	private String fairnessKey() {
		return "é" + this.random.nextInt(3);
	}

	// Claiming

	private void claim() {
		if (this.consumers.stream().filter((consumer) -> !consumer.crashed).count() < 1 + this.random.nextInt(4)) {
			open();
			return;
		}
		List<Consumer> alive = this.consumers.stream().filter((consumer) -> !consumer.crashed).toList();
		List<Consumer> pending = alive.stream().filter((consumer) -> consumer.isPending(this.model.now)).toList();
		Consumer consumer = pick((!pending.isEmpty() && this.random.nextInt(20) > 0) ? pending : alive);
		if (consumer.lost) {
			resume(consumer);
			return;
		}
		int wanted = pick(List.of(0, 1, 1, 2, 3, 10, 40));
		int maxBytes = pick(List.of(1, 200, 1_000, this.random.nextInt(8_000, 20_000), 1_000_000, 1_000_000));
		Duration sleep = (this.random.nextInt(10) == 0) ? Duration.ZERO
				: pick(List.of(Duration.ofSeconds(5), LONG_SLEEP, LONG_SLEEP, LONG_SLEEP));
		Duration lease = lease();
		List<Settlement> settlements = settlements(consumer);
		Set<String> finished = settlements.stream().map(Settlement::uid).collect(Collectors.toSet());
		boolean suspect = suspectsOf(consumer).allMatch((message) -> finished.contains(message.uid));
		ClaimRequest request = new ClaimRequest(new ClaimRequest.Terms(consumer.lane, lease, this.limits),
				++consumer.seq, wanted, maxBytes, suspect, sleep, settlements, null);
		String words = "claim %s/%d: %d of %d bytes, suspect %s, sleep %s, %s".formatted(consumer.lane, request.seq(),
				wanted, maxBytes, suspect, sleep,
				request.settlements()
					.stream()
					.map((settlement) -> "%s %s under %d delay %d".formatted(settlement.action(), settlement.uid(),
							settlement.claim(), settlement.delay().toMillis()))
					.toList());
		boolean replyLost = this.random.nextInt(10) == 0;
		request(words, () -> {
			ClaimReply reply = StoreWorkbench.get(this.store.claim().run(this.queue, request));
			boolean awaited = request.seq() == consumer.seq && !consumer.crashed && !consumer.answered;
			this.unheard &= !awaited;
			StoreDump found = dump();
			this.model.claim(request, reply, found);
			if (awaited) {
				consumer.answer(request, reply, this.model.now);
				// Its lane died while it slept; others would open a new one and come
				// again.
				this.unheard |= consumer.crashed;
			}
			check(found);
		}, () -> {
			consumer.answered = false;
			consumer.pending = true;
		}, replyLost ? () -> {
			// What it learned is forgotten again, and it will ask again.
			note("  ... whose reply is lost");
			consumer.answered = false;
			consumer.pending = true;
			this.requests.get(this.requests.size() - 1).run();
		} : () -> {
		});
	}

	/**
	 * Takes over on a new lane what the consumer has, and some of what it had settled, in
	 * one step or two.
	 */
	private void resume(Consumer consumer) {
		String former = consumer.lane;
		long before = consumer.seq;
		String lane = this.store.newLane();
		Duration lease = lease();
		request("open %s after %s/%d".formatted(lane, former, before), () -> {
			StoreWorkbench.get(new LaneScript(this.store).open(this.queue, lane, lease, before));
			StoreDump found = dump();
			this.model.openLane(lane, lease, before);
			this.model.compare(found);
		});
		consumer.lane = lane;
		consumer.lost = false;
		List<ResumeScript.Holding> holdings = new ArrayList<>();
		consumer.holding.forEach((uid, claim) -> holdings.add(new ResumeScript.Holding(uid, claim, false)));
		consumer.formerly.forEach((uid, claim) -> {
			if (!consumer.holding.containsKey(uid) && this.random.nextBoolean()) {
				boolean done = this.random.nextInt(4) > 0;
				holdings.add(new ResumeScript.Holding(uid, claim, done, done && this.random.nextBoolean(), false));
			}
		});
		boolean wentBack = this.random.nextInt(4) > 0;
		int half = (this.random.nextInt(3) == 0) ? holdings.size() / 2 : holdings.size();
		if (half < holdings.size()) {
			resume(consumer, new ResumeScript.Request(lane, ++consumer.seq, lease, former, wentBack, false,
					holdings.subList(0, half)));
		}
		resume(consumer, new ResumeScript.Request(lane, ++consumer.seq, lease, former, wentBack, true,
				holdings.subList((half < holdings.size()) ? half : 0, holdings.size())));
		consumer.pending = true;
	}

	private void resume(Consumer consumer, ResumeScript.Request request) {
		String words = "resume %s/%d after %s, %s%s: %s".formatted(request.lane(), request.seq(), request.former(),
				request.wentBack() ? "went back" : "died", request.last() ? ", last" : "", request.holdings());
		Map<String, Long> reported = new TreeMap<>();
		request.holdings().forEach((holding) -> reported.put(holding.uid(), holding.claim()));
		request(words, () -> {
			if (request.wentBack()) { // of what was packed then it takes nothing
				bringNear(null);
			}
			ResumeScript.Reply reply = StoreWorkbench
				.get(new ResumeScript(this.store.runner()).run(this.queue, request));
			StoreDump found = dump();
			this.model.resume(request, reply);
			this.model.compare(found);
			if (request.lane().equals(consumer.lane) && request.seq() == consumer.seq) {
				consumer.holding.keySet().removeAll(reply.refused());
				reported.keySet().removeAll(reply.refused());
				consumer.holding.putAll(reported);
			}
		});
	}

	private void takeSnapshot() {
		note("take a snapshot");
		this.bench.takeSnapshot();
		this.otherBench.takeSnapshot();
		this.snapshot = this.model.copy();
		this.given.clear();
	}

	/**
	 * The store goes back to its last snapshot, and everybody comes again.
	 */
	private void goBack() {
		note("the store goes back in time");
		this.bench.goBack();
		this.otherBench.goBack();
		long now = this.model.now;
		this.model = this.snapshot.copy();
		this.model.now = now;
		this.model.wentBack = true;
		this.model.other.now = now;
		this.model.other.wentBack = true;
		this.consumers.forEach((consumer) -> consumer.pending = true);
		if (this.random.nextBoolean()) {
			this.adminLane = null;
		}
		this.model.compare(dump());
		bringNear(Instant.ofEpochMilli(this.model.now)); // what is due is ready
		if (this.random.nextBoolean()) {
			repeatCommands();
		}
		this.given.clear();
		bringNear(null);
	}

	private List<Settlement> settlements(Consumer consumer) {
		List<Settlement> settlements = new ArrayList<>();
		consumer.holding.forEach((uid, claim) -> {
			if (this.random.nextInt(3) > 0) {
				settlements.add(settlement(uid, claim));
			}
		});
		// And some that are not its business.
		if (!this.model.messages.isEmpty() && this.random.nextInt(4) == 0) {
			Message message = pick(new ArrayList<>(this.model.messages.values()));
			if (!this.model.packed.contains(message.uid)) { // of these no late
															// acknowledgement counts
				settlements.add(settlement(message.uid, pick(List.of(Settlement.LATE, message.claim, 1L, 2L))));
			}
		}
		if (!consumer.holding.isEmpty() && this.random.nextInt(5) == 0) {
			String uid = pick(consumer.holding.keySet());
			settlements.add(settlement(uid, consumer.holding.get(uid) - this.random.nextInt(2)));
		}
		if (!consumer.formerly.isEmpty() && this.random.nextInt(4) == 0) {
			String uid = pick(consumer.formerly.keySet());
			settlements.add(settlement(uid, pick(List.of(Settlement.LATE, consumer.formerly.get(uid)))));
		}
		if (this.random.nextInt(30) == 0) {
			settlements.add(settlement(this.uids.next(), 1));
		}
		// As in most requests.
		if (this.random.nextInt(3) == 0 || (this.plain && this.random.nextInt(10) > 0)) {
			settlements.replaceAll((settlement) -> Settlement.ack(settlement.uid(), settlement.claim()));
		}
		return settlements;
	}

	private Settlement settlement(String uid, long claim) {
		Duration delay = pick(List.of(Duration.ZERO, Duration.ofMillis(this.random.nextInt(1, 20_000))));
		return switch (this.random.nextInt(13)) {
			case 11 -> Settlement.cancel(uid, claim, this.random.nextBoolean() ? endOfCancelled(uid) : null);
			case 9, 10 -> Settlement.done(uid, claim, completion(uid));
			case 6 -> Settlement.waiting(uid, claim, delay, this.random.nextInt(3) == 0);
			case 0, 1 -> Settlement.retry(uid, claim, delay);
			case 2, 3 -> Settlement.giveBack(uid, claim, delay);
			case 4, 12 -> Settlement.bury(uid, claim, "{\"cause\":\"" + this.step + "\"}");
			case 5 -> Settlement.retry(uid, claim, delay, "{\"attempt\":\"é " + this.step + "\"}");
			default -> Settlement.ack(uid, claim);
		};
	}

	private Completion endOfCancelled(String uid) {
		Message message = this.model.messages.get(uid);
		return new Completion(List.of(
				new KeptMessage((message != null) ? message.id : null,
						new RetentionBounds(Duration.ofMinutes(1), 10, RetentionBounds.ANY_SIZE)),
				KeptResult.cancelled(this.random.nextBoolean() ? "nobody" : null)), (counted) -> {
				});
	}

	private Completion completion(String uid) {
		Completion before = this.completions.get(uid);
		if (before != null && this.random.nextBoolean()) {
			// The same word again, as after the store went back.
			return before.repeated();
		}
		Completion completion = newCompletion(uid);
		this.completions.put(uid, completion);
		return completion;
	}

	private Completion newCompletion(String uid) {
		List<CompletionSection> sections = new ArrayList<>();
		Message message = this.model.messages.get(uid);
		sections.add(new KeptMessage((message != null) ? message.id : null,
				new RetentionBounds(Duration.ofSeconds(this.random.nextInt(60, 600)), this.random.nextInt(1, 30),
						this.random.nextBoolean() ? this.random.nextInt(1, 3_000) : RetentionBounds.ANY_SIZE)));
		if (this.random.nextBoolean()) {
			sections.add(new KeptResult(this.random.nextBoolean() ? "nobody" : null, "text/plain",
					"é\n ".repeat(this.random.nextInt(100)).getBytes(StandardCharsets.UTF_8)));
		}
		while (this.model.living().size() < MOST_LIVING && this.random.nextInt(3) == 0) {
			sections.add(new NextMessage(this.random.nextBoolean() ? this.queue : this.otherQueue, newMessage(), null));
		}
		return new Completion(sections, (counted) -> {
		});
	}

	/**
	 * Reads the outbox, and sends some of what is there. Who relays may die at any point.
	 */
	private void relay() {
		List<String> done = new ArrayList<>(this.relayed);
		this.relayed.clear();
		String instance = pick(List.of("one", "two"));
		OutboxScript.Request outbox = new OutboxScript.Request(instance,
				this.relayNumbers.merge(instance, 1L, Long::sum), Duration.ofSeconds(10), null, null,
				pick(List.of(500, 1_000_000)), done);
		List<OutboxNote> notes = new ArrayList<>();
		request("outbox " + outbox, () -> {
			OutboxScript.Reply reply = StoreWorkbench
				.get(new OutboxScript(this.store.runner()).run(this.queue, outbox));
			StoreDump found = dump();
			this.model.outbox(outbox, reply);
			check(found);
			notes.addAll(reply.notes());
		});
		for (OutboxNote note : notes.subList(0, Math.min(notes.size(), this.random.nextInt(1, 5)))) {
			if (note.kind() == 'e') { // of bundles there are none here
				this.relayed.add(note.id());
				continue;
			}
			NextMessage next = NextMessage.read(note);
			boolean isOther = next.queue().equals(this.otherQueue);
			Map<String, Long> lanes = isOther ? this.otherSenders : this.senders;
			if (lanes.isEmpty()) {
				openSender(isOther);
			}
			String lane = pick(lanes.keySet());
			SendRequest request = new SendRequest(lane, lanes.merge(lane, 1L, Long::sum), false,
					List.of(next.message()), null, null, false, Duration.ofMinutes(5), null);
			boolean forgets = this.random.nextInt(4) == 0;
			request("hand over %s to %s on %s/%d".formatted(next.message().uid(), isOther ? "the other" : "the own",
					lane, request.seq()), () -> {
						SendReply reply = StoreWorkbench.get(this.store.sends().send().run(next.queue(), request));
						if (isOther) {
							StoreDump found = this.otherBench.dump();
							this.model.other.send(request, reply);
							this.model.other.compare(found);
						}
						else {
							StoreDump found = dump();
							this.model.send(request, reply);
							check(found);
						}
						if (reply.status() == LaneStatus.OK && !forgets) {
							this.relayed.add(note.id());
						}
						else if (reply.status() != LaneStatus.OK) {
							lanes.remove(lane);
						}
					});
		}
	}

	private void openSender(boolean isOther) {
		String lane = this.store.newLane();
		(isOther ? this.otherSenders : this.senders).put(lane, 0L);
		note("open sender " + lane);
		StoreWorkbench.get(this.store.sends().openSender(isOther ? this.otherQueue : this.queue, lane));
		dump();
		(isOther ? this.model.other : this.model).openSender(lane);
	}

	/**
	 * Handles some of what was sent to the other queue.
	 */
	private void handleOthers() {
		if (this.otherLane == null || this.random.nextInt(20) == 0) {
			this.otherLane = this.store.newLane();
			this.otherSeq = 0;
			this.otherDone.clear();
			StoreWorkbench.get(new LaneScript(this.store).open(this.otherQueue, this.otherLane, LEASE, 0));
			this.model.other.openLane(this.otherLane, LEASE, 0);
		}
		ClaimRequest request = new ClaimRequest(new ClaimRequest.Terms(this.otherLane, LEASE, ClaimLimits.NONE),
				++this.otherSeq, 5, 1_000_000, true, Duration.ZERO, List.copyOf(this.otherDone), null);
		note("handle some of the other queue, " + request.seq());
		ClaimReply reply = StoreWorkbench.get(this.store.claim().run(this.otherQueue, request));
		StoreDump found = this.otherBench.dump();
		this.model.other.claim(request, reply, found);
		this.model.other.compare(found);
		this.otherDone.clear();
		reply.messages().forEach((message) -> this.otherDone.add(Settlement.ack(message.uid(), message.claim())));
		if (reply.status() != LaneStatus.OK) {
			this.otherLane = null;
		}
	}

	// Administration

	private void administrate() {
		switch (this.random.nextInt(12)) {
			case 0 -> look();
			case 1 -> purge();
			case 2 -> {
				if (this.random.nextInt(3) == 0) {
					trim();
				}
			}
			case 3 -> pause();
			case 4 -> {
				if (this.random.nextInt(5) == 0) {
					close(true);
				}
			}
			case 5 -> close(false);
			case 6 -> {
				if (this.random.nextInt(20) == 0) {
					delete();
				}
				forget();
			}
			default -> {
				if (!this.plain || this.random.nextInt(10) == 0) {
					List<Message> dead = this.model.in(State.DEAD);
					if (dead.isEmpty() || this.random.nextInt(3) > 0) {
						command();
					}
					else {
						commands(List.of(new MessageCommand(MessageCommand.Action.REDRIVE, pick(dead).uid, "",
								this.uids.next())));
					}
				}
			}
		}
	}

	private void onAdminLane(BiConsumer<String, Long> request) {
		if (this.adminLane == null || this.random.nextInt(20) == 0) {
			note("open a lane for commands");
			this.adminLane = StoreWorkbench.get(this.bench.admin.steer().openLane(this.queue));
			this.adminSeq = 0;
			dump();
			this.model.openCommandLane(this.adminLane);
		}
		request.accept(this.adminLane, ++this.adminSeq);
	}

	private void command() {
		List<MessageCommand> actions = new ArrayList<>();
		int count = this.random.nextInt(1, 4);
		for (int i = 0; i < count; i++) {
			actions.add(newCommand());
		}
		commands(actions);
	}

	/**
	 * Closes a fairness key of which something waits, or opens what is closed.
	 */
	private void gate() {
		Set<String> closed = this.model.closedKeys();
		if (!closed.isEmpty() && this.random.nextInt(3) > 0) {
			commands(List.of(MessageCommand.gate(pick(closed), Duration.ofMillis(pick(List.of(0, 0, 1, 500))))));
			return;
		}
		List<String> keys = this.model.in(State.READY)
			.stream()
			.map(TurnsModel::fairnessKey)
			.filter((key) -> !key.isEmpty())
			.toList();
		if (!keys.isEmpty()) {
			commands(List.of(MessageCommand.gate(pick(keys), Duration.ofMillis(this.random.nextInt(1, 20_000)))));
		}
	}

	private void commands(List<MessageCommand> actions) {
		int done = commandSome(actions);
		boolean vain = false;
		List<MessageCommand> left = actions;
		// A caller gives again what a request has left.
		while (done < left.size() && this.random.nextInt(5) > 0) {
			assertThat(vain && done == 0).as("nothing of %s is done again", left).isFalse();
			vain = done == 0;
			left = left.subList(done, left.size());
			note("what is left is given again");
			done = commandSome(left);
		}
	}

	/**
	 * Gives commands.
	 * @return how many of them are done, all if the store did none
	 */
	private int commandSome(List<MessageCommand> actions) {
		int[] done = { -1 };
		onAdminLane((lane, seq) -> request("command %s/%d: %s".formatted(lane, seq, actions), () -> {
			CommandReply reply = withoutChunks(
					StoreWorkbench.get(this.bench.admin.steer().run(this.queue, lane, seq, actions)));
			StoreDump found = this.bench.dump(); // the model needs to know what was
													// packed before
			this.model.command(lane, seq, actions, reply, found);
			noteWoken(found);
			check(found);
			if (done[0] < 0) {
				done[0] = (reply.status() == LaneStatus.OK) ? reply.done(actions.size()) : actions.size();
				if (reply.status() == LaneStatus.OK) {
					this.given.add(actions.subList(0, done[0]));
				}
			}
		}));
		return done[0];
	}

	/**
	 * Gives the commands again that the store has forgotten, as their sender does: on a
	 * new lane, before all others.
	 */
	private void repeatCommands() {
		note("commands that were forgotten are given again");
		this.adminLane = null;
		List<List<MessageCommand>> forgotten = List.copyOf(this.given);
		this.given.clear();
		forgotten.forEach((some) -> {
			List<MessageCommand> again = some.stream()
				// The model has no members of bundles that the store does not know.
				.filter((each) -> each.action() != MessageCommand.Action.CANCEL || each.argument().isEmpty())
				.map((each) -> new MessageCommand(each.action(), each.name(), each.argument(), this.uids.next(),
						each.states()))
				.toList();
			if (!again.isEmpty()) {
				commands(again);
			}
		});
	}

	private static CommandReply withoutChunks(CommandReply reply) {
		List<CommandReply.Result> results = reply.results()
			.stream()
			.map((each) -> (each.outcome() == CommandReply.Result.Outcome.LATER)
					? new CommandReply.Result(each.state(), each.outcome(), null, null) : each)
			.toList();
		return new CommandReply(reply.status(), reply.time(), reply.untidy(), results, reply.emptied(), null);
	}

	private MessageCommand newCommand() {
		List<Message> all = new ArrayList<>(this.model.living());
		all.addAll(this.model.in(State.DEAD));
		String name = this.uids.next();
		Long deadline = null;
		Message message = null;
		if (!all.isEmpty() && this.random.nextInt(10) > 0) {
			List<Message> dead = this.model.in(State.DEAD);
			message = pick((!dead.isEmpty() && this.random.nextInt(5) == 0) ? dead : all);
			deadline = message.deadline();
			name = (message.id != null && this.random.nextBoolean()) ? message.id : message.uid;
		}
		if (this.random.nextInt(20) == 0) {
			return MessageCommand.flag("paused", false);
		}
		MessageCommand.Action action = pick(List.of(MessageCommand.Action.values()));
		if (action == MessageCommand.Action.GATE) {
			String key = (this.keyed && this.random.nextBoolean()) ? fairnessKey() : "";
			return MessageCommand.gate(key, Duration.ofMillis(pick(List.of(0, 1, this.random.nextInt(1, 20_000)))));
		}
		if (action == MessageCommand.Action.LIMITS) {
			return newLimitsCommand();
		}
		if (action == MessageCommand.Action.FLAG) {
			action = MessageCommand.Action.CANCEL;
		}
		String argument = switch (action) {
			case FORWARD -> "queue-" + this.random.nextInt(2);
			case EXPIRE -> pick(List.of("", "{\"cause\":\"expired " + this.step + "\"}"));
			case DELETE -> "";
			case ROUND -> Integer.toString(this.random.nextInt(1, 4));
			case CANCEL -> (message != null && message.state != State.MISSING && this.random.nextInt(5) == 0)
					? new BundleMembership(this.queue, "b").beginning(message.uid) : "";
			case BURY -> "{\"cause\":\"buried " + this.step + "\"}";
			case CHANGE -> (message != null) ? newChange(message) : "";
			default -> (action == MessageCommand.Action.SCHEDULE && deadline != null && this.random.nextBoolean())
					? "@" + (deadline + this.random.nextInt(-1, 2))
					: pick(List.of("", "+" + this.random.nextInt(1, 30_000),
							"@" + (this.model.now + this.random.nextInt(-5_000, 50_000))));
		};
		if (action == MessageCommand.Action.REDRIVE && this.random.nextInt(3) == 0) {
			argument = MessageCommand.redrive(argument, this.random.nextInt(1, 4));
		}
		return new MessageCommand(action, name, argument, this.uids.next(), newStates());
	}

	/**
	 * Sets limits for all instances, or takes them away.
	 */
	private MessageCommand newLimitsCommand() {
		if (this.random.nextInt(4) == 0) {
			return MessageCommand.limits("the model", NO_LIMITS);
		}
		ClaimLimits limits = newLimits();
		Integer line = this.random.nextBoolean() ? this.random.nextInt(1, 6) : null;
		String words = LimitWords.of(new StoredLimits(limits, line, null, null));
		return MessageCommand.limits("the model", words.isEmpty() ? NO_LIMITS : words);
	}

	private Set<MessageState> newStates() {
		Set<MessageState> states = EnumSet.noneOf(MessageState.class);
		for (int i = this.random.nextInt(4) - 1; i > 0; i--) {
			states.add(pick(List.of(MessageState.values())));
		}
		return states;
	}

	private String newChange(Message message) {
		int failures = message.failures + ((this.random.nextInt(10) == 0) ? 1 : 0);
		byte[] found = (message.envelope + ((this.random.nextInt(10) == 0) ? " " : ""))
			.getBytes(StandardCharsets.UTF_8);
		MessageKeys keys = (message.keys != null) ? message.keys : MessageKeys.NONE;
		return new MessageEdit(
				new StoredMessage(message.uid, message.uid, MessageState.READY, null, failures, message.crashes, null,
						false, found, null, List.of(), null, null, null),
				(this.random.nextInt(3) == 0) ? this.random.nextInt(4) : null,
				(this.keyed && this.random.nextBoolean()) ? this.random.nextInt(10) : null,
				Objects.requireNonNullElse(keys.priority(), MessageKeys.DEFAULT_PRIORITY),
				this.random.nextBoolean() ? keys.ageing() : null,
				this.random.nextBoolean() ? ChangedMessage.envelope(message, " " + this.step) : null)
			.argument();
	}

	private void look() {
		note("look");
		List<Message> all = new ArrayList<>(this.model.messages.values());
		String name = all.isEmpty() ? "nothing" : pick(all).uid;
		this.model.find(name,
				StoreWorkbench.get(this.bench.admin.messages().find(this.queue, List.of(name))).messages());
		this.model.deaths(allDeaths());
		this.model.expired(StoreWorkbench.get(this.bench.admin.messages().expired(this.queue)));
		MessageState state = pick(
				List.of(MessageState.SCHEDULED, MessageState.READY, MessageState.IN_FLIGHT, MessageState.DEAD));
		this.model.browse(state, allOf(state));
		this.model.browseCompleted(allOf(MessageState.COMPLETED));
		this.model.count(StoreWorkbench.get(this.bench.admin.count().run(this.queue)));
		if (this.keyed) {
			lookByTag();
		}
		Map<String, Long> lanes = StoreWorkbench.get(new LanesScript(this.bench.admin.runner()).run(this.queue))
			.stream()
			.collect(Collectors.toMap(LanesScript.Lane::name, LanesScript.Lane::held));
		assertThat(lanes.keySet()).isEqualTo(this.model.lanes.keySet());
		lanes.forEach((lane, held) -> assertThat(held).isEqualTo(this.model.heldBy(lane).size()));
	}

	private void lookByTag() {
		String tag = pick(newTags());
		int size = this.random.nextInt(1, 10);
		List<StoredMessage> messages = new ArrayList<>();
		List<TaggedScript.Place> places = new ArrayList<>();
		String next = null;
		do {
			TaggedScript.Page<StoredMessage> page = StoreWorkbench
				.get(new TaggedScript(this.bench.admin).run(this.queue, tag, next, size));
			assertThat(page.passed()).isLessThanOrEqualTo(size);
			messages.addAll(page.messages());
			next = page.next();
		}
		while (next != null);
		do {
			TaggedScript.Page<TaggedScript.Place> page = StoreWorkbench
				.get(new TaggedScript(this.bench.admin).places(this.queue, tag, next, size));
			places.addAll(page.messages());
			next = page.next();
		}
		while (next != null);
		this.model.byTag(tag, messages, places);
	}

	private MessagePage allOf(MessageState state) {
		List<StoredMessage> messages = new ArrayList<>();
		// What is in flight has no order, so that pages may overlap.
		int size = (state != MessageState.IN_FLIGHT) ? this.random.nextInt(1, 40) : 500;
		long offset = 0;
		MessagePage page;
		do {
			page = StoreWorkbench.get(this.bench.admin.messages().browse(this.queue, state, offset, size));
			messages.addAll(page.messages());
			assertThat(page.passed()).isLessThanOrEqualTo(size);
			assertThat(page.messages()
				.stream()
				.limit(Math.max(0, page.messages().size() - 1))
				.mapToInt((message) -> message.envelope().length)
				.sum()).as("bytes before the last one").isLessThan(StoreWorkbench.MAX_BYTES);
			offset += page.passed();
		}
		while (page.hasNext());
		if (state == MessageState.SCHEDULED && !this.model.packed.isEmpty()) { // packed
																				// ones
																				// come
																				// last
			messages.sort(Comparator.comparing(StoredMessage::since).thenComparing(StoredMessage::uid));
		}
		return new MessagePage(page.time(), messages, (int) offset, false);
	}

	private List<DeathsScript.Death> allDeaths() {
		List<DeathsScript.Death> deaths = new ArrayList<>();
		DeathsScript.Page page;
		do {
			page = StoreWorkbench
				.get(new DeathsScript(this.bench.admin).run(this.queue, deaths.size(), this.random.nextInt(1, 40)));
			deaths.addAll(page.deaths());
		}
		while (page.hasNext());
		return deaths;
	}

	private void purge() {
		MessageState state = pick(
				List.of(MessageState.SCHEDULED, MessageState.READY, MessageState.DEAD, MessageState.COMPLETED));
		int most = this.random.nextInt(1, 6);
		onAdminLane((lane, seq) -> request("purge %s/%d: %d %s".formatted(lane, seq, most, state), () -> {
			if (state == MessageState.SCHEDULED) {
				bringNear(null);
			}
			PurgeScript.Result reply = StoreWorkbench
				.get(new PurgeScript(this.bench.admin).run(this.queue, lane, seq, state, most));
			StoreDump found = dump();
			this.model.purge(lane, seq, state, most, reply, found);
			check(found);
		}));
	}

	private void trim() {
		int count = this.random.nextInt(8);
		Duration age = Duration.ofMillis(this.random.nextInt(1, 100_000));
		long bytes = this.random.nextBoolean() ? Long.MAX_VALUE : this.random.nextInt(2_000);
		onAdminLane((lane, seq) -> request("trim %s/%d to %d of %s, %d bytes".formatted(lane, seq, count, age, bytes),
				() -> {
					TrimDeadScript.Result reply = StoreWorkbench
						.get(new TrimDeadScript(this.bench.admin).run(this.queue, lane, seq, count, age, bytes));
					StoreDump found = dump();
					this.model.trimDead(lane, seq, count, age, bytes, reply);
					check(found);
				}));
	}

	private void pause() {
		boolean paused = !this.model.paused && this.random.nextInt(3) == 0;
		flag("paused", paused);
	}

	private void close(boolean closed) {
		flag("closed", closed);
	}

	private void flag(String flag, boolean set) {
		List<MessageCommand> actions = List.of(MessageCommand.flag(flag, set));
		onAdminLane((lane, seq) -> request("%s %s/%d: %s".formatted(flag, lane, seq, set), () -> {
			CommandReply reply = StoreWorkbench.get(this.bench.admin.steer().run(this.queue, lane, seq, actions));
			StoreDump found = dump();
			this.model.command(lane, seq, actions, reply, found);
			check(found);
		}));
	}

	private void delete() {
		boolean evenIfNotEmpty = this.random.nextBoolean();
		note("delete" + (evenIfNotEmpty ? ", even if it is not empty" : ""));
		boolean deleted = StoreWorkbench.get(new DeleteScript(this.bench.admin).run(this.queue, evenIfNotEmpty));
		StoreDump found = dump();
		this.model.delete(evenIfNotEmpty, deleted);
		this.model.compare(found);
		if (deleted) {
			// They would open new lanes when they come again.
			this.consumers.forEach((consumer) -> consumer.crashed = true);
			this.unheard = true;
		}
	}

	/**
	 * Looks again and again whether a queue has nothing that was emptied, and forgets it,
	 * while senders come.
	 */
	private void forgetDrained() {
		note("delete it, and forget that");
		StoreWorkbench.get(new DeleteScript(this.bench.admin).run(this.queue, true));
		this.bench.forgetDeletion();
		this.model.delete(true, true);
		for (int i = 0; i < 30; i++) {
			if (this.random.nextInt(6) == 0) {
				String lane = this.store.newLane();
				note("open a sender " + lane);
				StoreWorkbench.get(this.store.sends().openSender(this.queue, lane));
				this.model.openSender(lane);
			}
			setClock(this.model.now + this.random.nextInt(2_000));
			checkForgetting();
		}
	}

	private void forget() {
		checkForgetting();
		this.model.compare(dump());
	}

	/**
	 * Looks whether the queue has nothing, or forgets it.
	 */
	private void checkForgetting() {
		StoreDump before = dump();
		if (this.random.nextBoolean()) {
			Duration duration = Duration.ofMillis(this.random.nextInt(3) * 1_000);
			note("look whether it had nothing for " + duration);
			QueueNames.Look look = StoreWorkbench.get(this.bench.admin.names().look(this.queue, duration));
			this.model.lookWhetherIdle(look, before, duration);
		}
		else {
			note("forget it");
			boolean forgotten = StoreWorkbench.get(this.bench.admin.names()
				.forget(new QueueNames.Begun(this.queue, "model"), List.of(this.queue), "model"));
			this.model.forget(forgotten, before);
			assertThat(StoreWorkbench.get(this.bench.admin.names().queues()).contains(this.queue))
				.as("it is registered")
				.isEqualTo(!forgotten);
			assertThat(StoreWorkbench.get(this.bench.admin.names().begun())).as("is being forgotten")
				.noneMatch((begun) -> begun.queue().equals(this.queue));
		}
		assertThat(dump().expiries().containsKey("known")).as("known").isEqualTo(this.model.isKnown());
	}

	private void open() {
		Consumer consumer = new Consumer(this.store.newLane());
		this.consumers.add(consumer);
		Duration lease = lease();
		String opened = consumer.lane;
		request("open %s for %s".formatted(consumer.lane, lease), () -> {
			StoreWorkbench.get(new LaneScript(this.store).open(this.queue, opened, lease, 0));
			StoreDump found = dump();
			this.model.openLane(opened, lease, 0);
			check(found);
		});
	}

	private Duration lease() {
		return (this.random.nextInt(4) > 0) ? LEASE : LEASE.dividedBy(2);
	}

	private void renew() {
		Duration lease = lease();
		alive().ifPresent((consumer) -> {
			String lane = consumer.lane;
			long answered = consumer.answered ? consumer.seq : Math.max(0, consumer.seq - 1);
			request("renew %s/%d for %s".formatted(lane, answered, lease), () -> {
				boolean renewed = StoreWorkbench.get(new RenewLaneScript(this.store.runner()).run(this.queue, lane,
						lease, answered, ClaimLimits.NONE))
					.alive();
				StoreDump found = dump();
				this.model.renewLane(lane, lease, answered, renewed);
				check(found);
			});
		});
	}

	/**
	 * Handlers report what they work on, and what they may have lost.
	 */
	private void keepWork() {
		alive().ifPresent((consumer) -> {
			List<WorkRequest.Entry> entries = new ArrayList<>();
			consumer.holding.forEach((uid, claim) -> {
				if (this.random.nextBoolean()) {
					entries.add(workEntry(uid, claim));
				}
			});
			if (!consumer.formerly.isEmpty() && this.random.nextInt(3) == 0) {
				String uid = pick(consumer.formerly.keySet());
				if (!consumer.holding.containsKey(uid)) {
					entries.add(workEntry(uid, consumer.formerly.get(uid)));
				}
			}
			long answered = consumer.answered ? consumer.seq : Math.max(0, consumer.seq - 1);
			WorkRequest request = new WorkRequest(consumer.lane, lease(), answered, this.limits, entries);
			String words = entries.stream()
				.map((entry) -> "%s under %d, number %d, %d bytes".formatted(entry.uid(), entry.claim(), entry.number(),
						entry.sections().length))
				.toList()
				.toString();
			request("keep work on %s/%d: %s".formatted(request.lane(), answered, words), () -> {
				WorkReply reply = StoreWorkbench.get(new WorkScript(this.store).run(this.queue, request));
				StoreDump found = dump();
				this.model.keepWork(request, reply);
				check(found);
			});
		});
	}

	private WorkRequest.Entry workEntry(String uid, long claim) {
		ByteArrayOutputStream sections = new ByteArrayOutputStream();
		if (this.random.nextInt(4) > 0) {
			int most = (this.random.nextInt(6) == 0) ? 6_000 : 30;
			sections.writeBytes(WorkCodec.section('c', text(this.random.nextInt(most))));
			if (this.random.nextInt(4) == 0) {
				sections.writeBytes(WorkCodec.section('r', text(0)));
			}
		}
		else {
			sections.writeBytes(WorkCodec.section('p', text(this.random.nextInt(1, 30))));
		}
		return new WorkRequest.Entry(uid, claim, ++this.reported, sections.toByteArray());
	}

	private static byte[] text(int length) {
		return "7".repeat(length).getBytes(StandardCharsets.UTF_8);
	}

	private void close() {
		alive().ifPresent((consumer) -> {
			consumer.crashed = true;
			this.bench.deafen(consumer.lane);
			String lane = consumer.lane;
			request("close " + lane, () -> {
				StoreWorkbench.get(new LaneScript(this.store).close(this.queue, lane));
				StoreDump found = dump();
				this.model.closeLane(lane);
				check(found);
			});
		});
	}

	private void crash() {
		alive().ifPresent((consumer) -> {
			note("crash " + consumer.lane);
			this.unheard = true;
			consumer.crashed = true;
			this.bench.deafen(consumer.lane);
		});
	}

	private Stream<Message> suspectsOf(Consumer consumer) {
		return this.model.heldBy(consumer.lane).stream().filter((message) -> message.heldAsSuspect);
	}

	private Optional<Consumer> alive() {
		List<Consumer> alive = this.consumers.stream().filter((consumer) -> !consumer.crashed).toList();
		return alive.isEmpty() ? Optional.empty() : Optional.of(pick(alive));
	}

	// The network

	private void repeat() {
		if (this.requests.isEmpty()) {
			return;
		}
		int size = this.requests.size();
		int index = (this.random.nextInt(3) > 0) ? size - 1 - this.random.nextInt(Math.min(size, 10))
				: this.random.nextInt(size);
		note("again, request " + index + ":");
		this.requests.get(index).run();
	}

	private void request(String words, Runnable request) {
		request(words, request, () -> {
		}, () -> {
		});
	}

	private void request(String words, Runnable request, Runnable before, Runnable after) {
		int index = this.requests.size();
		Runnable noted = () -> {
			note("request %d: %s".formatted(index, words));
			request.run();
		};
		before.run();
		this.requests.add(noted);
		noted.run();
		after.run();
	}

	// Time

	private void tick() {
		long now = this.model.now;
		long due = this.model.nextDue();
		long deadline = this.model.lanes.values().stream().mapToLong((lane) -> lane.deadline).min().orElse(now);
		long next = switch (this.random.nextInt(8)) {
			case 0, 1 -> now + 1;
			case 2 -> (due != Long.MAX_VALUE) ? due : now + 1;
			case 3 -> (due != Long.MAX_VALUE) ? due - 1 : now + 1;
			case 4 -> deadline - this.random.nextInt(2);
			case 5 -> now + LEASE.toMillis() / 2;
			case 6 -> now + this.random.nextInt(1_000);
			default -> (this.random.nextInt(6) == 0) ? now + LEASE.toMillis() * 3 : now + 10;
		};
		setClock(Math.max(now, next));
	}

	private void setClock(long now) {
		note("the clock goes on by %d to %d".formatted(now - this.model.now, now));
		this.model.now = now;
		this.model.other.now = now;
		this.bench.setClock(now);
		this.otherBench.setClock(now);
		bringNear(Instant.ofEpochMilli(now));
	}

	// Checks

	private StoreDump dump() {
		StoreDump found = this.bench.dump();
		noteWoken(found);
		return found;
	}

	private void noteWoken(StoreDump found) {
		this.model.packed = found.packed();
		for (String woken : found.woken()) {
			String lane = woken.startsWith("!") ? woken.substring(1) : woken;
			note("  ... wakes " + woken);
			this.model.sleepers.remove(lane);
			// A lane without an instance wakes all of its instance.
			boolean left = this.consumers.stream()
				.noneMatch((consumer) -> !consumer.crashed && consumer.lane.equals(lane));
			this.consumers.stream().filter((consumer) -> left || consumer.lane.equals(lane)).forEach((consumer) -> {
				consumer.pending = true;
			});
		}
		this.unheard |= !found.woken().isEmpty() && found.woken().stream().allMatch((woken) -> woken.startsWith("!"));
	}

	private void check(StoreDump found) {
		this.model.compare(found);
		this.model.other.compare(this.otherBench.dump());
		assertSleepersAreWoken();
	}

	/**
	 * A sleeping lane was notified of what it could do, or another one will be there in
	 * time.
	 */
	private void assertSleepersAreWoken() {
		List<Consumer> alive = this.consumers.stream().filter((consumer) -> !consumer.crashed).toList();
		List<Consumer> asleep = alive.stream().filter((consumer) -> consumer.isAsleep(this.model.now)).toList();
		if (asleep.isEmpty() || alive.stream().anyMatch((consumer) -> consumer.isPending(this.model.now))) {
			return;
		}
		if (this.unheard || this.model.paused || this.model.isGated()) {
			return;
		}
		long first = asleep.stream().mapToLong((consumer) -> consumer.until).min().orElseThrow();
		if (this.model.isLimited()) {
			assertSleepersComeInTime(alive, asleep, first);
			return;
		}
		assertThat(this.model.in(State.READY)).as("ready while all sleep until %d or are busy", first).isEmpty();
		if (alive.stream().flatMap(this::suspectsOf).findAny().isEmpty()) {
			assertThat(this.model.in(State.SUSPECT)).as("suspects while nobody has one").isEmpty();
		}
		long crashedSleeper = crashedSleeper(asleep);
		// One that crashed and was to come meanwhile is missed when its lease is over.
		long missed = this.consumers.stream()
			.filter((consumer) -> consumer.crashed
					&& this.model.sleepers.getOrDefault(consumer.lane, Long.MAX_VALUE) < this.model.now
					&& this.model.lanes.containsKey(consumer.lane))
			.mapToLong((consumer) -> this.model.lanes.get(consumer.lane).deadline + LEASE.toMillis() / 2)
			.max()
			.orElse(0);
		assertThat(Math.min(first, crashedSleeper)).as("when the first sleeper comes for what is scheduled")
			.isLessThanOrEqualTo(Math.max(this.model.nextDue(), missed));
		for (Consumer consumer : this.consumers) {
			if (consumer.crashed && !this.model.heldBy(consumer.lane).isEmpty()) {
				// A sleeper knows the leases of those who were there before it; half a
				// lease is how much they differ.
				long deadline = this.model.lanes.get(consumer.lane).deadline + LEASE.toMillis() / 2;
				assertThat(Math.min(first, crashedSleeper))
					.as("when the first sleeper comes for what %s held", consumer.lane)
					.isLessThanOrEqualTo(Math.max(deadline, this.model.now));
			}
		}
	}

	private long crashedSleeper(List<Consumer> asleep) {
		return this.model.sleepers.entrySet()
			.stream()
			.filter((entry) -> asleep.stream().noneMatch((consumer) -> consumer.lane.equals(entry.getKey())))
			.mapToLong(Map.Entry::getValue)
			.filter((back) -> back >= this.model.now)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * The same with limits: when these allow that something is taken, a lane claims.
	 */
	private void assertSleepersComeInTime(List<Consumer> alive, List<Consumer> asleep, long first) {
		if (this.model.sleepers.entrySet()
			.stream()
			.anyMatch((entry) -> entry.getValue() < this.model.now
					&& asleep.stream().noneMatch((consumer) -> consumer.lane.equals(entry.getKey())))) {
			// The others relied on one that has crashed since: they come as late as they
			// said.
			return;
		}
		long comes = Math.min(first, crashedSleeper(asleep));
		LimitsModel.Rooms rooms = this.model.rooms();
		this.model.in(State.READY)
			.forEach((message) -> assertThat(comes).as("when the first sleeper comes for %s", message.uid)
				.isLessThanOrEqualTo(plus(rooms.freeAt(TurnsModel.fairnessKey(message)), LimitsModel.LATE)));
		if (alive.stream().flatMap(this::suspectsOf).findAny().isEmpty()) {
			// Of a key that has as many in hand as it may, it is looked for again and
			// again.
			this.model.in(State.SUSPECT)
				.forEach((message) -> assertThat(comes)
					.as("when the first sleeper comes for the suspect %s", message.uid)
					.isLessThanOrEqualTo(
							plus(rooms.freeAt(TurnsModel.fairnessKey(message)), 1_000 + LimitsModel.LATE)));
		}
		assertThat(comes).as("when the first sleeper comes for what is scheduled")
			.isLessThanOrEqualTo(plus(Math.max(this.model.nextDue(), rooms.queueFreeAt()), LimitsModel.LATE));
	}

	private static long plus(long time, long millis) {
		return (time != Long.MAX_VALUE) ? time + millis : time;
	}

	/**
	 * All lanes have crashed; a new one gets everything in the end, and nothing is left.
	 */
	private void drain() {
		note("drain");
		bringNear(null);
		this.adminLane = null;
		this.unheard = true;
		flag("paused", false);
		commands(List.of(MessageCommand.limits("the model", NO_LIMITS)));
		releaseKeysOfTheDead();
		this.consumers.forEach((consumer) -> {
			consumer.crashed = true;
			this.bench.deafen(consumer.lane);
		});
		this.bench.dump();
		for (int i = 0; !this.model.outbox.isEmpty(); i++) {
			assertThat(i).as("rounds until all is relayed").isLessThan(1_000);
			flag("closed", false);
			setClock(this.model.now + 5_000);
			relay();
		}
		open();
		Consumer last = this.consumers.get(this.consumers.size() - 1);
		List<Settlement> settlements = List.of();
		int rounds = 0;
		while (!this.model.living().isEmpty()) {
			assertThat(rounds++).as("rounds until all is drained").isLessThan(1_000);
			List<Settlement> finished = settlements;
			ClaimRequest request = new ClaimRequest(new ClaimRequest.Terms(last.lane, LEASE, this.limits), ++last.seq,
					10, 1_000_000, true, LONG_SLEEP, finished, null);
			ClaimReply reply = StoreWorkbench.get(this.store.claim().run(this.queue, request));
			StoreDump found = dump();
			this.model.claim(request, reply, found);
			this.model.compare(found);
			settlements = reply.messages()
				.stream()
				.map((message) -> Settlement.ack(message.uid(), message.claim()))
				.toList();
			if (settlements.isEmpty() && reply.next() != null) {
				setClock(this.model.now + reply.next().toMillis());
				StoreWorkbench.get(new RenewLaneScript(this.store.runner()).run(this.queue, last.lane, LEASE, last.seq,
						ClaimLimits.NONE));
				this.model.renewLane(last.lane, LEASE, last.seq, true);
			}
		}
		// The lanes that are left die, and nothing that was forgotten is sent again.
		setClock(this.model.now + FORGOTTEN.toMillis());
		ClaimRequest request = TestQueue.request(last.lane, ++last.seq, LEASE, 10, 1_000_000, true, LONG_SLEEP,
				List.of());
		this.model.claim(request, StoreWorkbench.get(this.store.claim().run(this.queue, request)), dump());
		this.model.compare(dump());
		assertThat(this.model.lanes).containsOnlyKeys(last.lane);
		StoreWorkbench.get(new LaneScript(this.store).close(this.queue, last.lane));
		Set<String> lasting = this.bench.dump()
			.expiries()
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() < 0)
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
		lasting.remove("known");
		if (this.model.closed) {
			lasting.remove("meta");
		}
		if (!this.model.in(State.DEAD).isEmpty()) {
			assertThat(lasting).containsOnlyOnceElementsOf(List.of("dead", "dead:messages"));
			lasting.removeAll(Set.of("dead", "dead:messages", "ids", "dead:ids", "order", "tags"));
		}
		assertThat(lasting).as("keys of a drained queue without an expiry").isEmpty();
		forgetDrained();
	}

	/**
	 * What waits for the turn of a key that a dead message holds would wait for ever.
	 */
	private void releaseKeysOfTheDead() {
		this.model.in(State.DEAD)
			.stream()
			.filter((message) -> message.keys != null && message.keys.deadHoldsKey())
			.forEach((message) -> commands(List.of(new MessageCommand(
					(message.target != null) ? MessageCommand.Action.FORWARDED : MessageCommand.Action.CANCEL,
					message.uid, "", ""))));
	}

	private void note(String words) {
		this.log.add(this.step + ". " + words);
		if (this.log.size() > REMEMBERED) {
			this.log.remove();
		}
	}

	private <T> T pick(Collection<T> choices) {
		return choices.stream().skip(this.random.nextInt(choices.size())).findFirst().orElseThrow();
	}

	/**
	 * A consumer with its lane, and what it knows.
	 */
	private static final class Consumer {

		String lane;

		long seq;

		/**
		 * The store does not know its lane, or not its last requests.
		 */
		boolean lost;

		/**
		 * It is dead, and receives no notification.
		 */
		boolean crashed;

		/**
		 * It knows the reply to its last request.
		 */
		boolean answered;

		/**
		 * It will come without a wake-up.
		 */
		boolean pending = true;

		/**
		 * When it comes back by itself, if it sleeps.
		 */
		long until = Long.MIN_VALUE;

		final Map<String, Long> holding = new TreeMap<>();

		final Map<String, Long> formerly = new TreeMap<>();

		Consumer(String lane) {
			this.lane = lane;
		}

		boolean isAsleep(long now) {
			return !this.pending && this.until > now;
		}

		boolean isPending(long now) {
			return this.pending || (this.until != Long.MIN_VALUE && this.until <= now);
		}

		void answer(ClaimRequest request, ClaimReply reply, long now) {
			this.answered = true;
			if (reply.status() == LaneStatus.BEHIND || reply.status() == LaneStatus.GONE) {
				this.seq--;
				this.lost = true;
				this.pending = true;
				return;
			}
			if (reply.status() != LaneStatus.OK) {
				this.crashed = true;
				return;
			}
			request.settlements().forEach((settlement) -> {
				Long claim = this.holding.get(settlement.uid());
				if (claim != null && claim == settlement.claim()) {
					this.formerly.put(settlement.uid(), this.holding.remove(settlement.uid()));
				}
			});
			reply.messages().forEach((message) -> this.holding.put(message.uid(), message.claim()));
			boolean full = reply.messages().size() >= request.wanted();
			boolean given = !reply.messages().isEmpty();
			boolean sleeps = !full && !given && !request.sleep().isZero() && !Duration.ZERO.equals(reply.next());
			// Who wants something, is given nothing and does not sleep asks again.
			this.pending = !full && !given && !sleeps;
			this.until = Long.MIN_VALUE;
			if (sleeps) {
				Duration back = (reply.next() != null && reply.next().compareTo(request.sleep()) < 0) ? reply.next()
						: request.sleep();
				this.until = now + back.toMillis();
			}
		}

	}

}
