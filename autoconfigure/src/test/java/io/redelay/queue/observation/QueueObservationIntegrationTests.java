package io.redelay.queue.observation;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.messaging.handler.annotation.Headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what sending and handling report to Micrometer.
 */
@ExtendWith(OutputCaptureExtension.class)
class QueueObservationIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Listener handler = new Listener();

	@Test
	void observesASendAndItsHandling() throws Exception {
		TestObservationRegistry registry = TestObservationRegistry.create();
		try (ListenerApplication application = start(registry)) {
			application.queues().send(OutboundMessage.to(this.queue, "x").id("seven"));
			this.handler.next();
			QueueState.of(redis, this.queue).awaitDrained();
			Awaitility.await()
				.untilAsserted(() -> TestObservationRegistryAssert.assertThat(registry)
					.hasObservationWithNameEqualTo("messaging.process.duration")
					.that()
					.hasBeenStarted()
					.hasBeenStopped()
					.hasContextualNameEqualTo("process " + this.queue)
					.hasLowCardinalityKeyValue("messaging.system", "redelay")
					.hasLowCardinalityKeyValue("messaging.operation.type", "process")
					.hasLowCardinalityKeyValue("messaging.destination.name", this.queue)
					.hasHighCardinalityKeyValue("messaging.message.id", "seven")
					.doesNotHaveError());
			TestObservationRegistryAssert.assertThat(registry)
				.hasObservationWithNameEqualTo("messaging.client.operation.duration")
				.that()
				.hasBeenStarted()
				.hasBeenStopped()
				.hasContextualNameEqualTo("send " + this.queue)
				.hasLowCardinalityKeyValue("messaging.system", "redelay")
				.hasLowCardinalityKeyValue("messaging.operation.type", "send")
				.hasLowCardinalityKeyValue("messaging.destination.name", this.queue)
				.hasHighCardinalityKeyValue("messaging.message.id", "seven")
				.doesNotHaveError();
			assertThat(this.handler.current).isNotNull();
			assertThat(this.handler.current.getContextView()).isInstanceOf(QueueProcessContext.class);
			assertThat(((QueueProcessContext) this.handler.current.getContextView()).getListenerId())
				.isEqualTo("Listener.handle");
		}
	}

	@Test
	void observesFailures() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		try (ListenerApplication application = start(registry)) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send(this.queue, "x".repeat(2_000_000)));
			TestObservationRegistryAssert.assertThat(registry)
				.hasObservationWithNameEqualTo("messaging.client.operation.duration")
				.that()
				.hasBeenStopped()
				.hasError();
			application.queues().send(this.queue, "fail");
			QueueState.of(redis, this.queue).awaitDead();
			Awaitility.await()
				.untilAsserted(() -> TestObservationRegistryAssert.assertThat(registry)
					.hasNumberOfObservationsWithNameEqualTo("messaging.process.duration", 2)
					.forAllObservationsWithNameEqualTo("messaging.process.duration", (each) -> each.hasError()));
		}
	}

	@Test
	void observesUntilAResultIsComplete() throws Exception {
		TestObservationRegistry registry = TestObservationRegistry.create();
		try (ListenerApplication application = start(registry)) {
			application.queues().send(this.queue, "async");
			this.handler.next();
			TestObservationRegistryAssert.assertThat(registry)
				.hasObservationWithNameEqualTo("messaging.process.duration")
				.that()
				.isNotStopped();
			this.handler.result.complete(null);
			QueueState.of(redis, this.queue).awaitDrained();
			TestObservationRegistryAssert.assertThat(registry)
				.hasObservationWithNameEqualTo("messaging.process.duration")
				.that()
				.hasBeenStopped();
		}
	}

	@Test
	void traceHeadersTravelWithTheMessage() throws Exception {
		ObservationRegistry registry = ObservationRegistry.create();
		Propagation propagation = new Propagation();
		registry.observationConfig().observationHandler(propagation);
		try (ListenerApplication application = start(registry)) {
			application.queues().send(OutboundMessage.to(this.queue, "x").header("tenant", "a"));
			assertThat(this.handler.next()).containsEntry("traceparent", "00-trace-span-01")
				.containsEntry("tenant", "a");
			assertThat(propagation.received).containsExactly("00-trace-span-01");
		}
	}

	@Test
	void aBrokenObservationHandlerBreaksNothing(CapturedOutput output) throws Exception {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new Broken());
		try (ListenerApplication application = start(registry)) {
			application.queues().send(this.queue, "x");
			this.handler.next();
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(QueueState.of(redis, this.queue).dead()).isEmpty();
			assertThat(output).contains("broken handler");
		}
	}

	@Test
	void makesNothingWithoutARegistry() throws Exception {
		try (ListenerApplication application = start(null)) {
			application.queues().send(this.queue, "x");
			assertThat(this.handler.next()).doesNotContainKey("traceparent");
			assertThat(this.handler.current).isNull();
			assertThat(application.context().getBeanProvider(ObservationRegistry.class).getIfAvailable()).isNull();
		}
	}

	private ListenerApplication start(@Nullable ObservationRegistry registry) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", 2);
		this.handler.registry = registry;
		return ((registry != null) ? builder.bean("observationRegistry", registry) : builder).start();
	}

	static class Listener {

		private final BlockingQueue<Map<String, Object>> seen = new LinkedBlockingQueue<>();

		final CompletableFuture<Void> result = new CompletableFuture<>();

		@Nullable ObservationRegistry registry;

		volatile @Nullable Observation current;

		@QueueListener("${queue}")
		@Nullable Object handle(String text, @Headers Map<String, Object> headers) {
			this.current = (this.registry != null) ? this.registry.getCurrentObservation() : null;
			this.seen.add(headers);
			if (text.equals("fail")) {
				throw new IllegalStateException("fails");
			}
			return text.equals("async") ? this.result : null;
		}

		Map<String, Object> next() throws InterruptedException {
			Map<String, Object> next = this.seen.poll(2, TimeUnit.MINUTES);
			assertThat(next).isNotNull();
			return next;
		}

	}

	/**
	 * Does what a tracer does.
	 */
	static class Propagation implements ObservationHandler<Observation.Context> {

		final List<String> received = new CopyOnWriteArrayList<>();

		@Override
		public void onStart(Observation.Context context) {
			if (context instanceof QueueSendContext sender) {
				set(sender);
			}
			else if (context instanceof QueueProcessContext receiver) {
				this.received.add(get(receiver));
			}
		}

		private static <C> void set(SenderContext<C> context) {
			context.getSetter().set(context.getCarrier(), "traceparent", "00-trace-span-01");
		}

		private static <C> String get(ReceiverContext<C> context) {
			return context.getGetter().get(context.getCarrier(), "traceparent");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	static class Broken implements ObservationHandler<Observation.Context> {

		@Override
		public void onScopeOpened(Observation.Context context) {
			throw new IllegalStateException("broken handler");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			throw new IllegalStateException("broken handler");
		}

		@Override
		public void onStop(Observation.Context context) {
			throw new IllegalStateException("broken handler");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
