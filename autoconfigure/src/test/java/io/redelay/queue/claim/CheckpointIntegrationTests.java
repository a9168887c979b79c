package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.CheckpointException;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the checkpoints of handlers.
 */
class CheckpointIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	/**
	 * What each delivery found.
	 */
	private final BlockingQueue<Optional<Position>> found = new LinkedBlockingQueue<>();

	private final AtomicInteger deliveries = new AtomicInteger();

	private final CountDownLatch end = new CountDownLatch(1);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theNextDeliveryFindsWhatWasSavedBeforeAFailure() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			if (this.deliveries.incrementAndGet() < 3) {
				// Not written yet when the handler fails.
				checkpoint.save(new Position(this.deliveries.get(), List.of("a")));
				throw new IllegalStateException("fails");
			}
		}, "redelay.queue.work.write-interval=1m")) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEmpty();
			assertThat(next()).contains(new Position(1, List.of("a")));
			assertThat(next()).contains(new Position(2, List.of("a")));
			await().until(() -> work().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSavedNowIsInRedisWhenTheCallReturns() throws Exception {
		BlockingQueue<String> stored = new LinkedBlockingQueue<>();
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			checkpoint.saveNow(new Position(7, List.of()));
			stored.add(stored(delivery));
			checkpoint.clear();
			checkpoint.saveAsync(new Position(8, List.of())).get(60, TimeUnit.SECONDS);
			stored.add(stored(delivery));
			assertThat(checkpoint.get()).contains(new Position(8, List.of()));
		}, "redelay.queue.work.write-interval=1m")) {
			application.queues().send(this.queue, "x");
			assertThat(stored.poll(60, TimeUnit.SECONDS)).isEqualTo("{\"page\":7,\"names\":[]}");
			assertThat(stored.poll(60, TimeUnit.SECONDS)).isEqualTo("{\"page\":8,\"names\":[]}");
			await().until(() -> work().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSavedIsWrittenWhileTheHandlerRuns() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			checkpoint.save(new Position(1, List.of()));
			checkpoint.save(new Position(2, List.of()));
			await().until(() -> "{\"page\":2,\"names\":[]}".equals(stored(delivery)));
			checkpoint.clear();
			await().until(() -> stored(delivery) == null);
			assertThat(checkpoint.get()).isEmpty();
			this.found.add(Optional.of(new Position(99, List.of())));
		})) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEmpty();
			assertThat(next()).isPresent();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInstanceThatStopsHandsItsCheckpointOn() throws Exception {
		CountDownLatch saved = new CountDownLatch(1);
		Handler stopping = handler((checkpoint, delivery) -> {
			checkpoint.save(new Position(5, List.of()));
			saved.countDown();
			await().until(() -> delivery.cancellation().isCancelled());
			throw delivery.stopped();
		});
		ListenerApplication first = application(stopping, "redelay.queue.work.write-interval=1m");
		first.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
		assertThat(saved.await(60, TimeUnit.SECONDS)).isTrue();
		try (ListenerApplication second = start(
				(checkpoint, delivery) -> assertThat(delivery.info().attempt()).isEqualTo(1))) {
			first.close();
			assertThat(next()).isEmpty();
			assertThat(next()).contains(new Position(5, List.of()));
			await().until(() -> work().isEmpty());
			assertThat(second.bean(QueueAdmin.class).queues().info(this.queue).dead()).isZero();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatStillRunsAtTheEndOfTheShutdownHandsItsCheckpointOn() throws Exception {
		CountDownLatch saved = new CountDownLatch(1);
		BlockingQueue<CheckpointException> refused = new LinkedBlockingQueue<>();
		Handler stubborn = handler((checkpoint, delivery) -> {
			checkpoint.save(new Position(5, List.of()));
			saved.countDown();
			this.end.await();
			refused.add(catchThrowableOfType(CheckpointException.class,
					() -> checkpoint.saveNow(new Position(6, List.of()))));
		});
		ListenerApplication first = application(stubborn, "redelay.queue.work.write-interval=1m",
				"redelay.queue.shutdown-timeout=100ms");
		first.queues().send(this.queue, "x");
		assertThat(saved.await(60, TimeUnit.SECONDS)).isTrue();
		assertThat(next()).isEmpty();
		CountDownLatch over = new CountDownLatch(1);
		try (ListenerApplication second = start((checkpoint, delivery) -> {
			over.await();
			assertThat(stored(delivery)).isEqualTo("{\"page\":5,\"names\":[]}");
		})) {
			first.container().stop(Duration.ofMillis(200));
			assertThat(next()).contains(new Position(5, List.of()));
			this.end.countDown();
			assertThat(refused.poll(60, TimeUnit.SECONDS)).isNotNull()
				.extracting(CheckpointException::getReason)
				.isEqualTo(CheckpointException.Reason.LOST);
			over.countDown();
			await().until(() -> work().isEmpty());
			assertThat(second.bean(QueueAdmin.class).queues().info(this.queue).dead()).isZero();
		}
		finally {
			first.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCheckpointThatIsTooLargeIsRefusedAndTheMessageIsKept() throws Exception {
		BlockingQueue<Throwable> refused = new LinkedBlockingQueue<>();
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			if (this.deliveries.incrementAndGet() == 1) {
				checkpoint.saveNow(new Position(1, List.of()));
				try {
					checkpoint.save(new Position(2, List.of("x".repeat(1000))));
				}
				catch (CheckpointException ex) {
					refused.add(ex);
					throw ex;
				}
			}
		}, "redelay.queue.work.max-checkpoint-size=1000B")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("large"));
			Throwable refusal = refused.poll(60, TimeUnit.SECONDS);
			assertThat(refusal).hasMessageContaining("message 'large' of the queue '" + this.queue + "' has 1023 bytes")
				.hasMessageContaining("at most 1000")
				.hasMessageContaining("redelay.queue.work.max-checkpoint-size")
				.extracting("reason")
				.isEqualTo(CheckpointException.Reason.TOO_LARGE);
			assertThat(next()).isEmpty();
			assertThat(next()).contains(new Position(1, List.of()));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@SuppressWarnings({ "UnusedMethod", "UnusedVariable" }) // the container calls it
	void aStateThatCannotBeConvertedIsRefused() throws Exception {
		BlockingQueue<Throwable> refused = new LinkedBlockingQueue<>();
		Object handler = new Object() {

			@QueueListener("${q}")
			void handle(String payload, Checkpoint<Object[]> checkpoint) {
				Object[] itself = new Object[1];
				itself[0] = itself;
				refused.add(catchThrowableOfType(RuntimeException.class, () -> checkpoint.save(itself)));
				refused.add(catchThrowableOfType(RuntimeException.class, () -> checkpoint.save(null)));
			}
		};
		try (ListenerApplication application = application(handler)) {
			application.queues().send(this.queue, "x");
			assertThat(refused.poll(60, TimeUnit.SECONDS)).isInstanceOf(CheckpointException.class)
				.extracting("reason")
				.isEqualTo(CheckpointException.Reason.NOT_CONVERTIBLE);
			assertThat(refused.poll(60, TimeUnit.SECONDS)).isInstanceOf(IllegalArgumentException.class);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@SuppressWarnings({ "UnusedMethod", "UnusedVariable" }) // the container calls it
	void aCheckpointThatDoesNotFitItsTypeIsKeptWithTheDeadMessage() {
		Object earlier = new Object() {

			@QueueListener("${q}")
			void handle(String payload, Checkpoint<Map<String, String>> checkpoint, MessageDelivery delivery) {
				checkpoint.save(Map.of("page", "three"));
				CheckpointIntegrationTests.this.deliveries.incrementAndGet();
				throw delivery.stopped();
			}
		};
		try (ListenerApplication application = application(earlier)) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("other"));
			await().until(() -> this.deliveries.get() > 0);
		}
		try (ListenerApplication application = start((checkpoint, delivery) -> this.end.countDown())) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.queues().info(this.queue).dead() == 1);
			assertThat(admin.messages().find(this.queue, "other")).hasValueSatisfying((message) -> {
				assertThat(message.state()).isEqualTo(MessageState.DEAD);
				assertThat(message.death().reason()).isEqualTo(DeathReason.CONVERSION_FAILED);
				assertThat(message.death().message()).contains("The checkpoint of the message 'other'")
					.contains("does not fit the type " + Position.class.getTypeName())
					.doesNotContain("three");
				assertThat(message.work().checkpoint()).asString().isEqualTo("{\"page\":\"three\"}");
			});
			assertThat(this.end.getCount()).isEqualTo(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRedrivenMessageGoesOnWhereItWas() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			if (this.deliveries.incrementAndGet() == 1) {
				checkpoint.save(new Position(3, List.of()));
				throw new RejectMessageException("no");
			}
		})) {
			application.queues().send(this.queue, "x");
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.queues().info(this.queue).dead() == 1);
			assertThat(work()).isEmpty();
			admin.deadLetters().redrive(this.queue, DeadLetterFilter.all());
			assertThat(next()).isEmpty();
			assertThat(next()).contains(new Position(3, List.of()));
			await().until(() -> work().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void progressGivesAttemptsBackWhereTheListenerSaysSo() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			int delivered = this.deliveries.incrementAndGet();
			if (delivered > 2) {
				// First at the last attempt. The last two save what is there already.
				checkpoint.save(new Position(Math.min(delivered, 5), List.of()));
			}
			throw new IllegalStateException("fails");
		}, "redelay.queue.listener.reset-attempts-on-progress=true", "redelay.queue.listener.max-attempts=3")) {
			application.queues().send(this.queue, "x");
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).dead() == 1);
			assertThat(this.deliveries).hasValue(7);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void progressThatAFullRedisDoesNotKeepGivesNoAttemptsBack() {
		RedisServer server = RedisServer.start();
		RedissonClient client = TestRedis.connect(server.uri());
		Work failing = (checkpoint, delivery) -> {
			if (this.deliveries.incrementAndGet() == 1) {
				server.command("CONFIG", "SET", "maxmemory", "1");
			}
			checkpoint.save(new Position(this.deliveries.get(), List.of()));
			throw new IllegalStateException("fails");
		};
		try (ListenerApplication application = ListenerApplication.on(client)
			.bean("handler", handler(failing))
			.with("q", this.queue)
			.with("redelay.queue.listener.reset-attempts-on-progress", true)
			.with("redelay.queue.listener.max-attempts", 3)
			.start()) {
			application.queues().send(this.queue, "x");
			await().until(() -> this.deliveries.get() > 3
					|| application.bean(QueueAdmin.class).queues().info(this.queue).dead() == 1);
			assertThat(this.deliveries).hasValue(3);
		}
		finally {
			client.shutdown();
			server.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void progressGivesNoAttemptsBackOtherwise() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			checkpoint.save(new Position(this.deliveries.incrementAndGet(), List.of()));
			throw new IllegalStateException("fails");
		}, "redelay.queue.listener.max-attempts=3")) {
			application.queues().send(this.queue, "x");
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).dead() == 1);
			assertThat(this.deliveries).hasValue(3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@SuppressWarnings({ "UnusedMethod", "UnusedVariable" }) // the container calls it
	void aHandlerCanAskForTheCheckpointOfItsDelivery() throws Exception {
		Object handler = new Object() {

			@QueueListener("${q}")
			void handle(String payload, MessageDelivery delivery, DeliveryInfo info) {
				Checkpoint<Integer> checkpoint = delivery.checkpoint(Integer.class);
				CheckpointIntegrationTests.this.found
					.add(checkpoint.get().map((page) -> new Position(page, List.of())));
				if (info.attempt() == 1) {
					checkpoint.save(41);
					assertThat(delivery.checkpoint(Integer.class).get()).contains(41);
					throw new IllegalStateException("fails");
				}
			}
		};
		try (ListenerApplication application = application(handler)) {
			application.queues().send(this.queue, "x");
			assertThat(next()).isEmpty();
			assertThat(next()).contains(new Position(41, List.of()));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCheckpointThatRedisForgotIsWrittenAgain() throws Exception {
		try (ListenerApplication application = start((checkpoint, delivery) -> {
			checkpoint.saveNow(new Position(4, List.of()));
			// Redis goes back to before the message was sent.
			redis.client()
				.getKeys()
				.delete(List.of("messages", "held", "lanes", "work", "meta")
					.stream()
					.map((name) -> "redelay:{" + this.queue + "}:" + name)
					.toArray(String[]::new));
			await().until(() -> "{\"page\":4,\"names\":[]}".equals(stored(delivery)));
			this.end.countDown();
		}, "redelay.queue.listener.lease-time=3s")) {
			application.queues().send(this.queue, "x");
			assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nothingIsSavedOfAMessageThatIsSettled() throws Exception {
		BlockingQueue<Checkpoint<Position>> kept = new LinkedBlockingQueue<>();
		try (ListenerApplication application = start((checkpoint, delivery) -> kept.add(checkpoint))) {
			application.queues().send(this.queue, "x");
			Checkpoint<Position> checkpoint = kept.poll(60, TimeUnit.SECONDS);
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).inFlight() == 0);
			assertThat(
					catchThrowableOfType(CheckpointException.class, () -> checkpoint.save(new Position(1, List.of())))
						.getReason())
				.isEqualTo(CheckpointException.Reason.LOST);
			assertThat(work()).isEmpty();
			assertThatIllegalArgumentException().isThrownBy(() -> checkpoint.save(null));
		}
	}

	private Optional<Position> next() throws InterruptedException {
		return this.found.poll(60, TimeUnit.SECONDS);
	}

	private String stored(MessageDelivery delivery) {
		return work().get(delivery.info().uid() + "/checkpoint");
	}

	private RMap<String, String> work() {
		return redis.client().getMap("redelay:{" + this.queue + "}:work", StringCodec.INSTANCE);
	}

	private Handler handler(Work work) {
		return new Handler(this, work);
	}

	private ListenerApplication start(Work work, String... properties) {
		return application(handler(work), properties);
	}

	private ListenerApplication application(Object handler, String... properties) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.bean("handler", handler)
			.with("q", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "10ms")
			.with("redelay.queue.listener.backoff.max-interval", "10ms")
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

		void on(Checkpoint<Position> checkpoint, MessageDelivery delivery) throws Exception;

	}

	/**
	 * Notes what it finds, and does what a test wants.
	 */
	record Handler(CheckpointIntegrationTests test, Work work) {

		@QueueListener("${q}")
		void handle(String payload, Checkpoint<Position> checkpoint, MessageDelivery delivery) throws Exception {
			this.test.found.add(checkpoint.get());
			this.work.on(checkpoint, delivery);
		}

	}

	/**
	 * How far a handler has come.
	 */
	record Position(int page, List<String> names) {

	}

}
