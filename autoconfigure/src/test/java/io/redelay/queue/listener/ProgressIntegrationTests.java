package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.MessageWork;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.MessageEventBatch;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.MessageProgress;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RMap;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the progress and the lines that handlers keep beside their
 * messages.
 */
@ExtendWith(CapturedLog.Extension.class)
@UnsoundQueues("a message in the hands of a lane that is not there")
class ProgressIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final CountDownLatch end = new CountDownLatch(1);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anotherInstanceSeesTheProgressWhileTheHandlerRuns() {
		try (ListenerApplication application = start((delivery) -> {
			delivery.log("begun");
			delivery.progress(0.1);
			delivery.progress(0.4, "page 12 of 30");
			delivery.log("page 3 was empty");
			awaitEnd();
		}); ListenerApplication other = ListenerApplication.on(redis).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("seen"));
			await().untilAsserted(
					() -> assertThat(texts(work(other, "seen"))).containsExactly("begun", "page 3 was empty"));
			MessageWork work = work(other, "seen");
			assertThat(work.progress()).extracting(MessageProgress::fraction, MessageProgress::text)
				.containsExactly(0.4, "page 12 of 30");
			assertThat(work.droppedLines()).isZero();
			QueuedMessage message = other.bean(QueueAdmin.class).messages().find(this.queue, "seen").orElseThrow();
			assertThat(message.state()).isEqualTo(MessageState.IN_FLIGHT);
			assertThat(work.progress().at()).isAfterOrEqualTo(message.sentAt());
			assertThat(work.log().get(0).at()).isBeforeOrEqualTo(work.log().get(1).at());
			assertThat(other.bean(QueueAdmin.class)
				.messages()
				.browse(this.queue, MessageState.IN_FLIGHT, 0, 10)
				.messages()).singleElement()
				.satisfies((browsed) -> assertThat(texts(browsed.work())).isEqualTo(texts(work)));
			this.end.countDown();
			await().until(() -> other.bean(QueueAdmin.class).messages().find(this.queue, "seen").isEmpty());
			assertThat(work()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void onlyTheLastLinesAreKeptAndTheOthersAreCounted() {
		try (ListenerApplication application = start((delivery) -> {
			for (int i = 0; i < 1000; i++) {
				delivery.log("line " + i);
			}
			awaitWritten("line 999");
			delivery.log("line 1000");
			delivery.log("line 1001");
			awaitWritten("line 1001");
			awaitEnd();
		}, "redelay.queue.work.max-log-lines=5")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("long"));
			await().untilAsserted(() -> assertThat(texts(work(application, "long"))).containsExactly("line 997",
					"line 998", "line 999", "line 1000", "line 1001"));
			assertThat(work(application, "long").droppedLines()).isEqualTo(997);
			this.end.countDown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void linesAreBoundedByTheirSizeAsWell() {
		try (ListenerApplication application = start((delivery) -> {
			for (int i = 0; i < 60; i++) {
				delivery.log("漢".repeat(1000));
				delivery.log("x".repeat(1_000_000));
			}
			delivery.progress(1, "y".repeat(1_000_000));
			throw new RejectMessageException("no");
		}, "redelay.queue.work.max-log-size=8KB")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("wide"));
			awaitState(application, "wide", MessageState.DEAD);
			MessageWork work = work(application, "wide");
			assertThat(texts(work)).containsExactly("漢".repeat(1000), "x".repeat(1000) + "…", "漢".repeat(1000),
					"x".repeat(1000) + "…");
			assertThat(work.droppedLines()).isEqualTo(116);
			assertThat(work.progress()).extracting(MessageProgress::text).isEqualTo("y".repeat(1000) + "…");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theLinesOfAllAttemptsStayWithTheDead() {
		AtomicInteger attempts = new AtomicInteger();
		try (ListenerApplication application = start((delivery) -> {
			int attempt = attempts.incrementAndGet();
			delivery.progress(attempt / 10.0, "attempt " + attempt);
			delivery.log("attempt " + attempt);
			if (attempt == 1) {
				throw new RetryMessageException(Duration.ZERO);
			}
			throw (attempt == 2) ? new IllegalStateException("fails") : new RejectMessageException("no");
		}, "redelay.queue.listener.backoff.initial-interval=10ms")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("dead"));
			awaitState(application, "dead", MessageState.DEAD);
			MessageWork work = work(application, "dead");
			assertThat(texts(work)).containsExactly("attempt 1", "attempt 2", "attempt 3");
			assertThat(work.progress()).extracting(MessageProgress::fraction).isEqualTo(0.3);
			QueueAdmin admin = application.bean(QueueAdmin.class);
			admin.deadLetters().redrive(this.queue, DeadLetterFilter.all());
			await().until(() -> attempts.get() == 4);
			awaitState(application, "dead", MessageState.DEAD);
			assertThat(texts(work(application, "dead"))).containsExactly("attempt 1", "attempt 2", "attempt 3",
					"attempt 4");
			admin.control().purge(this.queue, MessageState.DEAD);
			assertThat(work()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itStaysWithACompletedMessage() {
		try (ListenerApplication application = start((delivery) -> {
			delivery.log("all done");
			delivery.progress(1);
		}, "redelay.queue.queues." + this.queue + ".completed.max-count=1")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("first"));
			awaitState(application, "first", MessageState.COMPLETED);
			MessageWork work = work(application, "first");
			assertThat(texts(work)).containsExactly("all done");
			assertThat(work.progress()).extracting(MessageProgress::fraction, MessageProgress::text)
				.containsExactly(1.0, null);
			application.queues().send(OutboundMessage.to(this.queue, "x").id("second"));
			awaitState(application, "second", MessageState.COMPLETED);
			await().until(() -> application.bean(QueueAdmin.class).messages().find(this.queue, "first").isEmpty());
			assertThat(completed().readAllKeySet()).filteredOn((field) -> field.matches(".*/(progress|log|checkpoint)"))
				.as("what is kept beside the second")
				.hasSize(2);
			assertThat(work()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void hostileTextIsKeptAsLinesThatCanBeShown() {
		try (ListenerApplication application = start((delivery) -> {
			delivery.log("two\r\nlines\u0000 and \u001b[31mred");
			delivery.log("half \ud83d of a character");
			delivery.log("9:9 9\n5:");
			delivery.log("");
			delivery.progress(0.5, "0.9\n1 2 3");
			throw new RejectMessageException("no");
		})) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("hostile"));
			awaitState(application, "hostile", MessageState.DEAD);
			MessageWork work = work(application, "hostile");
			assertThat(texts(work)).containsExactly("two  lines  and  [31mred", "half \ufffd of a character",
					"9:9 9 5:", "");
			assertThat(work.progress()).extracting(MessageProgress::fraction, MessageProgress::text)
				.containsExactly(0.5, "0.9 1 2 3");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFractionThatIsNoneIsRefusedAndTheMessageIsTriedAgain() {
		List<String> refusals = new CopyOnWriteArrayList<>();
		List<Double> fractions = List.of(Double.NaN, -0.1, 1.1, 1.0);
		try (ListenerApplication application = start((delivery) -> {
			try {
				delivery.progress(fractions.get(refusals.size()), "x");
			}
			catch (IllegalArgumentException ex) {
				refusals.add(String.valueOf(ex.getMessage()));
				throw ex;
			}
		}, "redelay.queue.listener.backoff.initial-interval=1ms")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("refused"));
			await().until(() -> application.bean(QueueAdmin.class).messages().find(this.queue, "refused").isEmpty());
			assertThat(refusals).hasSize(3)
				.allSatisfy((refusal) -> assertThat(refusal).contains("'fraction' must be from 0 to 1", "'refused'",
						"'" + this.queue + "'"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void severalThreadsReportOnOneMessage() {
		try (ListenerApplication application = start((delivery) -> {
			ExecutorService threads = Executors.newFixedThreadPool(8);
			List<? extends Future<?>> calls = threads
				.invokeAll(IntStream.range(0, 8).mapToObj((thread) -> Executors.callable(() -> {
					for (int i = 0; i < 100; i++) {
						delivery.log(thread + " " + i);
						delivery.progress(i / 100.0, null);
					}
				})).toList());
			for (Future<?> call : calls) {
				call.get();
			}
			threads.shutdown();
			throw new RejectMessageException("no");
		}, "redelay.queue.work.max-log-lines=1000", "redelay.queue.work.write-interval=10ms")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("many"));
			awaitState(application, "many", MessageState.DEAD);
			MessageWork work = work(application, "many");
			assertThat(work.log()).hasSize(800);
			assertThat(work.droppedLines()).isZero();
			for (int thread = 0; thread < 8; thread++) {
				String beginning = thread + " ";
				assertThat(texts(work).stream().filter((line) -> line.startsWith(beginning)))
					.containsExactlyElementsOf(IntStream.range(0, 100).mapToObj((i) -> beginning + i).toList());
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureCompletesAfterTheMethodHasReturned() {
		FutureHandler handler = new FutureHandler();
		try (ListenerApplication application = application(handler)) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("future"));
			await().until(() -> handler.delivery.isDone());
			handler.delivery.join().progress(0.7, "later");
			MessageWork work = awaitWork(application, "future");
			assertThat(work.progress()).extracting(MessageProgress::text).isEqualTo("later");
			handler.result.complete(null);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReceivedMessageIsPublishedAsWell() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.work.write-interval", "50ms")
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("pulled"));
			ReceivedMessage<String> message = application.bean(QueueReceiver.class)
				.receive(this.queue, String.class, 1, Duration.ofSeconds(30))
				.get(0);
			message.delivery().progress(0.2, "received");
			assertThat(awaitWork(application, "pulled").progress()).extracting(MessageProgress::text)
				.isEqualTo("received");
			message.delivery().log("refused");
			message.reject("no");
			awaitState(application, "pulled", MessageState.DEAD);
			assertThat(texts(work(application, "pulled"))).containsExactly("refused");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eventsReportWritesAndNotCalls() {
		List<MessageEvent> local = new CopyOnWriteArrayList<>();
		List<MessageEventBatch> feed = new CopyOnWriteArrayList<>();
		try (ListenerApplication reader = ListenerApplication.on(redis).start();
				ListenerApplication application = start((delivery) -> {
					for (int i = 1; i <= 1000; i++) {
						delivery.progress(i / 1000.0, "call " + i);
						delivery.log("call " + i);
					}
					awaitEnd();
				}, "redelay.events.feed.enabled=true", "redelay.queue.work.write-interval=200ms")) {
			reader.bean(QueueEvents.class).subscribeToFeed(feed::add);
			application.bean(QueueEvents.class).subscribe(local::add);
			String another = TestRedis.queue();
			await().until(() -> {
				application.queues().send(another, "until the reader has begun to listen");
				return !feed.isEmpty();
			});
			application.queues().send(OutboundMessage.to(this.queue, "x").id("told"));
			await().untilAsserted(() -> assertThat(progress(local)).flatExtracting(MessageEvent::log)
				.extracting(LogLine::text)
				.contains("call 1000"));
			assertThat(progress(local)).hasSizeLessThan(100);
			assertThat(progress(local)).extracting(MessageEvent::progress)
				.filteredOn(Objects::nonNull)
				.last()
				.extracting(MessageProgress::text)
				.isEqualTo("call 1000");
			MessageEvent last = progress(local).get(progress(local).size() - 1);
			assertThat(last.id()).isEqualTo("told");
			assertThat(last.attempt()).isEqualTo(1);
			assertThat(last.log()).hasSizeBetween(1, 10).last().extracting(LogLine::text).isEqualTo("call 1000");
			await().untilAsserted(
					() -> assertThat(progress(feed.stream().flatMap((batch) -> batch.events().stream()).toList()))
						.contains(last));
			this.end.countDown();
		}
	}

	@Test
	void notesAfterTheEndAreNotWrittenAndThatIsLogged(CapturedLog log) {
		CompletableFuture<MessageDelivery> settled = new CompletableFuture<>();
		try (ListenerApplication application = application(new Acknowledging(settled))) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("over"));
			await().until(settled::isDone);
			settled.join().progress(0.5, "too late");
			settled.join().log("too late");
			assertThat(log.entriesWith("NotesWriter", "'over'", "'" + this.queue + "'")).singleElement()
				.asString()
				.contains("Acknowledging.handle", "is not kept");
			await().until(() -> application.bean(QueueAdmin.class).messages().find(this.queue, "over").isEmpty());
			assertThat(work()).isEmpty();
		}
	}

	@Test
	void notesOfALostMessageAreNotWrittenAndItsTokenTurns(CapturedLog log) throws Exception {
		CompletableFuture<CancellationReason> turned = new CompletableFuture<>();
		try (ListenerApplication application = start((delivery) -> {
			delivery.cancellation().onCancel(turned::complete);
			delivery.log("mine");
			awaitWritten("mine");
			String uid = held().readAllKeySet()
				.stream()
				.filter((field) -> !field.startsWith("@"))
				.findFirst()
				.orElseThrow();
			held().fastPut(uid, "another/7");
			delivery.log("not mine any more");
			delivery.progress(0.9);
			turned.get(60, TimeUnit.SECONDS);
			delivery.log("nor now");
			this.end.countDown();
		})) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("lost"));
			awaitEnd();
			assertThat(turned).isCompletedWithValue(CancellationReason.LEASE_LOST);
			MessageWork work = work(application, "lost");
			assertThat(texts(work)).containsExactly("mine");
			assertThat(work.progress()).isNull();
			await().untilAsserted(
					() -> assertThat(log.entriesWith("NotesWriter", "'lost'", "'" + this.queue + "'")).singleElement()
						.asString()
						.contains("is not kept"));
		}
	}

	private static List<MessageEvent> progress(List<MessageEvent> events) {
		return events.stream().filter((event) -> event.type() == MessageEvent.Type.PROGRESS).toList();
	}

	private void awaitWritten(String line) {
		await().until(() -> work().readAllValues().stream().anyMatch((value) -> value.endsWith(line)));
	}

	private RMap<String, String> work() {
		return redis.client().getMap("redelay:{" + this.queue + "}:work", StringCodec.INSTANCE);
	}

	private RMap<String, String> held() {
		return redis.client().getMap("redelay:{" + this.queue + "}:held", StringCodec.INSTANCE);
	}

	private RMap<String, String> completed() {
		return redis.client().getMap("redelay:{" + this.queue + "}:completed:messages", StringCodec.INSTANCE);
	}

	private MessageWork awaitWork(ListenerApplication application, String id) {
		await().until(() -> work(application, id).progress() != null);
		return work(application, id);
	}

	private MessageWork work(ListenerApplication application, String id) {
		return application.bean(QueueAdmin.class)
			.messages()
			.find(this.queue, id)
			.map(QueuedMessage::work)
			.orElse(MessageWork.NONE);
	}

	private void awaitState(ListenerApplication application, String id, MessageState state) {
		await().until(() -> application.bean(QueueAdmin.class)
			.messages()
			.find(this.queue, id)
			.filter((message) -> message.state() == state)
			.isPresent());
	}

	private static List<String> texts(MessageWork work) {
		return work.log().stream().map(LogLine::text).toList();
	}

	private void awaitEnd() throws InterruptedException {
		assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
	}

	private ListenerApplication start(Work work, String... properties) {
		return application(new Handler(work), properties);
	}

	private ListenerApplication application(Object handler, String... properties) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.bean(handler)
			.with("q", this.queue)
			.with("redelay.queue.work.write-interval", "50ms");
		for (String property : properties) {
			int equals = property.indexOf('=');
			builder.with(property.substring(0, equals), property.substring(equals + 1));
		}
		return builder.start();
	}

	/**
	 * What a handler does.
	 */
	@FunctionalInterface
	interface Work {

		void on(MessageDelivery delivery) throws Exception;

	}

	/**
	 * Does what a test wants.
	 */
	record Handler(Work work) {

		@QueueListener("${q}")
		void handle(String payload, MessageDelivery delivery) throws Exception {
			this.work.on(delivery);
		}

	}

	/**
	 * Returns before it ends.
	 */
	static final class FutureHandler {

		final CompletableFuture<MessageDelivery> delivery = new CompletableFuture<>();

		final CompletableFuture<Void> result = new CompletableFuture<>();

		@QueueListener("${q}")
		CompletionStage<Void> handle(String payload, MessageDelivery delivery) {
			this.delivery.complete(delivery);
			return this.result;
		}

	}

	/**
	 * Acknowledges before it ends.
	 */
	record Acknowledging(CompletableFuture<MessageDelivery> settled) {

		@QueueListener(queues = "${q}", ackMode = AckMode.MANUAL)
		void handle(String payload, MessageDelivery delivery, Acknowledgment acknowledgment) {
			acknowledgment.acknowledge();
			this.settled.complete(delivery);
		}

	}

}
