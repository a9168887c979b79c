package io.redelay.queue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.AckMode;
import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for handlers that say of single messages of a batch what becomes of them.
 */
class PartialBatchIntegrationTests {

	private static final Duration LONG = Duration.ofHours(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final List<String> reported = new CopyOnWriteArrayList<>();

	/**
	 * How a handler may give its result.
	 */
	static Stream<Function<BatchResult, Object>> results() {
		return Stream.of((result) -> result, CompletableFuture::completedFuture,
				(result) -> CompletableFuture.supplyAsync(() -> result), Mono::just, (result) -> {
					throw new BatchFailedException(result);
				}, (result) -> CompletableFuture.failedFuture(new BatchFailedException(result)),
				(result) -> Mono.error(new BatchFailedException(result)));
	}

	@ParameterizedTest
	@MethodSource("results")
	@Execution(ExecutionMode.CONCURRENT)
	void aResultNamesWhatIsNotDoneAndTheOthersAreAcknowledged(Function<BatchResult, Object> form) {
		Payloads handler = new Payloads((batch, acknowledgment) -> (batch.size() < 5) ? null
				: form.apply(BatchResult.create()
					.failedAt(0, new IllegalStateException("zero"))
					.rejected(batch.get(2), "two")
					.retriedAt(3, LONG)));
		try (ListenerApplication application = start(handler, 5)) {
			send(application, 5);
			QueueState.Dead dead = this.state.awaitDead();
			Awaitility.await().until(() -> this.state.scheduled() == 1 && this.state.held() == 0);
			assertThat(dead.reason()).isEqualTo("REJECTED");
			assertThat(dead.message()).isEqualTo("two");
			assertThat(this.state.messages().values()).extracting((each) -> each.get("payload").asString())
				.containsExactly("3");
			assertThat(handler.batches).as("what failed comes alone").hasSize(2).contains(List.of("0"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void singleMessagesAreSettledAndTheRestIsDoneWhenTheMethodReturns() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			if (batch.size() > 1) {
				acknowledgment.at(0).acknowledge();
				acknowledgment.of(batch.get(1)).reject("one");
				acknowledgment.allAt(2, 3, 2).nack(LONG);
				acknowledgment.allOf(List.of(batch.get(3), batch.get(4))).nack();
				acknowledgment.allOf(List.of()).reject("nobody");
			}
			return null;
		});
		try (ListenerApplication application = start(handler, 6)) {
			send(application, 6);
			assertThat(this.state.awaitDead().message()).isEqualTo("one");
			Awaitility.await().until(() -> this.state.scheduled() == 2 && this.state.held() == 0);
			assertThat(payloadsOf(this.state)).containsExactlyInAnyOrder("2", "3");
			assertThat(handler.batches).containsExactly(List.of("0", "1", "2", "3", "4", "5"), List.of("4"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsNotSettledBeforeAFailureIsHandledAlone() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			if (batch.size() > 1) {
				acknowledgment.allAt(0, 2).acknowledge();
				throw new IllegalStateException("after two of four");
			}
			return null;
		});
		try (ListenerApplication application = start(handler, 4)) {
			send(application, 4);
			this.state.awaitDrained();
			assertThat(handler.batches).containsExactly(List.of("0", "1", "2", "3"), List.of("1"), List.of("3"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theFailureIsThatOfTheOnlyMessageThatIsNotSettled() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			acknowledgment.allAt(IntStream.range(0, batch.size() - 1).toArray()).acknowledge();
			throw new IllegalStateException("the last one");
		});
		try (ListenerApplication application = start(handler, 3)) {
			send(application, 3);
			assertThat(this.state.awaitDead().cause().get("failures").asInt()).isEqualTo(2);
			this.state.awaitDrained();
			assertThat(handler.batches).containsExactly(List.of("0", "1", "2"), List.of("2"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void messagesAreNamedByThemselvesOrTheirPayloads() {
		Messages handler = new Messages((batch) -> (batch.size() == 1) ? null
				: BatchResult.create()
					.rejected(batch.get(0), "by message")
					.rejected(batch.get(1).getPayload(), "by payload")
					.rejected(new Item(2), "by what equals it"));
		try (ListenerApplication application = start(handler, 4)) {
			application.queues()
				.sendAll(IntStream.range(0, 4)
					.mapToObj((number) -> OutboundMessage.to(this.queue, new Item(number)))
					.toList());
			List<QueueState.Dead> dead = Awaitility.await().until(this.state::dead, (all) -> all.size() == 3);
			this.state.awaitDrained();
			assertThat(dead).extracting((each) -> each.envelope().get("payload").get("number").asInt() + each.message())
				.containsExactlyInAnyOrder("0by message", "1by payload", "2by what equals it");
		}
	}

	/**
	 * What names no message of the batch, or one twice.
	 */
	static Stream<BatchResult> senseless() {
		return Stream.of(BatchResult.create().rejectedAt(3, "too high"), BatchResult.create().rejectedAt(-1, "too low"),
				BatchResult.create().rejected("unknown", "not there"), BatchResult.create().rejected(1, "no position"),
				BatchResult.create().rejectedAt(1, "once").retriedAt(1, LONG),
				BatchResult.create().rejectedAt(1, "once").rejected("1", "by element"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aResultThatNamesWhatIsNotInTheBatchOrSomethingTwiceLosesNothing() {
		Iterator<BatchResult> results = senseless().iterator();
		Payloads handler = new Payloads((batch, acknowledgment) -> (batch.size() > 1) ? results.next() : null);
		try (ListenerApplication application = start(handler, 3)) {
			while (results.hasNext()) {
				handler.batches.clear();
				send(application, 3);
				this.state.awaitDrained();
				assertThat(handler.batches).containsExactly(List.of("0", "1", "2"), List.of("0"), List.of("1"),
						List.of("2"));
			}
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anAcknowledgmentRefusesWhatIsNotInTheBatch() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			assertThatIllegalArgumentException().isThrownBy(() -> acknowledgment.at(3))
				.withMessageContaining("no position 3 in a batch of 3");
			assertThatIllegalArgumentException().isThrownBy(() -> acknowledgment.allAt(0, -1));
			assertThatIllegalArgumentException().isThrownBy(() -> acknowledgment.of("unknown"))
				.withMessageContaining("no element of the batch of 3");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> acknowledgment.allOf(List.of(batch.get(0), "unknown")));
			senseless().forEach(
					(result) -> assertThatIllegalArgumentException().isThrownBy(() -> acknowledgment.settle(result)));
			this.reported.add("refused " + acknowledgment.size());
			return null;
		});
		try (ListenerApplication application = start(handler, 3)) {
			send(application, 3);
			this.state.awaitDrained();
			assertThat(this.reported).containsExactly("refused 3");
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void positionsAreThoseOfTheListAsItWasGiven() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			if (batch.size() == 1) {
				return null;
			}
			List<String> given = List.copyOf(batch);
			batch.sort((one, other) -> other.compareTo(one));
			batch.remove(0);
			return BatchResult.create().rejectedAt(2, "two").rejected(given.get(0), "zero");
		});
		try (ListenerApplication application = start(handler, 3)) {
			send(application, 3);
			List<QueueState.Dead> dead = Awaitility.await().until(this.state::dead, (all) -> all.size() == 2);
			this.state.awaitDrained();
			assertThat(dead).extracting((each) -> each.envelope().get("payload").asString() + each.message())
				.containsExactlyInAnyOrder("2two", "0zero");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void withManualAcknowledgementTheRestIsHeldUntilItIsSettledByAnyThread() {
		ManualBatches handler = new ManualBatches();
		try (ListenerApplication application = start(handler, 4)) {
			send(application, 4);
			Awaitility.await().until(() -> this.state.held() == 2 && !handler.acknowledgments.isEmpty());
			assertThat(payloadsOf(this.state)).containsExactlyInAnyOrder("2", "3");
			BatchAcknowledgment later = handler.acknowledgments.get(0);
			later.at(2).acknowledge();
			Awaitility.await().until(() -> this.state.held() == 1);
			later.settle(BatchResult.create().rejectedAt(0, "too late").rejectedAt(3, "three"));
			assertThat(this.state.awaitDead().message()).isEqualTo("three");
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aResultSpeaksForTheWholeBatchAlsoWithManualAcknowledgement() {
		ManualResults handler = new ManualResults();
		try (ListenerApplication application = start(handler, 3)) {
			send(application, 3);
			assertThat(this.state.awaitDead().message()).isEqualTo("no");
			this.state.awaitDrained();
			send(application, 1);
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofWhatWasAcknowledgedBeforeOnlyWhatAResultNamesIsLost() {
		try (ListenerApplication application = start(new AtMostOnce(), 3)) {
			send(application, 3);
			Awaitility.await().until(() -> !this.reported.isEmpty());
			this.state.awaitDrained();
			assertThat(this.reported).containsExactly("lost 1: no");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nothingOfAnOrderingKeyOvertakesWhatAResultNames() {
		Payloads handler = new Payloads((batch, acknowledgment) -> {
			int failed = batch.indexOf("a0");
			return (failed >= 0 && this.reported.isEmpty() && this.reported.add("failed"))
					? BatchResult.create().retriedAt(failed, Duration.ofMillis(300)) : null;
		});
		try (ListenerApplication application = start(handler, 4, 50)) {
			application.queues()
				.sendAll(Stream.of("a0", "a1", "b0", "b1", "a2")
					.map((payload) -> OutboundMessage.to(this.queue, payload).orderingKey(payload.substring(0, 1)))
					.toList());
			this.state.awaitDrained();
			assertThat(handler.all()).filteredOn((each) -> each.startsWith("a"))
				.containsExactly("a0", "a0", "a1", "a2");
			assertThat(handler.all()).filteredOn((each) -> each.startsWith("b")).containsExactly("b0", "b1");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void positionsCountWhatIsLeftOfTheBatchBesideDuplicatesAndWhatDoesNotFit() {
		Keyed handler = new Keyed();
		try (ListenerApplication application = start(handler, 1)) {
			application.queues().send(this.queue, new Item(7));
			this.state.awaitDrained();
			application.queues()
				.sendAll(Stream.of(new Item(7), List.of("does not fit"), new Item(1), new Item(2), new Item(3))
					.map((payload) -> OutboundMessage.to(this.queue, payload))
					.toList());
			Awaitility.await().until(() -> this.state.dead().size() == 2);
			this.state.awaitDrained();
			application.queues()
				.sendAll(Stream.of(1, 2, 3).map((number) -> OutboundMessage.to(this.queue, new Item(number))).toList());
			this.state.awaitDrained();
			assertThat(handler.batches).startsWith(List.of(7), List.of(1, 2, 3));
			assertThat(handler.batches).as("only the key of what failed is free").hasSize(3).endsWith(List.of(2));
			assertThat(this.state.dead()).extracting(QueueState.Dead::reason)
				.containsExactlyInAnyOrder("CONVERSION_FAILED", "REJECTED");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHasGatheredInOneMessageFailsAsAWhole() {
		Payloads handler = new Payloads(
				(batch, acknowledgment) -> (this.reported.isEmpty() && this.reported.add("failed"))
						? BatchResult.create().failed(batch.get(1), new IllegalStateException("one")) : null);
		try (ListenerApplication application = start(handler, 4)) {
			gather(application, "0", "1", "2");
			this.state.awaitDrained();
			assertThat(handler.batches).hasSize(2).allMatch((batch) -> batch.size() == 3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHasGatheredInOneMessageIsDoneWhenAllOfItIs() {
		ManualBatches handler = new ManualBatches();
		try (ListenerApplication application = start(handler, 4)) {
			gather(application, "0", "1", "2");
			Awaitility.await().until(() -> !handler.acknowledgments.isEmpty());
			BatchAcknowledgment later = handler.acknowledgments.get(0);
			assertThat(later.size()).isEqualTo(3);
			Awaitility.await().during(Duration.ofMillis(100)).until(() -> this.state.held() == 1);
			later.at(2).acknowledge();
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachQueueOfAListenerHasItsOwnBatches() {
		String other = TestRedis.queue();
		SeveralQueues handler = new SeveralQueues();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", this.queue + "," + other)
			.start()) {
			for (String each : List.of(this.queue, other)) {
				application.queues()
					.sendAll(List.of(OutboundMessage.to(each, "good"), OutboundMessage.to(each, "bad")));
			}
			assertThat(this.state.awaitDead().envelope().get("payload").asString()).isEqualTo("bad");
			assertThat(QueueState.of(redis, other).awaitDead().envelope().get("payload").asString()).isEqualTo("bad");
			this.state.awaitDrained();
			QueueState.of(redis, other).awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theErrorHandlerAndTheInterceptorsAreCalledForEachMessageThatAResultNames() {
		Payloads handler = new Payloads((batch, acknowledgment) -> (batch.size() == 1) ? null
				: BatchResult.create()
					.failedAt(0, new IllegalStateException("zero"))
					.failedAt(2, new IllegalStateException("two")));
		QueueErrorHandler errors = (message, failure) -> {
			this.reported.add("asked " + message.getPayload() + ": " + failure.getMessage());
			if (message.getPayload().equals("2")) {
				throw failure;
			}
		};
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.bean("queueErrorHandler", errors)
			.bean(new Watching(this.reported))
			.with("queue", this.queue)
			.with("size", 3)
			.with("timeout", "20s")
			.start()) {
			send(application, 3);
			this.state.awaitDrained();
			assertThat(handler.batches).containsExactly(List.of("0", "1", "2"), List.of("2"));
			assertThat(this.reported).contains("asked 0: zero", "asked 2: two", "after 0: null", "after 1: null",
					"after 2: two");
		}
	}

	private static List<String> payloadsOf(QueueState state) {
		return state.messages().values().stream().map((each) -> each.get("payload").asString()).toList();
	}

	private void send(ListenerApplication application, int count) {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(OutboundMessage.to(this.queue, Integer.toString(i)));
		}
		application.queues().sendAll(messages);
	}

	private void gather(ListenerApplication application, String... payloads) {
		for (String payload : payloads) {
			application.queues()
				.send(OutboundMessage.to(this.queue, new Item(Integer.parseInt(payload)))
					.deduplicate(Deduplication.aggregate("key", LONG, payloads.length)));
		}
	}

	private ListenerApplication start(Object handler, int size) {
		return start(handler, size, 20_000);
	}

	private ListenerApplication start(Object handler, int size, int timeout) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.bean(new Lost(this.reported))
			.with("queue", this.queue)
			.with("size", size)
			.with("timeout", timeout + "ms")
			.with("redelay.queue.listener.max-attempts", 2)
			.start();
	}

	record Item(int number) {

	}

	static class Payloads {

		final List<List<String>> batches = new CopyOnWriteArrayList<>();

		private final BiFunction<List<String>, BatchAcknowledgment, @Nullable Object> body;

		Payloads(BiFunction<List<String>, BatchAcknowledgment, @Nullable Object> body) {
			this.body = body;
		}

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}")
		@Nullable Object handle(List<String> batch, BatchAcknowledgment acknowledgment) {
			this.batches.add(List.copyOf(batch));
			return this.body.apply(batch, acknowledgment);
		}

		List<String> all() {
			return this.batches.stream().flatMap(List::stream).toList();
		}

	}

	static class Messages {

		private final Function<List<Message<Item>>, @Nullable BatchResult> body;

		Messages(Function<List<Message<Item>>, @Nullable BatchResult> body) {
			this.body = body;
		}

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}")
		@Nullable BatchResult handle(List<Message<Item>> batch) {
			return this.body.apply(batch);
		}

	}

	static class ManualBatches {

		final List<BatchAcknowledgment> acknowledgments = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}",
				ackMode = AckMode.MANUAL)
		void handle(List<String> batch, BatchAcknowledgment acknowledgment) {
			acknowledgment.at(0).acknowledge();
			acknowledgment.at(1).acknowledge();
			this.acknowledgments.add(acknowledgment);
		}

	}

	static class ManualResults {

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "100ms",
				ackMode = AckMode.MANUAL)
		CompletableFuture<BatchResult> handle(List<String> batch) {
			BatchResult result = BatchResult.create();
			return CompletableFuture.completedFuture((batch.size() == 3) ? result.rejectedAt(1, "no") : result);
		}

	}

	static class AtMostOnce {

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}",
				ackMode = AckMode.BEFORE_HANDLING)
		BatchResult handle(List<String> batch) {
			return BatchResult.create().failed(batch.get(1), new IllegalStateException("no"));
		}

	}

	static class Keyed {

		final List<List<Integer>> batches = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "5", batchTimeout = "300ms",
				idempotencyKey = "#{payload.number}")
		@Nullable BatchResult handle(List<Item> batch) {
			this.batches.add(batch.stream().map(Item::number).toList());
			return (batch.size() == 3) ? BatchResult.create().rejectedAt(1, "two") : null;
		}

	}

	static class SeveralQueues {

		@QueueListener(queues = "${queues}", concurrency = "2", batchSize = "2", batchTimeout = "20s")
		BatchResult handle(List<String> batch) {
			return BatchResult.create().rejected("bad", "bad");
		}

	}

	@GlobalInterceptor
	record Watching(List<String> reported) implements DeliveryInterceptor {

		@Override
		public void afterHandling(Message<?> message, @Nullable Throwable failure) {
			this.reported.add("after " + new String((byte[]) message.getPayload(), StandardCharsets.UTF_8) + ": "
					+ ((failure != null) ? failure.getMessage() : null));
		}

	}

	record Lost(List<String> reported) implements MessageRetryListener {

		@Override
		public void onLost(DeliveryInfo delivery, Throwable failure) {
			this.reported.add("lost 1: " + failure.getMessage());
		}

	}

}
