package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for ordering keys, from the sender's thread to the handler.
 */
class OrderingKeyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final int SENDERS = 16;

	private static final int EACH = 60;

	private final String queue = TestRedis.queue();

	/**
	 * Each thread sends messages of its own key, in one way or the other, and the
	 * handlers of two instances fail now and then.
	 */
	@Test
	void messagesOfAKeyAreHandledOneAtATimeInTheOrderOfSendingOverInstancesAndRetries() throws Exception {
		Recorder recorder = new Recorder();
		try (ListenerApplication first = start(recorder); ListenerApplication second = start(recorder)) {
			List<Thread> senders = IntStream.range(0, SENDERS)
				.mapToObj((sender) -> new Thread(() -> sendAll((sender % 2 == 0) ? first : second, "key-" + sender)))
				.toList();
			senders.forEach(Thread::start);
			for (Thread sender : senders) {
				sender.join();
			}
			QueueState.of(redis, this.queue).awaitDrained();
		}
		assertThat(recorder.overlaps).isEmpty();
		assertThat(recorder.handled).hasSize(SENDERS);
		assertThat(recorder.handled.values())
			.allSatisfy((numbers) -> assertThat(numbers).isEqualTo(IntStream.range(0, EACH).boxed().toList()));
		assertThat(recorder.failures).isNotEmpty();
	}

	private void sendAll(ListenerApplication application, String key) {
		List<CompletableFuture<SendResult>> sent = new ArrayList<>();
		int next = 0;
		while (next < EACH) {
			OutboundMessage message = message(key, next);
			switch (ThreadLocalRandom.current().nextInt(3)) {
				case 0 -> {
					application.queues().send(message);
					next++;
				}
				case 1 -> {
					sent.add(application.queues().sendAsync(message));
					next++;
				}
				default -> {
					int end = Math.min(EACH, next + 5);
					application.queues()
						.sendAll(IntStream.range(next, end).mapToObj((number) -> message(key, number)).toList());
					next = end;
				}
			}
		}
		sent.forEach(CompletableFuture::join);
	}

	private OutboundMessage message(String key, int number) {
		return OutboundMessage.to(this.queue, number).orderingKey(key);
	}

	private ListenerApplication start(Recorder recorder) {
		return ListenerApplication.on(redis).bean(recorder).with("queue", this.queue).start();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadMessageLetsItsKeyGoOn() {
		Texts texts = new Texts();
		try (ListenerApplication application = texts(texts)) {
			application.queues().send(OutboundMessage.to(this.queue, "dies").orderingKey("a"));
			application.queues().send(OutboundMessage.to(this.queue, "next").orderingKey("a"));
			await().untilAsserted(() -> assertThat(texts.handled).containsExactly("next"));
			assertThat(QueueState.of(redis, this.queue).awaitDead().reason()).isEqualTo("REJECTED");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadMessageMayHoldItsKeyUntilItIsDeliveredAgain() {
		Texts texts = new Texts();
		try (ListenerApplication application = texts(texts)) {
			SendResult dead = holdKey(application);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			texts.mended.add("dies");
			admin.deadLetters().redrive(this.queue, dead.id());
			await().untilAsserted(() -> assertThat(texts.handled).containsExactly("other", "dies", "next"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadMessageMayHoldItsKeyUntilItIsDeleted() {
		Texts texts = new Texts();
		try (ListenerApplication application = texts(texts)) {
			SendResult dead = holdKey(application);
			application.bean(QueueAdmin.class).messages().cancel(this.queue, dead.id());
			await().untilAsserted(() -> assertThat(texts.handled).containsExactly("other", "next"));
		}
	}

	private SendResult holdKey(ListenerApplication application) {
		SendResult dead = application.queues()
			.send(OutboundMessage.to(this.queue, "dies").orderingKey("a").deadHoldsKey(true));
		application.queues().send(OutboundMessage.to(this.queue, "next").orderingKey("a"));
		QueueState.of(redis, this.queue).awaitDead();
		application.queues().send(OutboundMessage.to(this.queue, "other").orderingKey("b"));
		Texts texts = application.bean(Texts.class);
		await().untilAsserted(() -> assertThat(texts.handled).containsExactly("other"));
		return dead;
	}

	/**
	 * Handlers are known to be fast when they come to the one that waits.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void severalOfAKeyAreHeldForFastHandlersAndGoBackUncountedWhenTheListenerStops() throws Exception {
		Numbers numbers = new Numbers(Numbers.WAITS);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(numbers)
			.with("queue", this.queue)
			.start()) {
			sendNumbers(application);
			assertThat(numbers.arrived.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(QueueState.of(redis, this.queue).held()).isGreaterThan(2);
			CompletableFuture<Void> stopped = application.container().stop(Duration.ofSeconds(10));
			await().untilAsserted(() -> assertThat(QueueState.of(redis, this.queue).held()).isEqualTo(1));
			numbers.goOn.countDown();
			stopped.join();
			assertThat(numbers.handled).hasSize(Numbers.SPECIAL + 1);
			application.container().start();
			numbers.awaitAll();
		}
		assertThat(numbers.handled).allMatch((handled) -> handled.endsWith("/1"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void thoseBehindAFailureComeAgainAfterItUncounted() {
		Numbers numbers = new Numbers(Numbers.FAILS);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(numbers)
			.with("queue", this.queue)
			.start()) {
			sendNumbers(application);
			numbers.awaitAll();
		}
		assertThat(numbers.handled).contains(Numbers.SPECIAL + "/2", Numbers.SPECIAL + 1 + "/1")
			.filteredOn((handled) -> handled.endsWith("/1"))
			.hasSize(Numbers.COUNT - 1);
	}

	private void sendNumbers(ListenerApplication application) {
		application.queues()
			.sendAll(IntStream.range(0, Numbers.COUNT).mapToObj((number) -> message("a", number)).toList());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void delayedMessagesJoinTheirKeyWhenTheyAreDueAndPlainOnesGoTheirWay() {
		Texts texts = new Texts();
		try (ListenerApplication application = texts(texts)) {
			OutboundMessage keyed = OutboundMessage.to(this.queue, "later").orderingKey("a");
			application.queues().send(keyed.delay(Duration.ofMillis(500)));
			application.queues().send(OutboundMessage.to(this.queue, "now").orderingKey("a"));
			application.queues().send(this.queue, "plain");
			await().untilAsserted(() -> assertThat(texts.handled).hasSize(3));
			assertThat(texts.handled).containsSubsequence("now", "later").contains("plain");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void handlersAndDeadLetterQueuesAreGivenTheKeys() {
		String deadLetters = this.queue + ".dead";
		DeadLetters listener = new DeadLetters();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(listener)
			.with("queue", this.queue)
			.with("dead", deadLetters)
			.start()) {
			application.queues()
				.sendAll(IntStream.range(0, 5)
					.mapToObj((i) -> OutboundMessage.to(this.queue, i).orderingKey("a").fairnessKey("t", 3).priority(7))
					.toList());
			await().untilAsserted(() -> assertThat(listener.dead).containsExactlyInAnyOrder("0 a t 7", "1 a t 7",
					"2 a t 7", "3 a t 7", "4 a t 7"));
			assertThat(listener.first).allMatch((text) -> text.equals("a t 7"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aQueueThatHadKeysLeavesNothingBehind() {
		Texts texts = new Texts();
		try (ListenerApplication application = texts(texts)) {
			for (String key : List.of("a", "b", "a")) {
				application.queues().send(OutboundMessage.to(this.queue, "x").key(key).priority(9));
			}
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(application.bean(QueueAdmin.class)
				.messages()
				.browse(this.queue, MessageState.READY, 0, 10)
				.messages()).isEmpty();
		}
		assertThat(texts.handled).hasSize(3);
	}

	private ListenerApplication texts(Texts texts) {
		return ListenerApplication.on(redis).bean(texts).with("queue", this.queue).start();
	}

	/**
	 * Records what is handled, by key, and whether two of a key ever are at a time.
	 */
	static class Recorder {

		final Map<String, List<Integer>> handled = new ConcurrentHashMap<>();

		final Set<String> running = ConcurrentHashMap.newKeySet();

		final List<String> overlaps = new CopyOnWriteArrayList<>();

		final List<String> failures = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "8", maxAttempts = "50")
		void handle(@Payload int number, @Header(QueueHeaders.ORDERING_KEY) String key,
				@Header(QueueHeaders.ATTEMPT) int attempt) {
			if (!this.running.add(key)) {
				this.overlaps.add(key + "/" + number);
			}
			try {
				if (number % 20 == 3 && attempt < 3) {
					this.failures.add(key);
					throw new IllegalStateException("Not yet");
				}
				this.handled.computeIfAbsent(key, (name) -> Collections.synchronizedList(new ArrayList<>()))
					.add(number);
			}
			finally {
				this.running.remove(key);
			}
		}

	}

	/**
	 * Handles numbers, of which one is special.
	 */
	static class Numbers {

		static final int COUNT = 300;

		static final int SPECIAL = 120;

		static final String WAITS = "waits";

		static final String FAILS = "fails";

		final List<String> handled = new CopyOnWriteArrayList<>();

		final CountDownLatch arrived = new CountDownLatch(1);

		final CountDownLatch goOn = new CountDownLatch(1);

		private final String special;

		Numbers(String special) {
			this.special = special;
		}

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(@Payload int number, @Header(QueueHeaders.ATTEMPT) int attempt) throws InterruptedException {
			if (number == SPECIAL && attempt == 1) {
				this.arrived.countDown();
				if (this.special.equals(FAILS)) {
					throw new IllegalStateException("It fails once");
				}
				this.goOn.await(10, TimeUnit.SECONDS);
			}
			this.handled.add(number + "/" + attempt);
		}

		void awaitAll() {
			await().untilAsserted(() -> assertThat(this.handled).extracting((each) -> each.replaceAll("/.*", ""))
				.isEqualTo(IntStream.range(0, COUNT).mapToObj(String::valueOf).toList()));
		}

	}

	static class Texts {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final Set<String> mended = ConcurrentHashMap.newKeySet();

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String text) {
			if (text.equals("dies") && !this.mended.contains(text)) {
				throw new RejectMessageException("It dies");
			}
			this.handled.add(text);
		}

	}

	static class DeadLetters {

		final List<String> first = new CopyOnWriteArrayList<>();

		final List<String> dead = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "4", deadLetterQueue = "${dead}")
		void handle(@Header(QueueHeaders.ORDERING_KEY) String ordering,
				@Header(QueueHeaders.FAIRNESS_KEY) String fairness, @Header(QueueHeaders.PRIORITY) int priority) {
			this.first.add(ordering + " " + fairness + " " + priority);
			throw new RejectMessageException("It dies");
		}

		@QueueListener(queues = "${dead}", concurrency = "4")
		void handleDead(@Payload int number,
				@Header(name = QueueHeaders.ORDERING_KEY, required = false) @Nullable String ordering,
				@Header(QueueHeaders.FAIRNESS_KEY) String fairness, @Header(QueueHeaders.PRIORITY) int priority) {
			this.dead.add(number + " " + ordering + " " + fairness + " " + priority);
		}

	}

}
