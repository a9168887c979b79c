package io.redelay.queue.config;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for messages that a program asks for.
 */
class QueueReceiverIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsReceivedEqualsItselfOnlyWhateverItsPayloadDoes() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, Map.of("number", 1));
			ReceivedMessage<Unhashable> received = receiver(application).receive(this.queue, Unhashable.class, 1, LONG)
				.get(0);
			assertThat(received.hashCode()).isEqualTo(System.identityHashCode(received));
			assertThat(received.equals(received)).isTrue();
			received.acknowledge();
		}
	}

	record Unhashable(int number) {

		@Override
		public boolean equals(Object other) {
			throw new IllegalStateException("thrown by a test");
		}

		@Override
		public int hashCode() {
			throw new IllegalStateException("thrown by a test");
		}

	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsReceivedMayBeSettledTogether() {
		String other = TestRedis.queue();
		try (ListenerApplication application = start()) {
			QueueReceiver receiver = receiver(application);
			List<ReceivedMessage<String>> received = new ArrayList<>();
			for (String each : List.of(this.queue, other)) {
				application.queues()
					.sendAll(IntStream.range(0, 3)
						.mapToObj((number) -> OutboundMessage.to(each, "job " + number))
						.toList());
				received.addAll(receiver.receive(each, String.class, 3, LONG));
			}
			assertThat(received).hasSize(6);
			BatchAcknowledgment all = receiver.together(received);
			assertThatThrownBy(() -> all.at(6)).hasMessageContaining("no position 6 in a batch of 6");
			all.of(received.get(1)).nack(Duration.ofHours(1));
			all.settle(BatchResult.create().rejected(received.get(3), "no").retriedAt(0, Duration.ofHours(1)));
			assertThat(received).allMatch(ReceivedMessage::isSettled);
			Awaitility.await().until(() -> this.state.scheduled() == 2 && this.state.held() == 0);
			QueueState ofOther = QueueState.of(redis, other);
			assertThat(ofOther.awaitDead().envelope().get("payload").asString()).isEqualTo("job 0");
			ofOther.awaitDrained();
			receiver.together(List.of()).acknowledge();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsReceivedIsHeldUntilItIsSettledAndNoMoreIsTaken() {
		try (ListenerApplication application = start()) {
			application.queues()
				.sendAll(IntStream.range(0, 10)
					.mapToObj((number) -> OutboundMessage.to(this.queue, new Job("job " + number))
						.header("tenant", "north"))
					.toList());
			List<ReceivedMessage<Job>> received = receiver(application).receive(this.queue, Job.class, 3, LONG);
			assertThat(received).extracting((message) -> message.payload().name())
				.containsExactly("job 0", "job 1", "job 2");
			assertThat(received.get(0).headers()).containsEntry("tenant", "north")
				.containsEntry(QueueHeaders.QUEUE, this.queue);
			assertThat(received.get(0).info().attempt()).isEqualTo(1);
			assertThat(this.state.held()).isEqualTo(3);
			assertThat(this.state.ready()).isEqualTo(7);

			received.get(0).acknowledge();
			received.get(1).reject("not ours");
			received.get(2).nack(Duration.ofHours(1));
			Awaitility.await().untilAsserted(() -> assertThat(this.state.held()).isZero());
			assertThat(this.state.ready()).isEqualTo(7);
			assertThat(this.state.scheduled()).isEqualTo(1);
			assertThat(this.state.dead()).extracting(QueueState.Dead::reason).containsExactly("REJECTED");
			assertThat(this.state.messages()).hasSize(8);
			assertThat(received).allMatch(ReceivedMessage::isSettled);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aWaitingReceiverIsWokenByAMessageOrItsDueTime() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.safety-poll-interval", "1h")
			.start()) {
			CompletableFuture<List<ReceivedMessage<byte[]>>> first = receiver(application).receiveAsync(this.queue, 5,
					LONG);
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> !first.isDone());
			application.queues().send(this.queue, "text");
			assertThat(first.join()).singleElement()
				.satisfies((message) -> assertThat(message.payload()).asString().isEqualTo("text"))
				.satisfies(ReceivedMessage::acknowledge);
			application.queues().send(this.queue, "later", Duration.ofMillis(300));
			assertThat(receiver(application).receive(this.queue, String.class, 1, LONG)).singleElement()
				.satisfies((message) -> assertThat(message.payload()).isEqualTo("later"))
				.satisfies(ReceivedMessage::acknowledge);
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReceiverRegistersItsGroupAndKeepsItWhileItWaits() {
		String group = this.queue + "@pulling";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.topics." + this.queue + ".group-expiry", "1s")
			.start()) {
			CompletableFuture<List<ReceivedMessage<String>>> waiting = receiver(application).receiveAsync(group,
					String.class, 1, LONG);
			Awaitility.await().until(() -> application.bean(QueueAdmin.class).queues().names().contains(group));
			Instant since = QueueState.now(redis);
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(since.plusMillis(1500)));
			assertThat(application.queues().publish(this.queue, "published").groups()).containsOnlyKeys("pulling");
			ReceivedMessage<String> received = waiting.join().get(0);
			assertThat(received.payload()).isEqualTo("published");
			assertThat(received.headers()).containsEntry(QueueHeaders.QUEUE, group);
			received.acknowledge();
			Awaitility.await().until(() -> QueueState.of(redis, group).messages().isEmpty());
			assertThat(receiver(application).receive(group, 1, Duration.ZERO)).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachOfManyReceiversGetsItsOwn() {
		try (ListenerApplication application = start()) {
			List<CompletableFuture<List<ReceivedMessage<Integer>>>> receivers = new ArrayList<>();
			IntStream.range(0, 50)
				.forEach((number) -> receivers
					.add(receiver(application).receiveAsync(this.queue, Integer.class, 2, LONG)));
			IntStream.range(0, 20).forEach((number) -> application.queues().send(this.queue, number));
			IntStream.range(20, 120).forEach((number) -> application.queues().send(this.queue, number));
			List<Integer> received = new ArrayList<>();
			receivers.forEach((receiver) -> receiver.join().forEach((message) -> {
				received.add(message.payload());
				message.acknowledge();
			}));
			assertThat(received).doesNotHaveDuplicates().hasSizeBetween(50, 100);
			Awaitility.await().untilAsserted(() -> assertThat(this.state.held()).isZero());
			assertThat(this.state.messages()).hasSize(120 - received.size());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneLookAtAnEmptyQueueEndsWithNothing() {
		try (ListenerApplication application = start()) {
			assertThat(receiver(application).receive(this.queue, 5, Duration.ZERO)).isEmpty();
			application.queues().send(this.queue, "x");
			assertThat(receiver(application).receive(this.queue, 5, Duration.ZERO)).singleElement()
				.satisfies(ReceivedMessage::acknowledge);
			assertThat(receiver(application).receive(this.queue, 5, Duration.ZERO)).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReceiverThatIsCancelledOrHasWaitedLongEnoughTakesNothing() {
		try (ListenerApplication application = start()) {
			CompletableFuture<?> cancelled = receiver(application).receiveAsync(this.queue, 5, LONG);
			assertThat(receiver(application).receive(this.queue, 5, Duration.ofMillis(50))).isEmpty();
			cancelled.cancel(true);
			application.queues().send(this.queue, "x");
			Awaitility.await()
				.during(Duration.ofMillis(300))
				.untilAsserted(() -> assertThat(this.state.ready()).isEqualTo(1));
			assertThat(this.state.held()).isZero();
			assertThat(receiver(application).receive(this.queue, 5, LONG)).singleElement()
				.satisfies((message) -> assertThat(message.info().attempt()).isEqualTo(1))
				.satisfies(ReceivedMessage::acknowledge);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsGivenBackComesAgainFirstAndUncounted() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "first");
			application.queues().send(this.queue, "second");
			receiver(application).receive(this.queue, String.class, 1, LONG).get(0).giveBack();
			Awaitility.await().untilAsserted(() -> assertThat(this.state.ready()).isEqualTo(2));
			assertThat(receiver(application).receive(this.queue, String.class, 1, LONG)).singleElement()
				.satisfies((message) -> assertThat(message.payload()).isEqualTo("first"))
				.satisfies((message) -> assertThat(message.info().attempt()).isEqualTo(1));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theLeaseIsRenewedAndTheHandlingTimeIsLimited() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.listener.lease-time", "2s")
			.start()) {
			application.queues().send(this.queue, "long");
			ReceivedMessage<byte[]> held = receiver(application).receive(this.queue, 1, LONG).get(0);
			Awaitility.await().during(Duration.ofMillis(4500)).untilAsserted(() -> {
				assertThat(this.state.held()).isEqualTo(1);
				assertThat(held.isSettled()).isFalse();
			});
			held.acknowledge();
			this.state.awaitDrained();
			application.queues()
				.send(OutboundMessage.to(this.queue, "short").maxHandlingTime(Duration.ofMillis(100)).maxAttempts(2));
			ReceivedMessage<byte[]> late = receiver(application).receive(this.queue, 1, LONG).get(0);
			ReceivedMessage<byte[]> again = receiver(application).receive(this.queue, 1, LONG).get(0);
			assertThat(late.isSettled()).isTrue();
			late.acknowledge();
			assertThat(again.info()).returns(1, (info) -> info.failures())
				.returns(late.info().uid(), (info) -> info.uid());
			assertThat(this.state.awaitDead().message()).contains("PT0.1S");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsReceivedEndsAtItsDeadline() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			ReceivedMessage<byte[]> late = receiveInTime(application);
			assertThat(this.state.awaitDead().reason()).isEqualTo("DEADLINE");
			assertThat(late.isSettled()).isTrue();
			late.acknowledge();
			assertThat(this.state.dead()).hasSize(1);
		}
	}

	/**
	 * Receives a message that has a deadline, which is longer on a machine that is held
	 * up.
	 */
	private ReceivedMessage<byte[]> receiveInTime(ListenerApplication application) {
		for (Duration each = Duration.ofMillis(300);; each = each.multipliedBy(4)) {
			application.queues().send(OutboundMessage.to(this.queue, "short").deadline(each));
			List<ReceivedMessage<byte[]>> received = receiver(application).receive(this.queue, 1, each);
			if (!received.isEmpty()) {
				return received.get(0);
			}
			this.state.awaitDead();
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.DEAD);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anEndOfTheApplicationGivesBackWhatIsHeldAndFailsWaitingCallers() {
		CompletableFuture<List<ReceivedMessage<byte[]>>> waiting;
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.shutdown-timeout", "200ms")
			.start()) {
			application.queues().send(this.queue, "x");
			assertThat(receiver(application).receive(this.queue, 1, LONG)).hasSize(1);
			waiting = receiver(application).receiveAsync(this.queue, 1, LONG);
		}
		assertThatThrownBy(waiting::join).isInstanceOf(CompletionException.class)
			.hasRootCauseInstanceOf(QueueException.class)
			.hasMessageContaining("The application ends");
		assertThat(this.state.ready()).isEqualTo(1);
		assertThat(this.state.tries()).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotBeConvertedIsDeadAndTheNextIsReceived() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, List.of("no job"));
			application.queues().send(this.queue, new Job("a job"));
			assertThat(receiver(application).receive(this.queue, Job.class, 1, LONG)).singleElement()
				.satisfies((message) -> assertThat(message.payload().name()).isEqualTo("a job"))
				.satisfies(ReceivedMessage::acknowledge);
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(dead.message()).contains("receiver of the queue '" + this.queue + "'", "Job");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void genericsCount() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, List.of(new Job("a"), new Job("b")));
			List<ReceivedMessage<List<Job>>> received = receiver(application)
				.receiveAsync(this.queue, new ParameterizedTypeReference<List<Job>>() {
				}, 1, LONG)
				.join();
			assertThat(received.get(0).payload()).containsExactly(new Job("a"), new Job("b"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void pausesPrioritiesAndOrderingKeysHoldForReceivers() {
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(OutboundMessage.to(this.queue, "low").priority(1));
			application.queues().send(OutboundMessage.to(this.queue, "high").priority(9).orderingKey("k"));
			application.queues().send(OutboundMessage.to(this.queue, "high 2").priority(9).orderingKey("k"));
			admin.control().pause(this.queue);
			assertThat(receiver(application).receive(this.queue, 3, Duration.ofMillis(100))).isEmpty();
			admin.control().resume(this.queue);
			List<ReceivedMessage<String>> received = receiver(application).receive(this.queue, String.class, 3, LONG);
			assertThat(received).extracting(ReceivedMessage::payload).containsExactly("high", "low");
			received.get(0).acknowledge();
			assertThat(receiver(application).receive(this.queue, String.class, 3, LONG))
				.extracting(ReceivedMessage::payload)
				.containsExactly("high 2");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void partitionsAreLookedAtOnceAllOfThem() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".partitions", 4)
			.with("redelay.queue.shutdown-timeout", "1s")
			.start()) {
			application.queues().send(this.queue, "somewhere");
			assertThat(receiver(application).receive(this.queue, 10, Duration.ZERO)).hasSize(1);
			assertThat(receiver(application).receive(this.queue, 10, Duration.ZERO)).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anUnusedReceiverClosesItsLaneAndBeginsAnew() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.safety-poll-interval", "100ms")
			.start()) {
			assertThat(receiver(application).receive(this.queue, 1, Duration.ZERO)).isEmpty();
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().untilAsserted(() -> assertThat(admin.queues().consumers(this.queue)).isEmpty());
			application.queues().send(this.queue, "x");
			assertThat(receiver(application).receive(this.queue, 1, LONG)).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotWorkIsRefused() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".idempotency-key", "#{payload}")
			.start()) {
			QueueReceiver receiver = receiver(application);
			assertThatThrownBy(() -> receiver.receive("no queue!", 1, LONG))
				.isInstanceOf(IllegalArgumentException.class);
			assertThatThrownBy(() -> receiver.receive(this.queue, 0, LONG)).hasMessageContaining("'max'");
			assertThatThrownBy(() -> receiver.receive(this.queue, 1001, LONG)).hasMessageContaining("'max'");
			assertThatThrownBy(() -> receiver.receive(this.queue, 1, Duration.ofMillis(-1)))
				.hasMessageContaining("'wait'");
			assertThatThrownBy(() -> receiver.receive(this.queue, 1, LONG))
				.isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("QueueReceiver of the queue '" + this.queue + "'")
				.hasMessageContaining("idempotency-key out");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatComesTogetherWithAnInterruptGoesBack() {
		try (ListenerApplication application = start()) {
			application.queues().send(this.queue, "x");
			List<ReceivedMessage<byte[]>> received = receiver(application).receive(this.queue, 1, LONG);
			CompletableFuture<List<ReceivedMessage<byte[]>>> interrupted = new CompletableFuture<>() {

				@Override
				public List<ReceivedMessage<byte[]>> get() throws InterruptedException {
					complete(received);
					throw new InterruptedException();
				}

			};
			assertThatThrownBy(() -> QueueReceiverTemplate.await(this.queue, interrupted))
				.hasMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();
			Awaitility.await().untilAsserted(() -> assertThat(this.state.ready()).isEqualTo(1));
			assertThat(this.state.held()).isZero();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReceiverWhoseTimeIsOverWhileAMessageIsConvertedInVainDoesNotWaitForEver() {
		try (ListenerApplication application = start()) {
			CountDownLatch timeOver = new CountDownLatch(1);
			Unreadable.gates.put(this.queue, timeOver);
			application.queues().send(this.queue, Map.of("queue", this.queue));
			Duration time = Duration.ofMillis(300);
			CompletableFuture<List<ReceivedMessage<Unreadable>>> waiting = receiveUnreadable(application, time);
			while (waiting.isDone()) {
				// A machine that was held up gets more time until the message is claimed.
				time = time.multipliedBy(3);
				waiting = receiveUnreadable(application, time);
			}
			// Others whose time ends later: when theirs is over, that of the first is.
			assertThat(receiver(application).receive(this.queue, 1, time.multipliedBy(2))).isEmpty();
			timeOver.countDown();
			assertThat(waiting).succeedsWithin(LONG).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
			assertThat(this.state.awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
		}
	}

	/**
	 * Waits until the message is claimed, or the time is over.
	 */
	private CompletableFuture<List<ReceivedMessage<Unreadable>>> receiveUnreadable(ListenerApplication application,
			Duration time) {
		CompletableFuture<List<ReceivedMessage<Unreadable>>> waiting = receiver(application).receiveAsync(this.queue,
				Unreadable.class, 1, time);
		Awaitility.await().until(() -> this.state.held() == 1 || waiting.isDone());
		return waiting;
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSettledIsNotKeptUntilItsHandlingTimeIsOver() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".max-handling-time", "1h")
			.start()) {
			application.queues().send(this.queue, "x");
			WeakReference<Object> delivery = receiveAndAcknowledge(application);
			this.state.awaitDrained();
			Awaitility.await().untilAsserted(() -> {
				System.gc();
				assertThat(delivery.get()).isNull();
			});
		}
	}

	private WeakReference<Object> receiveAndAcknowledge(ListenerApplication application) {
		ReceivedMessage<byte[]> message = receiver(application).receive(this.queue, 1, LONG).get(0);
		message.acknowledge();
		return new WeakReference<>(message.headers().get(QueueHeaders.ACKNOWLEDGMENT));
	}

	/**
	 * When it closes it does not wait for what a test has received and not settled.
	 */
	private ListenerApplication start() {
		return ListenerApplication.on(redis).with("redelay.queue.shutdown-timeout", "1s").start();
	}

	private static QueueReceiver receiver(ListenerApplication application) {
		return application.bean(QueueReceiver.class);
	}

	record Job(String name) {

	}

	/**
	 * Cannot be read, and takes until a test says so to find out.
	 */
	record Unreadable(String queue) {

		private static final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

		Unreadable {
			try {
				gates.get(queue).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			throw new IllegalArgumentException("cannot be read");
		}

	}

}
