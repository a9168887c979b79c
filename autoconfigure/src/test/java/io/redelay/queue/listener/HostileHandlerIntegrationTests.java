package io.redelay.queue.listener;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a container outlives whatever handlers, payloads and foreign messages do to
 * it: with its one permit it must still handle what comes next.
 */
class HostileHandlerIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Hostile handler = new Hostile();

	private final ListenerApplication application = ListenerApplication.on(redis)
		.bean(this.handler)
		.with("queue", this.queue)
		.with("redelay.queue.listener.max-attempts", 2)
		.with("redelay.queue.listener.concurrency", 1)
		.with("redelay.queue.listener.prefetch", 0)
		.start();

	@AfterEach
	void handlesWhatComesNextAndStops() {
		this.application.queues().send(this.queue, Map.of("what", "good"));
		Awaitility.await().until(() -> this.handler.handled.contains("good"));
		this.state.awaitDrained();
		assertThat(this.state.held()).isZero();
		this.application.close();
	}

	@Test
	void anError() {
		assertThat(dies("error").message()).contains("an error");
	}

	@Test
	void aStackOverflow() {
		assertThat(dies("overflow").cause().get("exception").asString()).isEqualTo(StackOverflowError.class.getName());
	}

	@Test
	void anOutOfMemoryError() {
		assertThat(dies("memory").message()).contains("none left");
	}

	@Test
	void aHandlerThatInterruptsItsOwnThread() {
		this.application.queues().send(this.queue, Map.of("what", "interrupt"));
		this.state.awaitDrained();
		this.application.queues().send(this.queue, Map.of("what", "interrupt and throw"));
		this.state.awaitDead();
		assertThat(this.handler.interruptedAtEntry).isFalse();
	}

	@Test
	void anExceptionThatCannotBePrinted() {
		assertThat(dies("unprintable").reason()).isEqualTo("FAILED");
		assertThat(this.handler.handled).containsExactly("unprintable", "unprintable");
	}

	@Test
	void anExceptionThatIsItsOwnCause() {
		assertThat(dies("circle").reason()).isEqualTo("FAILED");
	}

	@Test
	void anExceptionWithAVeryLongMessage() {
		assertThat(dies("long").cause().toString().length()).isLessThan(20_000);
	}

	@Test
	void aStageThatRefusesToBeAwaited() {
		assertThat(dies("stage").message()).contains("refused");
	}

	@Test
	void aThrowableThatIsNeitherExceptionNorError() {
		assertThat(dies("throwable").reason()).isEqualTo("FAILED");
	}

	@Test
	void aConstructorThatThrows() {
		this.application.queues().send(this.queue, Map.of("what", "constructor"));
		QueueState.Dead dead = this.state.awaitDead();
		assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
		assertThat(dead.message()).contains("no such construction");
		assertThat(dead.envelope().get("payload").toString()).isEqualTo("{\"what\":\"constructor\"}");
		assertThat(this.handler.handled).isEmpty();
	}

	@Test
	void aConstructorThatThrowsAnError() {
		dies("constructor error");
		assertThat(this.handler.handled).isEmpty();
	}

	@Test
	void aPayloadThatDoesNotFit() {
		String text = "not \"json\" 书";
		this.application.queues().send(OutboundMessage.to(this.queue, text).id("seven").header("tenant", "a"));
		QueueState.Dead dead = this.state.awaitDead();
		assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
		assertThat(dead.message()).contains("text/plain");
		assertThat(dead.cause().get("listener").asString()).isEqualTo("Hostile.handle");
		assertThat(dead.raw()).endsWith(
				"\"id\":\"seven\",\"headers\":{\"tenant\":\"a\"},\"type\":\"text/plain\",\"payload\":\"not \\\"json\\\" 书\"}");
		assertThat(this.handler.handled).isEmpty();
	}

	@Test
	void envelopesThatAreNone() {
		List<String> envelopes = List.of("not json", "[]", "{}", "{\"payload\":", "{\"v\":99,\"payload\":1}",
				"{\"v\":\"x\",\"payload\":1}", "{\"base64\":\"***\"}", "{\"headers\":7,\"payload\":{\"what\":\"a\"}}",
				"{\"sentAt\":1,\"timeToLive\":9223372036854775807,\"payload\":{\"what\":\"a\"}}",
				"{\"sentAt\":9223372036854775807,\"timeToLive\":9223372036854775807,\"payload\":{\"what\":\"b\"}}",
				"{\"maxAttempts\":{},\"payload\":1}", "{\"type\":\"no type\",\"payload\":\"x\"}",
				"{\"headers\":{\"id\":\"x\",\"redelay_queue\":\"y\",\"\":1},\"payload\":{\"what\":\"good headers\"}}");
		for (int i = 0; i < envelopes.size(); i++) {
			this.state.put("foreign" + i, envelopes.get(i));
		}
		this.application.queues().send(this.queue, Map.of("what", "wakes"));
		this.state.awaitDrained();
		assertThat(this.state.dead()).allMatch((dead) -> dead.reason().equals("CONVERSION_FAILED"))
			.extracting(QueueState.Dead::raw)
			.contains("not json", "[]", "{}", "{\"v\":99,\"payload\":1}", "{\"base64\":\"***\"}");
	}

	private QueueState.Dead dies(String what) {
		this.application.queues().send(this.queue, Map.of("what", what));
		return this.state.awaitDead();
	}

	static class Payload {

		private String what = "";

		public void setWhat(String what) {
			if (what.equals("constructor")) {
				throw new IllegalStateException("no such construction");
			}
			if (what.equals("constructor error")) {
				throw new ExceptionInInitializerError("no such class");
			}
			this.what = what;
		}

	}

	static class Hostile {

		final List<String> handled = new CopyOnWriteArrayList<>();

		volatile boolean interruptedAtEntry;

		@QueueListener("${queue}")
		Object handle(Payload payload) throws Throwable {
			this.interruptedAtEntry |= Thread.currentThread().isInterrupted();
			this.handled.add(payload.what);
			switch (payload.what) {
				case "error" -> throw new AssertionError("an error");
				case "overflow" -> handle(payload);
				case "memory" -> throw new OutOfMemoryError("none left");
				case "interrupt" -> Thread.currentThread().interrupt();
				case "interrupt and throw" -> {
					Thread.currentThread().interrupt();
					throw new IllegalStateException();
				}
				case "unprintable" -> throw new Unprintable();
				case "circle" -> throw circle();
				case "long" -> throw new IllegalStateException("x".repeat(1_000_000));
				case "throwable" -> throw new Throwable("just that");
				case "stage" -> {
					return new RefusingStage();
				}
				default -> {
				}
			}
			return "ignored";
		}

		private static Exception circle() {
			IllegalStateException one = new IllegalStateException("one");
			IllegalStateException other = new IllegalStateException("other", one);
			one.initCause(other);
			return one;
		}

	}

	@SuppressWarnings("serial")
	static class Unprintable extends RuntimeException {

		@Override
		public String getMessage() {
			throw new IllegalStateException("cannot be printed");
		}

	}

	static class RefusingStage extends CompletableFuture<Object> {

		@Override
		public <U> CompletableFuture<U> handle(BiFunction<? super Object, Throwable, ? extends U> action) {
			throw new UnsupportedOperationException("refused");
		}

	}

}
