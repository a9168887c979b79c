package io.redelay.queue.script;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.TestScripts;
import io.redelay.queue.wire.WakeUpSource;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of who is notified that there is something to do, over the real channel. All
 * sleep for ten minutes, so only a wake-up makes them come. That no lane is forgotten is
 * tested with the {@link StoreModel}.
 */
class WakeUpIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private RedisServer server;

	private RedissonClient client;

	private final Recorder recorder = new Recorder();

	private QueueScripts store;

	private TestQueue queue;

	private WakeUpSource.Subscription subscription;

	@AfterAll
	static void stopTimer() {
		timer.shutdownNow();
	}

	@BeforeEach
	void subscribe() {
		this.server = RedisServer.start();
		this.client = TestRedis.connect(this.server.uri());
		this.store = store(this.client);
		this.queue = new TestQueue(this.store);
		this.subscription = this.store.wakeUps().subscribe(this.recorder);
		await().until(() -> channels() == 1);
	}

	@AfterEach
	void unsubscribe() {
		this.subscription.close();
		await().until(() -> channels() == 0);
		this.client.shutdown();
		this.server.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSleepingLaneIsWokenForAMessage() {
		TestQueue.Consumer consumer = this.queue.consumer();
		assertThat(consumer.claimOrSleep(LONG).next()).isNull();
		this.queue.sender().send(this.queue.messages(1));
		await().until(() -> this.recorder.reported.contains(consumer.lane));
		assertThat(consumer.claimOrSleep(LONG).messages()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneThatDoesNotSleepIsNotWoken() {
		TestQueue.Consumer consumer = this.queue.consumer();
		consumer.claimOrSleep(LONG);
		consumer.claim(1);
		this.queue.sender().send(this.queue.messages(1));
		assertQuiet(0);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSleepingLaneIsWokenForWhatIsDueBeforeItComesBack() {
		TestQueue.Sender sender = this.queue.sender();
		TestQueue.Consumer consumer = this.queue.consumer();
		consumer.claimOrSleep(Duration.ofMinutes(5));
		sender.send(this.queue.message("later than it comes back", Duration.ofMinutes(6)));
		assertQuiet(0);
		sender.send(this.queue.message("before", Duration.ofMinutes(4)));
		await().until(() -> this.recorder.reported.contains(consumer.lane));
		assertThat(consumer.claimOrSleep(Duration.ofMinutes(5)).next()).isBetween(Duration.ofMinutes(3),
				Duration.ofMinutes(4).plusMillis(1));
		sender.send(this.queue.message("after the next", Duration.ofMinutes(4).plusSeconds(1)));
		assertQuiet(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noLaneTakesOverALaneThatHoldsNothing() {
		TestQueue.Consumer idle = this.queue.consumer();
		TestQueue.Consumer consumer = this.queue.consumer();
		assertThat(idle.claimOrSleep(LONG).next()).isNull();
		assertThat(consumer.claimOrSleep(LONG).next()).isNull();
		this.queue.sender().send(this.queue.messages(1));
		assertThat(idle.claim(1).messages()).hasSize(1);
		assertThat(consumer.claimOrSleep(LONG).next()).isNotNull();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneLookFindsTheQueuesWithMessages() {
		List<String> queues = new ArrayList<>();
		for (int i = 0; i < 1100; i++) {
			queues.add(TestQueue.class.getSimpleName() + i);
		}
		List<String> occupied = List.of(queues.get(0), queues.get(499), queues.get(700), queues.get(1099));
		assertThat(TestQueue.get(new OccupiedScript(this.store.runner()).run(queues))).isEmpty();
		for (String name : occupied) {
			TestQueue each = new TestQueue(name, this.store);
			each.sender().send(List.of(each.message("later", Duration.ofHours(1))));
		}
		assertThat(TestQueue.get(new OccupiedScript(this.store.runner()).run(queues)))
			.containsExactlyInAnyOrderElementsOf(occupied);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneOfSeveralIsWokenForOneMessage() {
		asleep(3);
		TestQueue.Sender sender = this.queue.sender();
		sender.send(this.queue.messages(1));
		await().until(() -> !this.recorder.reported.isEmpty());
		assertQuiet(1);
		sender.send(this.queue.messages(1));
		await().until(() -> this.recorder.reported.size() == 2);
		assertThat(this.recorder.reported).doesNotHaveDuplicates();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneThatTakesAllItCanWakesAnotherForTheRest() {
		TestQueue.Consumer busy = this.queue.consumer(LONG);
		asleep(3);
		this.queue.sender().send(this.queue.messages(30));
		await().until(() -> this.recorder.reported.size() == 1);
		busy.claim(5);
		await().until(() -> this.recorder.reported.size() == 2);
		busy.claim(5);
		await().until(() -> this.recorder.reported.size() == 3);
		assertThat(this.recorder.reported).doesNotHaveDuplicates();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBusyLaneThatWouldHaveClaimedTheNextWakesAnother() {
		Map<String, TestQueue.Consumer> consumers = asleep(2);
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		await().until(() -> this.recorder.reported.size() == 1);
		TestQueue.Consumer reported = consumers.remove(this.recorder.reported.get(0));
		reported.claimOrSleep(LONG);
		assertQuiet(1);
		reported.claim(0);
		await().until(() -> this.recorder.reported.size() == 2);
		assertThat(consumers).containsKey(this.recorder.reported.get(1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void closingALaneHandsItsDutyOn() {
		Map<String, TestQueue.Consumer> consumers = asleep(2);
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		await().until(() -> this.recorder.reported.size() == 1);
		TestQueue.Consumer reported = consumers.remove(this.recorder.reported.get(0));
		reported.claimOrSleep(LONG);
		reported.close();
		await().until(() -> this.recorder.reported.size() == 2);
		assertThat(consumers).containsKey(this.recorder.reported.get(1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSleeperThatShouldHaveComeBackAlreadyIsNotOneThatComes() {
		TestQueue.Consumer overdue = this.queue.consumer(LONG.multipliedBy(2));
		overdue.claimOrSleep(Duration.ofMillis(50));
		String asleep = asleep(1).keySet().iterator().next();
		long back = Long
			.parseLong(String.valueOf(this.server.command("ZSCORE", this.queue.key("sleepers"), overdue.lane)));
		await().until(() -> serverMillis() > back);
		assertThat(this.recorder.reported).isEmpty();
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		await().until(() -> this.recorder.reported.contains(asleep));
	}

	private long serverMillis() {
		List<?> time = (List<?>) this.server.command("TIME");
		return Long.parseLong(String.valueOf(time.get(0))) * 1000 + Long.parseLong(String.valueOf(time.get(1))) / 1000;
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aNewLaneIsWatchedBySomeSleeper() {
		Map<String, TestQueue.Consumer> consumers = asleep(1);
		TestQueue.Consumer dying = this.queue.consumer(Duration.ofSeconds(5));
		await().until(() -> this.recorder.reported.size() == 1);
		this.queue.sender().send(this.queue.messages(1));
		assertThat(dying.claim(1).messages()).hasSize(1);
		TestQueue.Consumer reported = consumers.get(this.recorder.reported.get(0));
		Duration next = reported.claimOrSleep(LONG).next();
		assertThat(next).isLessThanOrEqualTo(Duration.ofSeconds(5));
		assertThat(await().pollDelay(next).until(() -> reported.claim(1).messages(), (messages) -> !messages.isEmpty()))
			.singleElement()
			.matches(ClaimReply.Message::suspect);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyInstancesTakeManyMessagesWithoutAStorm() {
		List<Sleeper> sleepers = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			sleepers.add(new Sleeper(store(this.client)));
		}
		try {
			await().until(() -> channels() == 6);
			sleepers.forEach(Sleeper::come);
			TestQueue.Sender sender = this.queue.sender();
			long before = scriptsRun();
			for (int i = 0; i < 20; i++) {
				sender.send(this.queue.messages(5));
			}
			await().until(() -> sleepers.stream().mapToInt((sleeper) -> sleeper.taken.get()).sum() == 100);
			long scripts = scriptsRun() - before;
			assertThat(scripts).as("20 sends and the claims").isLessThan(20 + 20 * 5);
			await().during(Duration.ofMillis(300)).until(() -> scriptsRun() - before <= scripts + 10);
			awaitQuiet();
		}
		finally {
			sleepers.forEach(Sleeper::close);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void suspectsAreSharedOutWithoutAStorm() {
		List<Sleeper> sleepers = new ArrayList<>();
		TestQueue.Consumer dying = this.queue.consumer();
		this.queue.sender().send(this.queue.messages(20));
		assertThat(dying.claim(20).messages()).hasSize(20);
		for (int i = 0; i < 3; i++) {
			sleepers.add(new Sleeper(store(this.client)));
		}
		try {
			await().until(() -> channels() == 4);
			sleepers.forEach(Sleeper::come);
			long before = scriptsRun();
			dying.close();
			await().until(() -> sleepers.stream().mapToInt((sleeper) -> sleeper.taken.get()).sum() == 20);
			long scripts = scriptsRun() - before;
			assertThat(scripts).as("claims for 20 suspects").isLessThan(20 * 4);
			await().during(Duration.ofMillis(300)).until(() -> scriptsRun() - before <= scripts + 10);
			awaitQuiet();
		}
		finally {
			sleepers.forEach(Sleeper::close);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBusyLaneThatFindsSuspectsWakesAnother() {
		TestQueue.Consumer dying = dying(1);
		Map<String, TestQueue.Consumer> consumers = asleep(2);
		dying.close();
		await().until(() -> this.recorder.reported.size() == 1);
		consumers.get(this.recorder.reported.get(0)).claim(0);
		await().until(() -> this.recorder.reported.size() == 2);
		assertThat(consumers.get(this.recorder.reported.get(1)).claim(1).messages()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneThatIsDoneWithASuspectAndTakesNoOtherWakesAnother() {
		TestQueue.Consumer dying = dying(2);
		Map<String, TestQueue.Consumer> consumers = asleep(3);
		dying.close();
		await().until(() -> this.recorder.reported.size() == 1);
		TestQueue.Consumer first = consumers.get(this.recorder.reported.get(0));
		ClaimReply.Message suspect = first.claim(1).messages().get(0);
		await().until(() -> this.recorder.reported.size() == 2);
		first.claim(0, Settlement.ack(suspect.uid(), suspect.claim()));
		await().until(() -> this.recorder.reported.size() == 3);
		assertThat(consumers.get(this.recorder.reported.get(2)).claim(1).messages()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneThatCannotHearIsPassedOver() {
		TestQueue unheard = new TestQueue(this.queue.name, store(client));
		List<TestQueue.Consumer> deaf = List.of(unheard.consumer(), unheard.consumer());
		TestQueue.Consumer hearing = this.queue.consumer();
		hearing.claimOrSleep(LONG);
		deaf.forEach((each) -> each.claimOrSleep(LONG));
		assertThat(this.recorder.reported).isEmpty();
		this.queue.sender().send(this.queue.messages(1));
		await().until(() -> this.recorder.reported.contains(hearing.lane));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "-publish", "resetchannels" })
	void aUserWithoutTheRightToPublishSendsAllTheSame(String rule) {
		this.server.command("ACL", "SETUSER", "quiet", "reset", "on", ">secret", "~*", "allchannels", "+@all", rule);
		this.queue.consumer().claimOrSleep(LONG);
		RedissonClient quiet = TestRedis
			.connect(URI.create("redis://quiet:secret@%s:%d".formatted(this.server.host(), this.server.port())));
		try {
			TestQueue.Sender sender = new TestQueue(this.queue.name, store(quiet)).sender();
			assertThat(sender.send(this.queue.messages(1)).status()).isEqualTo(LaneStatus.OK);
			assertQuiet(0);
			assertThat(this.queue.consumer().claim(1).messages()).hasSize(1);
		}
		finally {
			quiet.shutdown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aUserWithoutTheRightToSubscribeClaimsAllTheSame() {
		this.server.command("ACL", "SETUSER", "deaf", "reset", "on", ">secret", "~*", "resetchannels", "+@all",
				"-subscribe");
		RedissonClient deaf = TestRedis
			.connect(URI.create("redis://deaf:secret@%s:%d".formatted(this.server.host(), this.server.port())));
		try {
			QueueScripts store = store(deaf);
			try (WakeUpSource.Subscription unheard = store.wakeUps().subscribe(new Recorder())) {
				assertThat(unheard).isNotNull();
				TestQueue.Consumer consumer = new TestQueue(this.queue.name, store).consumer();
				consumer.claimOrSleep(LONG);
				this.queue.sender().send(this.queue.messages(1));
				assertThat(consumer.claim(1).messages()).hasSize(1);
			}
		}
		finally {
			deaf.shutdown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLaneWhoseSubscriptionWasCutLooksForItselfAndIsWokenAgain() {
		TestQueue.Consumer consumer = this.queue.consumer();
		consumer.claimOrSleep(LONG);
		int before = this.recorder.all.get();
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		await().until(() -> this.recorder.all.get() > before);
		await().until(() -> channels() == 1);
		this.queue.sender().send(this.queue.messages(1));
		await().until(() -> this.recorder.reported.contains(consumer.lane));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRenewedSubscriptionIsReported() {
		this.subscription.close();
		await().until(() -> channels() == 0);
		this.subscription = this.store.wakeUps().subscribe(this.recorder);
		await().until(() -> channels() == 1);
		TestQueue.Consumer consumer = this.queue.consumer();
		consumer.claimOrSleep(LONG);
		this.queue.sender().send(this.queue.messages(1));
		await().until(() -> this.recorder.reported.contains(consumer.lane));
		assertQuiet(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSubscriptionWhileRedisIsAwayIsReportedOnceItIsBack() {
		RedissonClient impatient = TestRedis.connect(this.server.uri(), Duration.ofSeconds(1));
		try {
			QueueScripts away = store(impatient);
			Recorder heard = new Recorder();
			this.server.pause();
			WakeUpSource.Subscription second;
			try {
				second = away.wakeUps().subscribe(heard);
				await().during(Duration.ofSeconds(3)).until(() -> true);
			}
			finally {
				this.server.resume();
			}
			await().until(() -> heard.all.get() > 0 && channels() == 2);
			TestQueue.Consumer consumer = new TestQueue(this.queue.name, away).consumer();
			consumer.claimOrSleep(LONG);
			this.queue.sender().send(this.queue.messages(1));
			await().until(() -> heard.reported.contains(consumer.lane));
			second.close();
			await().until(() -> channels() == 1);
		}
		finally {
			impatient.shutdown();
		}
	}

	/**
	 * Waits until no lane has asked for a while.
	 */
	private void awaitQuiet() {
		AtomicLong last = new AtomicLong();
		await().during(Duration.ofMillis(300)).until(() -> {
			long scripts = scriptsRun();
			return last.getAndSet(scripts) == scripts;
		});
	}

	private TestQueue.Consumer dying(int holding) {
		TestQueue.Consumer dying = this.queue.consumer(LONG.multipliedBy(2));
		this.queue.sender().send(this.queue.messages(holding));
		assertThat(dying.claim(holding).messages()).hasSize(holding);
		return dying;
	}

	/**
	 * Gives consumers who sleep and whose lease is long.
	 */
	private Map<String, TestQueue.Consumer> asleep(int count) {
		Map<String, TestQueue.Consumer> consumers = new HashMap<>();
		for (int i = 0; i < count; i++) {
			TestQueue.Consumer consumer = this.queue.consumer(LONG.multipliedBy(2));
			consumers.put(consumer.lane, consumer);
		}
		consumers.values().forEach((consumer) -> consumer.claimOrSleep(LONG));
		return consumers;
	}

	private void assertQuiet(int reported) {
		await().during(Duration.ofMillis(200)).until(() -> this.recorder.reported.size() == reported);
	}

	private static QueueScripts store(RedissonClient client) {
		return TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
	}

	private int channels() {
		return ((List<?>) this.server.command("PUBSUB", "CHANNELS", "redelay:wake:*")).size();
	}

	private long scriptsRun() {
		String statistics = String.valueOf(this.server.command("INFO", "commandstats"));
		return statistics.lines()
			.filter((line) -> line.startsWith("cmdstat_evalsha:calls="))
			.mapToLong((line) -> Long.parseLong(line.substring(22, line.indexOf(','))))
			.sum();
	}

	private static final class Recorder implements WakeUpSource.Listener {

		final List<String> reported = new CopyOnWriteArrayList<>();

		final AtomicInteger all = new AtomicInteger();

		@Override
		public void wakeUp(String lane) {
			this.reported.add(lane);
		}

		@Override
		public void wakeUpAll() {
			this.all.incrementAndGet();
		}

	}

	/**
	 * A consumer that comes whenever it is notified or said it would, and settles what it
	 * has with its next claim.
	 */
	private final class Sleeper implements WakeUpSource.Listener, AutoCloseable {

		final AtomicInteger taken = new AtomicInteger();

		private final Map<String, Long> holding = new ConcurrentHashMap<>();

		private final TestQueue.Consumer consumer;

		private final WakeUpSource.Subscription subscription;

		private boolean onWire;

		private boolean again;

		Sleeper(QueueScripts store) {
			this.consumer = new TestQueue(WakeUpIntegrationTests.this.queue.name, store).consumer(LONG);
			this.subscription = store.wakeUps().subscribe(this);
		}

		@Override
		public void wakeUp(String lane) {
			come();
		}

		@Override
		public void wakeUpAll() {
		}

		synchronized void come() {
			if (this.onWire) {
				this.again = true;
				return;
			}
			this.onWire = true;
			List<Settlement> settlements = new ArrayList<>();
			this.holding.forEach((uid, claim) -> settlements.add(Settlement.ack(uid, claim)));
			this.consumer.claimAsync(3, LONG, settlements).thenAccept((reply) -> {
				boolean next;
				synchronized (this) {
					this.holding.clear();
					reply.messages().forEach((message) -> this.holding.put(message.uid(), message.claim()));
					this.taken.addAndGet(reply.messages().size());
					this.onWire = false;
					next = this.again || !this.holding.isEmpty() || Duration.ZERO.equals(reply.next());
					this.again = false;
				}
				if (next) {
					come();
				}
			});
		}

		@Override
		public void close() {
			this.subscription.close();
			await().until(() -> !this.onWire);
			this.consumer.close();
		}

	}

}
