package io.redelay.queue.config;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.ListenerInfo;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for listeners that are registered, stopped, removed and changed while the
 * application runs.
 */
class QueueListenersIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final List<String> handled = new CopyOnWriteArrayList<>();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFunctionIsRegisteredStoppedStartedAndRemoved() {
		try (ListenerApplication application = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			assertThat(listeners
				.register(ListenerDefinition.of("import", this.queue)
					.concurrency("2")
					.handler(Line.class, (line) -> this.handled.add(line.text())))
				.state()).isEqualTo(ListenerInfo.State.RUNNING);
			application.queues().send(this.queue, new Line("first"));
			this.state.awaitDrained();
			assertThat(this.handled).containsExactly("first");

			listeners.stop("import").join();
			assertThat(listeners.find("import").orElseThrow().state()).isEqualTo(ListenerInfo.State.STOPPED);
			application.queues().send(this.queue, new Line("second"));
			assertThat(this.state.ready()).isEqualTo(1);
			listeners.start("import");
			this.state.awaitDrained();

			listeners.remove("import").join();
			assertThat(listeners.list()).isEmpty();
			application.queues().send(this.queue, new Line("third"));
			listeners.register(ListenerDefinition.of("import", this.queue).messageHandler(Line.class, (message) -> {
				this.handled.add(
						"again " + message.getPayload().text() + " " + message.getHeaders().get(QueueHeaders.LISTENER));
				return CompletableFuture.completedFuture(null);
			}));
			this.state.awaitDrained();
			assertThat(this.handled).containsExactly("first", "second", "again third import");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupThatIsRegisteredAtRunTimeGetsWhatIsPublishedRightAfter() {
		try (ListenerApplication application = start(); ListenerApplication publisher = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			for (int i = 0; i < 80; i++) {
				String topic = this.queue + "-" + i;
				assertThat(listeners.register(group("late-" + i, topic, "late")).state())
					.isEqualTo(ListenerInfo.State.RUNNING);
				assertThat(publisher.queues().publish(topic, "hello").groups()).containsOnlyKeys("late");
			}
			Awaitility.await().until(() -> this.handled.size() == 80);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theGroupOfAnInstanceThatIsStartedAgainGetsWhatIsPublishedRightAfter() {
		try (ListenerApplication application = start(); ListenerApplication publisher = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(group("own", this.queue, ""));
			for (int i = 0; i < 20; i++) {
				listeners.stop("own").join();
				assertThat(publisher.queues().publish(this.queue, "to no one").groups()).isEmpty();
				listeners.start("own");
				assertThat(publisher.queues().publish(this.queue, "hello").groups()).hasSize(1);
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatATopicKeepsIsReplayedToAGroupThatWasJustRegistered() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.topics." + this.queue + ".retention.max-age", "1h")
			.start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(group("first", this.queue, "first"));
			application.queues().publish(this.queue, "kept");
			listeners.register(group("late", this.queue, "late"));
			assertThat(application.bean(QueueAdmin.class).topics().replay(this.queue, "late", Instant.EPOCH)).isOne();
			Awaitility.await().untilAsserted(() -> assertThat(this.handled).containsExactly("kept", "kept"));
		}
	}

	private ListenerDefinition group(String id, String topic, String group) {
		return ListenerDefinition.of(id)
			.attribute("topic", topic)
			.attribute("group", group)
			.handler(String.class, this.handled::add);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRegisteredListenerHasTheRetriesOfAnAnnotatedOne() {
		try (ListenerApplication application = start()) {
			application.bean(QueueListeners.class)
				.register(ListenerDefinition.of("import", this.queue).maxAttempts(2).handler(Line.class, (line) -> {
					this.handled.add(line.text());
					throw new IllegalStateException("no");
				}));
			application.queues().send(this.queue, new Line("x"));
			assertThat(this.state.awaitDead().message()).contains("Failed 2 times");
			assertThat(this.handled).hasSize(2);
			application.queues().send(this.queue, List.of(1));
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.state.dead()).extracting(QueueState.Dead::reason)
					.contains("CONVERSION_FAILED"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void batchesAndMethodsAndHandlersOfABeanAreRegistered() {
		String batches = this.queue + ".batches";
		String types = this.queue + ".types";
		Target target = new Target();
		try (ListenerApplication application = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(ListenerDefinition.of("method", this.queue).method(target, "one"));
			listeners.register(ListenerDefinition.of("types", types).handlers(target));
			listeners.register(ListenerDefinition.of("batches", batches)
				.attribute("batchSize", "2")
				.attribute("batchTimeout", "10s")
				.batchHandler(Line.class, (lines) -> {
					this.handled.add("batch of " + lines.size());
					return null;
				}));
			application.queues().send(OutboundMessage.to(this.queue, new Line("a")).header("tenant", "north"));
			application.queues().send(types, new Line("b"));
			application.queues()
				.sendAll(List.of(OutboundMessage.to(batches, new Line("c")),
						OutboundMessage.to(batches, new Line("d"))));
			this.state.awaitDrained();
			QueueState.of(redis, types).awaitDrained();
			QueueState.of(redis, batches).awaitDrained();
			assertThat(target.handled).containsExactlyInAnyOrder("a north", "typed b");
			assertThat(this.handled).containsExactly("batch of 2");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theConcurrencyGrowsAndShrinksWhileHandlersRun() {
		Blocking blocking = new Blocking();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(blocking)
			.with("queue", this.queue)
			.start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			IntStream.range(0, 40).forEach((number) -> application.queues().send(this.queue, number));
			Awaitility.await().untilAsserted(() -> assertThat(blocking.running).hasValue(1));
			listeners.setConcurrency("blocking", 6);
			Awaitility.await().untilAsserted(() -> assertThat(blocking.running).hasValue(6));
			assertThat(blocking.most).hasValue(6);

			listeners.setConcurrency("blocking", 2);
			blocking.most.set(0);
			blocking.release(6);
			Awaitility.await().untilAsserted(() -> assertThat(blocking.ended).hasValue(6));
			Awaitility.await().untilAsserted(() -> assertThat(blocking.running).hasValue(2));
			assertThat(blocking.most.get()).isLessThanOrEqualTo(2);
			ListenerInfo info = listeners.find("blocking").orElseThrow();
			assertThat(info.maxConcurrency()).isEqualTo(2);
			assertThat(info.queues()).containsExactly(this.queue);
			blocking.release(40);
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasSetOutlivesAStopAndAStart() {
		try (ListenerApplication application = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			listeners.register(ListenerDefinition.of("import", this.queue).handler(Line.class, (line) -> {
			}));
			listeners.setConcurrency("import", 2, 5);
			listeners.stop("import").join();
			listeners.start("import");
			assertThat(listeners.find("import").orElseThrow()).returns(2, ListenerInfo::minConcurrency)
				.returns(5, ListenerInfo::maxConcurrency);
			listeners.pause("import");
			assertThat(listeners.find("import").orElseThrow().state()).isEqualTo(ListenerInfo.State.PAUSED);
			listeners.resume("import");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotWorkIsRefusedAndLeavesNothingBehind() {
		try (ListenerApplication application = start()) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			ListenerDefinition definition = ListenerDefinition.of("import", this.queue);
			assertThatThrownBy(() -> listeners.register(definition)).hasMessageContaining("listener 'import'")
				.hasMessageContaining("messageHandler");
			assertThatThrownBy(() -> definition.attribute("concurency", "2")).hasMessageContaining("'concurency'");
			assertThatThrownBy(() -> listeners.register(definition.concurrency("no").handler(Line.class, (line) -> {
			}))).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining(
						"The attribute 'concurrency' of the listener 'import' that is registered at run time")
				.hasMessageContaining("Write a number from 1");
			assertThatThrownBy(
					() -> listeners.register(definition.ackMode(AckMode.MANUAL).handler(Line.class, (line) -> {
					})))
				.hasMessageContaining("'ackMode'");
			assertThatThrownBy(() -> listeners.register(definition.method(new Target(), "nothing")))
				.hasMessageContaining("no method named 'nothing'");
			assertThatThrownBy(() -> listeners.register(definition.handlers(new Object())))
				.hasMessageContaining("no method of java.lang.Object has a @QueueHandler");
			assertThat(listeners.list()).isEmpty();
			listeners.register(definition.handler(Line.class, (line) -> {
			}));
			assertThatThrownBy(() -> listeners.register(definition.handler(Line.class, (line) -> {
			}))).hasMessageContaining("the id 'import' is taken");
			assertThatThrownBy(() -> listeners.setConcurrency("import", 0)).hasMessageContaining("'concurrency'");
			assertThatThrownBy(() -> listeners.stop("imports")).isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("no listener 'imports'")
				.hasMessageContaining("[import]");
		}
	}

	private ListenerApplication start() {
		return ListenerApplication.on(redis).start();
	}

	@PayloadType("line")
	record Line(String text) {

	}

	static class Target {

		final List<String> handled = new CopyOnWriteArrayList<>();

		void one(Line line, @Header("tenant") String tenant) {
			this.handled.add(line.text() + " " + tenant);
		}

		@QueueHandler
		void typed(Line line) {
			this.handled.add("typed " + line.text());
		}

	}

	static class Blocking {

		final AtomicInteger running = new AtomicInteger();

		final AtomicInteger most = new AtomicInteger();

		final AtomicInteger ended = new AtomicInteger();

		private final Semaphore released = new Semaphore(0);

		@QueueListener(id = "blocking", queues = "${queue}", concurrency = "1", prefetch = "0")
		void handle(int number) throws InterruptedException {
			int now = this.running.incrementAndGet();
			this.most.accumulateAndGet(now, Math::max);
			try {
				this.released.acquire();
			}
			finally {
				this.running.decrementAndGet();
				this.ended.incrementAndGet();
			}
		}

		void release(int handlers) {
			this.released.release(handlers);
		}

	}

}
