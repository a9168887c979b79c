package io.redelay.queue.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.redelay.queue.admin.engine.ColdSweeper;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.FarSweeper;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.NameLists;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.queue.wire.WireGate;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.client.RedisTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the times at which {@link FarSweeper} moves messages, which it is to move
 * seldom, in virtual time.
 */
class FarSweeperTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Predicate<String> ALL = (queue) -> true;

	private static final Predicate<String> NONE = (queue) -> false;

	private final VirtualTime time = new VirtualTime();

	private final MemoryRedis redis = new MemoryRedis();

	private final SimulatedServer server = new SimulatedServer(this.redis, this.time, MemoryRedis.LISTPACK_ENTRIES);

	/**
	 * How often each script ran, and how many messages were moved.
	 */
	private final Map<Script, Integer> runs = new HashMap<>();

	private int packed;

	private int thawed;

	/**
	 * How long replies take.
	 */
	private final Map<Script, Duration> slow = new HashMap<>();

	/**
	 * What the keys have of the queue whose messages do not come near, as its Redis does
	 * not answer.
	 */
	private @Nullable String unanswered;

	/**
	 * The numbers of its chunks that were to come near.
	 */
	private final Set<String> asked = new HashSet<>();

	/**
	 * How many requests are under way that pack or look for messages to pack, since when
	 * there are any, and for how long there were some.
	 */
	private int underWay;

	private long beganNanos;

	private long busyNanos;

	/**
	 * How many requests are under way that pack messages or bring them near.
	 */
	private int moves;

	private int mostMoves;

	private final AdminScripts store = SimulatedConnection.admin(this::run, "redelay", instance("looks"));

	private FarSweeper claimed;

	private final TestQueue queue = queue("q");

	@AfterEach
	void close() {
		this.redis.close();
	}

	private SimulatedInstance instance(String name) {
		return new SimulatedInstance(name, this.time);
	}

	private CompletableFuture<Object> run(Script script, String name, String text, List<byte[]> keys,
			List<byte[]> args) {
		if (script == Script.THAW && this.unanswered != null
				&& new String(keys.get(0), StandardCharsets.UTF_8).contains(this.unanswered)) {
			this.asked.add(new String(args.get(0), StandardCharsets.UTF_8));
			CompletableFuture<Object> none = new CompletableFuture<>();
			this.time.schedule(() -> none.completeExceptionally(new RedisTimeoutException("no answer")),
					Duration.ofSeconds(30));
			return none;
		}
		Object reply = this.server.run(script, name, text, keys, args);
		this.runs.merge(script, 1, Integer::sum);
		String word = (reply instanceof List<?> words && !words.isEmpty() && words.get(0) instanceof byte[] bytes)
				? new String(bytes, StandardCharsets.UTF_8) : "";
		this.packed += (script == Script.PACK && word.equals("OK")) ? (args.size() - 3) / 2 : 0;
		this.thawed += (script == Script.THAW && word.equals("OK")) ? (args.size() - 4) / 2 : 0;
		CompletableFuture<Object> answer = new CompletableFuture<>();
		Duration after = this.slow.get(script);
		if (after == null) {
			answer.complete(reply);
		}
		else {
			this.time.schedule(() -> answer.complete(reply), after);
		}
		if (script == Script.PACK || script == Script.FAR_LOOK) {
			measure(answer);
		}
		if (script == Script.PACK || script == Script.THAW) {
			countMove(answer);
		}
		return answer;
	}

	private void countMove(CompletableFuture<Object> answer) {
		this.mostMoves = Math.max(this.mostMoves, ++this.moves);
		answer.thenAccept((reply) -> this.moves--);
	}

	private void measure(CompletableFuture<Object> answer) {
		if (this.underWay++ == 0) {
			this.beganNanos = this.time.nanoTime();
		}
		answer.thenAccept((reply) -> {
			if (--this.underWay == 0) {
				this.busyNanos += this.time.nanoTime() - this.beganNanos;
			}
		});
	}

	private TestQueue queue(String name) {
		SimulatedInstance instance = instance("application");
		SimulatedNetwork network = new SimulatedNetwork(this.time, new Random(1), false, (what) -> {
		});
		QueueScripts scripts = SimulatedConnection.open(this::run, "redelay",
				new SimulatedWakeUps(instance, this.server, network), instance, ReplayMemory.NONE,
				UnaryOperator.identity(), new ScriptListeners(new ScriptObservers(instance::nanoTime), (each) -> {
				}, () -> {
				}, this::packedIn));
		return new TestQueue(name, scripts);
	}

	private void packedIn(String packedQueue, Instant at) {
		if (this.claimed != null) {
			this.claimed.claimed(packedQueue, at);
		}
	}

	private FarSweeper sweeper(String owner, Duration horizon, Predicate<String> listens) {
		return sweeper(owner, new FarSettings(horizon, Map.of()), listens, FarSweeper.INTERVAL);
	}

	private FarSweeper sweeper(String owner, FarSettings settings, Predicate<String> listens, Duration interval) {
		return sweeper(this.store, owner, settings, listens, interval);
	}

	/**
	 * Creates a sweeper of an instance that listens to some of the queues that there are.
	 */
	private FarSweeper sweeper(AdminScripts from, String owner, FarSettings settings, Predicate<String> listens,
			Duration interval) {
		return new FarSweeper(from, settings,
				() -> from.names().queues().thenApply((queues) -> queues.stream().filter(listens).toList()), owner,
				instance(owner), interval);
	}

	/**
	 * Sends messages, and registers their queue as their listener does.
	 */
	private void send(TestQueue to, int count, Duration first, Duration step) {
		TestQueue.get(to.store.names().addQueue(to.name));
		TestQueue.Sender sender = to.sender();
		for (int i = 0; i < count; i += 100) {
			List<NewMessage> some = new ArrayList<>();
			for (int j = i; j < Math.min(count, i + 100); j++) {
				some.add(to.message("m" + j, first.plus(step.multipliedBy(j))));
			}
			sender.send(some);
		}
	}

	private FarScript.Chunks chunks(String name) {
		return TestQueue.get(this.store.far().chunks(name, false, FarScript.MAX_SPANS, null, null));
	}

	private int far(String name) {
		return chunks(name).chunks().stream().mapToInt(FarScript.Chunk::left).sum();
	}

	private int count(Script script) {
		return this.runs.getOrDefault(script, 0);
	}

	@Test
	void instancesWithOtherHorizonsMoveNothingForthAndBackAndNothingIsLate() {
		send(this.queue, 400, Duration.ofHours(2), Duration.ofMinutes(5));
		List<FarSweeper> sweepers = new ArrayList<>();
		for (Duration horizon : List.of(Duration.ofHours(24), Duration.ofHours(1), Duration.ZERO)) {
			FarSettings settings = new FarSettings(horizon, Map.of(), 1);
			FarSweeper sweeper = sweeper("h" + horizon.toHours(), settings, ALL, MINUTE.multipliedBy(3));
			sweeper.start();
			sweepers.add(sweeper);
			this.time.advance(MINUTE);
		}
		int most = 0;
		for (int hour = 0; hour < 48; hour++) {
			if (hour == 16) {
				sweepers.get(0).close(); // another one has the turn now
			}
			for (int i = 0; i < 12; i++) {
				this.time.advance(MINUTE.multipliedBy(5));
				FarScript.Chunks found = chunks("q");
				assertThat(found.chunks()).as("after %s:%s", hour, 5 * i)
					.allMatch((chunk) -> chunk.dueMillis() > found.time().toEpochMilli());
				most = Math.max(most, far("q"));
			}
		}
		assertThat(far("q")).isZero();
		assertThat(most).isGreaterThan(100);
		assertThat(this.packed).as("packed").isBetween(100, 400 * 4);
		assertThat(this.thawed).as("thawed").isEqualTo(this.packed);
	}

	@Test
	void aHorizonOfZeroBringsAllNearOnceNobodyElsePacks() {
		send(this.queue, 300, Duration.ofDays(20), Duration.ofSeconds(1));
		FarSweeper packs = sweeper("packs", Duration.ofHours(1), ALL);
		packs.start();
		this.time.advance(Duration.ofMinutes(2));
		assertThat(far("q")).isEqualTo(300);
		sweeper("another application", Duration.ZERO, NONE).start();
		sweeper("off", Duration.ZERO, ALL).start();
		this.time.advance(Duration.ofMinutes(30));
		assertThat(far("q")).as("while one packs").isEqualTo(300);
		packs.close();
		this.time.advance(Duration.ofMinutes(4));
		assertThat(far("q")).isZero();
		sweeper("packs again", Duration.ofHours(1), ALL).start();
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.thawed).isEqualTo(300);
	}

	@Test
	void onlyOwnQueuesArePacked() {
		send(this.queue, 50, Duration.ofDays(20), Duration.ZERO);
		for (String name : List.of("listened", "named", "off")) {
			send(queue(name), 50, Duration.ofDays(20), Duration.ZERO);
		}
		FarSettings settings = new FarSettings(Duration.ofHours(1),
				Map.of("named", Duration.ofHours(2), "off", Duration.ZERO));
		QueuePartitions partitions = new QueuePartitions(this.store, Map.of(), instance("one"), MINUTE);
		partitions.subscribe(Set.of("listened", "off"), () -> {
		});
		new FarSweeper(this.store, settings, () -> settings.own(partitions), "one", instance("one"),
				FarSweeper.INTERVAL)
			.start();
		this.time.advance(Duration.ofMinutes(3));
		assertThat(List.of(far("q"), far("listened"), far("named"), far("off"))).containsExactly(0, 50, 50, 0);
	}

	@Test
	void nothingIsPackedWhileAnInstanceMayRunThatDoesNotKnowPackedMessages() {
		AdminScripts gated = SimulatedConnection.admin(this::run, "redelay", instance("gated"), new WireGate("gated"));
		FarSweeper sweeper = sweeper(gated, "one", new FarSettings(Duration.ofHours(1), Map.of()), ALL,
				FarSweeper.INTERVAL);
		sweeper.start();
		this.time.advance(Duration.ofMinutes(5));
		assertThat(speakAsAnEarlierVersion()).as("as there is nothing to pack").isEqualTo("OK");
		send(this.queue, 50, Duration.ofDays(20), Duration.ZERO);
		this.time.advance(Duration.ofMinutes(59));
		assertThat(count(Script.PACK)).isZero();
		this.time.advance(Duration.ofMinutes(3));
		assertThat(far("q")).isEqualTo(50);
		assertThat(speakAsAnEarlierVersion()).isEqualTo("REFUSED");
	}

	/**
	 * As an instance of number 1 does.
	 */
	private String speakAsAnEarlierVersion() {
		return TestQueue.get(this.store.runner()
			.<String>runOnKey(Script.SPEAK, "wire", "Speaking", ReplyReader::text, 1, 1, 1, "earlier", "", 0));
	}

	@Test
	void whatIsDueComesNearWhileMessagesArePacked() {
		send(this.queue, 50, Duration.ofHours(2), Duration.ZERO);
		TestQueue slowly = queue("slow");
		FarSweeper sweeper = sweeper("one", Duration.ofHours(1), ALL);
		sweeper.start();
		this.time.advance(MINUTE);
		assertThat(far("q")).isEqualTo(50);
		send(slowly, 50, Duration.ofDays(2), Duration.ZERO);
		this.slow.put(Script.FAR_LOOK, Duration.ofDays(1));
		this.time.advance(Duration.ofMinutes(91));
		assertThat(far("q")).isZero();
	}

	@Test
	void aPackingEndsInTimeAndGoesOnSoon() {
		send(this.queue, 3_000, Duration.ofDays(20), Duration.ofSeconds(1));
		this.slow.put(Script.FAR_LOOK, Duration.ofSeconds(2));
		sweeper("one", Duration.ofHours(1), ALL).start();
		this.time.advance(Duration.ofSeconds(69));
		assertThat(count(Script.FAR_LOOK)).as("looks of 100 within five seconds").isEqualTo(3);
		this.time.advance(Duration.ofSeconds(15));
		assertThat(count(Script.FAR_LOOK)).isBetween(5, 9);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(far("q")).isEqualTo(3_000);
	}

	@Test
	void aBacklogIsPackedInHalfOfTheTimeSeveralChunksAtOnce() {
		send(this.queue, 4_000, Duration.ofDays(20), Duration.ofSeconds(1));
		this.slow.put(Script.FAR_LOOK, Duration.ofMillis(50));
		this.slow.put(Script.PACK, Duration.ofMillis(250));
		sweeper("one", Duration.ofHours(1), ALL).start();
		this.time.advance(MINUTE);
		Duration began = this.time.elapsed();
		this.time.advance(Duration.ofSeconds(20));
		Duration passed = this.time.elapsed().minus(began);
		assertThat(this.busyNanos).as("requests within %s", passed)
			.isBetween(passed.multipliedBy(4).dividedBy(10).toNanos(), passed.multipliedBy(6).dividedBy(10).toNanos());
		assertThat(this.mostMoves).isEqualTo(2);
		this.time.advance(Duration.ofSeconds(10));
		assertThat(far("q")).as("80 chunks, each of which takes a quarter of a second").isEqualTo(4_000);
	}

	@Test
	void whatARoundLeavesIsPackedInTheNextOne() {
		send(this.queue, 200, Duration.ofHours(2), Duration.ofSeconds(52));
		this.slow.put(Script.FAR_LOOK, Duration.ofSeconds(3));
		sweeper("one", Duration.ofHours(1), ALL).start();
		this.time.advance(Duration.ofSeconds(67));
		assertThat(far("q")).as("packed by the first round").isBetween(100, 195);
		this.time.advance(Duration.ofSeconds(10));
		assertThat(far("q")).isEqualTo(200);
	}

	@Test
	void aPackingOfEqualDueTimesPassesOverNone() {
		send(this.queue, 2_150, Duration.ofDays(20), Duration.ZERO);
		this.slow.put(Script.PACK, Duration.ofMillis(10));
		FarSettings settings = new FarSettings(Duration.ofHours(1), Map.of(), 50);
		sweeper("one", settings, ALL, FarSweeper.INTERVAL).start();
		this.time.advance(MINUTE.plusSeconds(5));
		assertThat(far("q")).isEqualTo(2_150);
		assertThat(this.packed).isEqualTo(2_150);
	}

	@Test
	void aBacklogIsLeftAsItIsOnceItsApplicationCloses() {
		send(this.queue, 3_000, Duration.ofDays(20), Duration.ofSeconds(1));
		this.slow.put(Script.PACK, Duration.ofSeconds(1));
		FarSweeper sweeper = sweeper("one", Duration.ofHours(1), ALL);
		sweeper.start();
		this.time.advance(MINUTE.plusMillis(500));
		assertThat(count(Script.PACK)).isEqualTo(2);
		sweeper.close();
		this.time.advance(Duration.ofMinutes(5));
		assertThat(count(Script.PACK)).as("chunks of the step that was under way").isEqualTo(8);
	}

	@Test
	void queuesWithPackedMessagesAreFoundAgainIfTheirListIsLost() {
		send(this.queue, 50, Duration.ofHours(3), Duration.ZERO);
		FarSweeper packs = sweeper("packs", Duration.ofHours(1), ALL);
		packs.start();
		this.time.advance(MINUTE);
		packs.close();
		NameLists names = new NameLists(this.store.runner());
		TestQueue.get(names.remove("Losing it", NameLists.FAR, "q"));
		sweeper("does not pack", Duration.ofHours(1), NONE).start();
		this.time.advance(Duration.ofMinutes(11));
		assertThat(TestQueue.get(names.read("Listing", NameLists.FAR))).containsExactly("q");
		this.time.advance(Duration.ofHours(2).plusMinutes(20));
		assertThat(far("q")).isZero();
	}

	@Test
	void aClaimBringsNearWhatIsDueAsTheClockJumped() {
		send(this.queue, 400, Duration.ofDays(2), Duration.ZERO);
		packOnce();
		TestQueue.Consumer consumer = this.queue.consumer(Duration.ofDays(3));
		for (int i = 0; i < 100; i++) {
			assertThat(consumer.claim(1).messages()).isEmpty();
		}
		assertThat(count(Script.FAR_CHUNKS)).as("looks of 100 claims").isEqualTo(1);
		this.runs.clear();
		this.server.jump(Duration.ofDays(2));
		consumer.claim(1);
		this.time.runReady();
		assertThat(this.thawed).isEqualTo(400);
		assertThat(consumer.claim(100).messages()).hasSize(100);
	}

	@Test
	void fewRequestsBringMessagesNearAtOnce() {
		List<TestQueue> queues = List.of(this.queue, queue("other"), queue("third"));
		queues.forEach((each) -> send(each, 400, Duration.ofDays(2), Duration.ZERO));
		FarSweeper sweeper = sweeper("one", Duration.ofHours(1), ALL);
		sweeper.start();
		this.time.advance(MINUTE.multipliedBy(2));
		assertThat(this.packed).isEqualTo(1200);
		this.mostMoves = 0;
		this.slow.put(Script.THAW, Duration.ofMillis(100));
		this.time.advance(Duration.ofHours(48).minus(MINUTE.multipliedBy(10)));
		assertThat(this.thawed).isEqualTo(1200);
		assertThat(this.mostMoves).isEqualTo(2);
	}

	@Test
	void aRedisThatDoesNotAnswerHoldsUpTheQueuesOfOthersOnce() {
		TestQueue other = queue("other");
		send(this.queue, 800, Duration.ofDays(2), Duration.ZERO);
		send(other, 50, Duration.ofDays(2), Duration.ZERO);
		sweeper("one", Duration.ofHours(1), ALL).start();
		this.time.advance(MINUTE.multipliedBy(2));
		assertThat(this.packed).isEqualTo(850);
		this.unanswered = "{q}";
		this.time.advance(Duration.ofHours(48).minus(MINUTE.multipliedBy(25)));
		assertThat(far("other")).isZero();
		assertThat(this.asked).as("chunks of 16, in seven minutes").hasSize(2);
		assertThat(far("q")).isEqualTo(800);
	}

	@Test
	void claimsOfAnInstanceAloneBringNearWhatIsDueThoughNoListHasTheQueue() {
		send(this.queue, 50, Duration.ofHours(5), Duration.ZERO);
		packOnce();
		TestQueue.Consumer consumer = this.queue.consumer(Duration.ofDays(3));
		int handled = 0;
		for (int minute = 0; minute < 5 * 60 + 1; minute++) {
			handled += consumer.claim(100).messages().size();
			this.time.advance(MINUTE);
		}
		assertThat(handled).isEqualTo(50);
		assertThat(count(Script.FAR_CHUNKS)).as("looks in five hours").isLessThan(5 * 60 / 2);
	}

	@Test
	void aChunkThatStaysIsLookedAtSeldom() {
		send(this.queue, 50, Duration.ofDays(2), Duration.ZERO);
		packOnce();
		this.server.jump(Duration.ofDays(3));
		this.server.setFull(true);
		this.slow.put(Script.THAW, Duration.ofDays(1)); // none is brought near
		TestQueue.Consumer consumer = this.queue.consumer();
		this.runs.clear();
		for (int i = 0; i < 50; i++) {
			consumer.claim(1);
		}
		assertThat(count(Script.FAR_CHUNKS)).isLessThanOrEqualTo(2);
	}

	/**
	 * It sweeps first, and has the turn for all queues as long as it lives.
	 */
	@Test
	void anApplicationWithoutTheDatabaseLeavesTheTurnToOneThatHasIt() {
		send(this.queue, 50, Duration.ofHours(5), Duration.ZERO);
		packOnce();
		this.store.coldTier().use(new MemoryColdChunks(() -> 1));
		FarSettings none = new FarSettings(Duration.ZERO, Map.of());
		try (ColdSweeper cold = new ColdSweeper(this.store, new FarSettings(Duration.ofHours(1), Map.of()), ALL,
				Duration.ofHours(2), "cold", instance("cold"), ColdSweeper.Times.DEFAULTS)) {
			cold.start();
			this.time.advance(Duration.ofMinutes(20));
		}
		AdminScripts without = SimulatedConnection.admin(this::run, "redelay", instance("without"));
		sweeper(without, "without", none, NONE, FarSweeper.INTERVAL).start();
		this.time.advance(MINUTE);
		assertThat(TestQueue.get(without.far().chunks("q", true, 1, null, null)).chunks().get(0).hasContent())
			.isFalse();
		this.claimed = sweeper("has it", none, NONE, FarSweeper.INTERVAL);
		this.claimed.start();
		TestQueue.Consumer consumer = this.queue.consumer(Duration.ofDays(3));
		int handled = 0;
		for (int minute = 0; minute < 5 * 60; minute++) {
			this.time.advance(MINUTE);
			handled += consumer.claim(100).messages().size();
		}
		assertThat(handled).isEqualTo(50);
	}

	@Test
	void aQueueWithNothingToPackCostsLittle() {
		send(this.queue, 50, Duration.ofMinutes(1), Duration.ZERO);
		for (String owner : List.of("one", "two")) {
			sweeper(owner, Duration.ofHours(1), ALL).start();
		}
		this.time.advance(Duration.ofHours(2));
		this.runs.clear();
		this.time.advance(Duration.ofHours(1));
		assertThat(count(Script.TAKE_TURN)).as("turns in an hour, of the search for packed messages").isEqualTo(12);
		assertThat(count(Script.FAR_LOOK)).isBetween(6, 14);
		assertThat(count(Script.FAR_CHUNKS)).as("searches of all queues, and none to compact").isBetween(5, 7);
	}

	/**
	 * A round has time for a part of it.
	 */
	@Test
	void aLongQueueInWhichNothingCanBePackedIsLookedAtLessOften() {
		send(this.queue, 4000, Duration.ofHours(20), Duration.ofSeconds(1));
		this.slow.put(Script.FAR_LOOK, Duration.ofSeconds(1));
		sweeper("one", new FarSettings(Duration.ofHours(1), Map.of(), 1000), ALL, FarSweeper.INTERVAL).start();
		this.time.advance(Duration.ofHours(2));
		this.runs.clear();
		this.time.advance(Duration.ofHours(1));
		assertThat(count(Script.FAR_LOOK)).as("some walks of 41 looks each").isBetween(4 * 41, 9 * 41);
		assertThat(this.packed).isZero();
	}

	/**
	 * Packs, with an instance that does nothing later but hear of claims.
	 */
	private void packOnce() {
		this.claimed = sweeper("one", Duration.ofHours(1), ALL);
		FarSweeper packs = sweeper("packs", Duration.ofHours(1), ALL);
		packs.start();
		this.time.advance(MINUTE);
		packs.close();
		assertThat(far("q")).isPositive();
		this.runs.clear();
		this.thawed = 0;
	}

}
