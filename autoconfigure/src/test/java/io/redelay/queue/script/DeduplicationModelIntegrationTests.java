package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.KeysScript;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random sends with few keys, among claims, failures, deaths, requests that come twice
 * and a Redis that goes back in time.
 */
class DeduplicationModelIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void keysHold(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		new Run(seed, false).run(400);
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void nothingIsLostWhenRedisGoesBackInTime(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		new Run(seed, true).run(400);
	}

	static Stream<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		return LongStream.range(first, first + Integer.getInteger("redelay.test.seeds", Extent.of(1, 3))).boxed();
	}

	private static final class Run {

		private final Random random;

		private final long seed;

		private final boolean goesBack;

		private final String queue = TestRedis.queue();

		private final StoreWorkbench bench;

		private final TestQueue requests;

		private final Uids uids = new Uids();

		private long now = System.currentTimeMillis();

		private String lane;

		private long seq;

		private SendRequest last;

		private SendReply lastReply;

		private TestQueue.Consumer consumer;

		private final Map<String, ClaimReply.Message> holding = new LinkedHashMap<>();

		/**
		 * What was sent since the last snapshot, for when Redis forgets it.
		 */
		private List<List<NewMessage>> sinceSnapshot;

		/**
		 * The uid that has a key that the first wins, and until when.
		 */
		private final Map<String, Owner> first = new HashMap<>();

		private final Map<String, String> firstKeys = new HashMap<>();

		private final Map<String, String> newest = new TreeMap<>();

		private final Map<String, String> newestUids = new HashMap<>();

		private final Set<String> replaced = new HashSet<>();

		private final Set<String> gathered = new TreeSet<>();

		/**
		 * In which messages each payload was claimed.
		 */
		private final Map<String, Set<String>> claimed = new HashMap<>();

		private int sent;

		Run(long seed, boolean goesBack) {
			this.random = new Random(seed);
			this.seed = seed;
			this.goesBack = goesBack;
			this.bench = new StoreWorkbench(redis.client(), this.queue, timer);
			this.bench.setClock(this.now);
			this.requests = new TestQueue(this.queue, this.bench.store);
		}

		void run(int steps) {
			open();
			for (int i = 0; i < steps; i++) {
				try {
					step();
				}
				catch (AssertionError ex) {
					throw new AssertionError("Seed " + this.seed + ", step " + i, ex);
				}
			}
			drain();
		}

		private void open() {
			this.lane = this.bench.store.newLane();
			this.seq = 0;
			this.last = null;
			StoreWorkbench.get(this.bench.store.sends().openSender(this.queue, this.lane));
			this.consumer = this.requests.consumer();
		}

		private void step() {
			int dice = this.random.nextInt(20);
			if (dice < 9) {
				send();
			}
			else if (dice < 11 && this.last != null) {
				assertThat(StoreWorkbench.get(this.bench.store.sends().send().run(this.queue, this.last)))
					.isEqualTo(this.lastReply);
			}
			else if (dice < 16) {
				claim();
			}
			else if (dice < 19) {
				tick(this.random.nextInt(700));
			}
			else if (!this.goesBack) {
				free("key " + this.random.nextInt(4));
			}
			else if (this.sinceSnapshot == null) {
				this.bench.takeSnapshot();
				this.sinceSnapshot = new ArrayList<>();
			}
			else {
				goBack();
			}
		}

		private void free(String key) {
			Owner owner = this.first.get(key);
			boolean taken = owner != null && owner.until > this.now;
			List<KeysScript.Holder> seen = StoreWorkbench
				.get(new KeysScript(this.bench.admin.runner()).holders(this.queue, key));
			assertThat(seen.stream().filter((each) -> each.way().equals("f")).map(KeysScript.Holder::id).toList())
				.isEqualTo(taken ? List.of(owner.uid) : List.of());
			CommandReply reply = freed(key);
			assertThat(reply.results().get(0).outcome())
				.isEqualTo(seen.isEmpty() ? CommandReply.Result.Outcome.KEPT : CommandReply.Result.Outcome.DONE);
			assertThat(StoreWorkbench.get(new KeysScript(this.bench.admin.runner()).holders(this.queue, key)))
				.isEmpty();
			this.first.remove(key);
			this.newestUids.remove(key);
		}

		private CommandReply freed(String key) {
			String steerer = StoreWorkbench.get(this.bench.admin.steer().openLane(this.queue));
			List<MessageCommand> commands = List.of(MessageCommand.free(key));
			CommandReply reply = StoreWorkbench.get(this.bench.admin.steer().run(this.queue, steerer, 1, commands));
			assertThat(StoreWorkbench.get(this.bench.admin.steer().run(this.queue, steerer, 1, commands)))
				.isEqualTo(reply);
			return reply;
		}

		private void tick(long millis) {
			this.now += millis;
			this.bench.setClock(this.now);
		}

		private void send() {
			List<NewMessage> messages = new ArrayList<>();
			for (int i = this.random.nextInt(4); i >= 0; i--) {
				messages.add(message());
			}
			this.last = new SendRequest(this.lane, ++this.seq, false, messages, null, false, false);
			StoreDump before = this.bench.dump();
			Set<String> far = new HashSet<>(before.packed());
			far.removeIf((uid) -> before.scheduled().get(uid) <= this.now);
			this.lastReply = StoreWorkbench.get(this.bench.store.sends().send().run(this.queue, this.last));
			for (int i = 0; i < messages.size(); i++) {
				if (messages.get(i).deduplication() instanceof Deduplication.Debounce rule) {
					String other = this.newestUids.put(rule.key(), messages.get(i).uid());
					SendReply.Fate fate = this.lastReply.fates().get(i);
					assertThat(other != null && far.contains(other) && fate == null).as("a packed one is replaced")
						.isFalse();
				}
			}
			if (this.sinceSnapshot != null) {
				this.sinceSnapshot.add(messages);
			}
			for (int i = 0; i < messages.size(); i++) {
				sent(messages.get(i), this.lastReply.fates().get(i));
			}
			if (this.random.nextInt(3) == 0) {
				pack();
			}
			StoreDump found = this.bench.dump();
			assertThat(found.messages()).as("uids that have attributes").containsAll(found.keys().keySet());
			oneLivesOfEachKey();
		}

		private NewMessage message() {
			String key = "key " + this.random.nextInt(4);
			Deduplication rule = switch (this.random.nextInt(3)) {
				case 0 -> new Deduplication.FirstWins(key, Duration.ofMillis(this.goesBack ? 3_600_000 : 1_500),
						this.random.nextInt(4) == 0);
				case 1 -> Deduplication.debounce(key, Duration.ofMillis(300), Duration.ofMillis(900));
				default -> aggregate(key);
			};
			String payload = "\"p" + this.sent++ + "\"";
			String envelope = (rule instanceof Deduplication.Aggregate)
					? "{\"v\":1,\"aggregate\":true,\"payload\":[" + payload + "]}"
					: "{\"v\":1,\"payload\":" + payload + "}";
			return new NewMessage(this.uids.next(), null, rule.waitTime(), null,
					envelope.getBytes(StandardCharsets.UTF_8), keys(), rule);
		}

		private Deduplication aggregate(String key) {
			Deduplication.Aggregate rule = Deduplication.aggregate(key, Duration.ofMillis(500), 4,
					this.random.nextBoolean() ? 500 : 220);
			return this.random.nextBoolean() ? rule.gracePeriod(Duration.ofMillis(50 + this.random.nextInt(300)))
					: rule;
		}

		private MessageKeys keys() {
			if (this.random.nextInt(3) == 0) {
				return null;
			}
			return new MessageKeys(this.random.nextBoolean() ? "o" + this.random.nextInt(3) : null,
					this.random.nextBoolean() ? "f" + this.random.nextInt(3) : null, 1,
					this.random.nextBoolean() ? this.random.nextInt(10) : null, null, false);
		}

		private void sent(NewMessage message, SendReply.Fate fate) {
			SendOutcome outcome = (fate != null) ? fate.outcome() : SendOutcome.ADDED;
			String key = message.deduplication().key();
			String payload = payloads(message.envelope()).get(0);
			if (message.deduplication() instanceof Deduplication.FirstWins rule) {
				Owner owner = this.first.get(key);
				boolean taken = owner != null && owner.until > this.now;
				if (!this.goesBack) {
					assertThat(outcome).isEqualTo(taken ? SendOutcome.DUPLICATE : SendOutcome.ADDED);
					assertThat(taken ? fate.other() : null).isEqualTo(taken ? owner.uid : null);
				}
				this.firstKeys.put(message.uid(), key);
				if (taken && rule.extend()) {
					this.first.put(key,
							new Owner(owner.uid, Math.max(owner.until, this.now + rule.window().toMillis())));
				}
				if (outcome == SendOutcome.ADDED) {
					this.first.put(key, new Owner(message.uid(), this.now + rule.window().toMillis()));
				}
			}
			else if (message.deduplication() instanceof Deduplication.Debounce) {
				if (outcome == SendOutcome.REPLACED) {
					this.replaced.add(fate.other());
				}
				this.newest.put(key, payload);
			}
			else {
				this.gathered.add(payload);
			}
		}

		private void oneLivesOfEachKey() {
			if (!this.goesBack) {
				return;
			}
			Map<String, Set<String>> living = new HashMap<>();
			this.bench.dump().messages().forEach((uid) -> {
				String key = this.firstKeys.get(uid);
				if (key != null) {
					living.computeIfAbsent(key, (name) -> new HashSet<>()).add(uid);
				}
			});
			assertThat(living).allSatisfy((key, uids) -> assertThat(uids).as(key).hasSize(1));
		}

		private void claim() {
			List<Settlement> settlements = new ArrayList<>();
			for (ClaimReply.Message message : List.copyOf(this.holding.values())) {
				int dice = this.random.nextInt(12);
				if (dice < 11) {
					this.holding.remove(message.uid());
					settlements.add(settlement(message, dice));
				}
			}
			claim(this.random.nextInt(5), settlements);
		}

		private Settlement settlement(ClaimReply.Message message, int dice) {
			if (dice < 6) {
				return Settlement.ack(message.uid(), message.claim());
			}
			if (dice < 8) {
				this.first.values().removeIf((owner) -> owner.uid.equals(message.uid()));
				return Settlement.bury(message.uid(), message.claim(), "{}");
			}
			return Settlement.retry(message.uid(), message.claim(), Duration.ofMillis((dice < 10) ? 0 : 400));
		}

		/**
		 * Packs what may be packed. A newer message may replace it then, and must not be
		 * one more.
		 */
		private void pack() {
			FarScript far = this.bench.admin.far();
			List<PackedMessages.Entry> found = StoreWorkbench.get(far.look(this.queue, null, Duration.ofMillis(1)))
				.messages();
			if (!found.isEmpty()) {
				assertThat(StoreWorkbench.get(far.pack(this.queue,
						found.subList(0, Math.min(found.size(), PackedMessages.MAX_MESSAGES)), Duration.ofMillis(1))))
					.isPositive();
			}
		}

		private void bringNear() {
			FarScript far = this.bench.admin.far();
			for (FarScript.Chunk chunk : StoreWorkbench
				.get(far.chunks(this.queue, true, 100, Instant.ofEpochMilli(this.now), null))
				.chunks()) {
				assertThat(StoreWorkbench.get(far.thaw(this.queue, chunk))).isEqualTo(FarScript.Thawed.NEAR);
			}
		}

		private void claim(int wanted, List<Settlement> settlements) {
			bringNear();
			for (ClaimReply.Message message : this.consumer.claim(wanted, settlements).messages()) {
				if (!this.goesBack) {
					assertThat(this.replaced).as("replaced").doesNotContain(message.uid());
				}
				this.holding.put(message.uid(), message);
				payloads(message.envelope())
					.forEach((payload) -> this.claimed.computeIfAbsent(payload, (name) -> new HashSet<>())
						.add(message.uid()));
			}
		}

		private void goBack() {
			this.bench.goBack();
			open();
			this.holding.clear();
			for (List<NewMessage> messages : this.sinceSnapshot) {
				StoreWorkbench.get(this.bench.store.sends()
					.send()
					.run(this.queue, new SendRequest(this.lane, ++this.seq, false, messages, null, true, true)));
				oneLivesOfEachKey();
			}
			this.sinceSnapshot = null;
			this.first.clear();
		}

		private void drain() {
			for (int i = 0; i < 500 && !(this.bench.dump().messages().isEmpty() && this.holding.isEmpty()); i++) {
				List<Settlement> done = this.holding.values()
					.stream()
					.map((message) -> Settlement.ack(message.uid(), message.claim()))
					.toList();
				this.holding.clear();
				claim(10, done);
				// So that what lanes hold that are gone comes back.
				tick(1_000);
			}
			assertThat(this.bench.dump().messages()).isEmpty();
			assertThat(this.claimed.keySet()).as("gathered").containsAll(this.gathered);
			assertThat(this.claimed.keySet()).as("the newest").containsAll(this.newest.values());
			if (!this.goesBack) {
				this.gathered.forEach((payload) -> assertThat(this.claimed.get(payload)).as(payload).hasSize(1));
			}
			Map<String, String> left = redis.client()
				.<String, String>getMap("redelay:{" + this.queue + "}:dedup", StringCodec.INSTANCE)
				.readAllMap();
			assertThat(left.keySet()).allMatch((name) -> name.startsWith("f:"));
		}

		private static List<String> payloads(byte[] envelope) {
			JsonNode payload = JsonMapper.shared().readTree(envelope).get("payload");
			List<String> payloads = new ArrayList<>();
			if (payload.isArray()) {
				payload.forEach((element) -> payloads.add(element.asString()));
			}
			else {
				payloads.add(payload.asString());
			}
			return payloads;
		}

		private record Owner(String uid, long until) {

		}

	}

}
