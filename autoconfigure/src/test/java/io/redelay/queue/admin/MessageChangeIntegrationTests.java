package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for messages that are buried, changed or deleted while they wait.
 */
class MessageChangeIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Handler handler = new Handler();

	private final Events events = new Events();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.bean(this.handler)
			.bean(this.events)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.with("redelay.queue.listener.max-attempts", "2")
			.with("redelay.queue.listener.concurrency", "1")
			.with("redelay.queue.listener.backoff.initial-interval", "1ms")
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void close() {
		this.handler.gate.countDown();
		this.application.close();
	}

	@Test
	void aBuriedMessageIsDeadUnhandledAndLivesAgain() {
		send(message("ready"));
		send(message("later").delay(Duration.ofHours(1)));
		assertThat(this.admin.messages().bury(this.queue, "ready", "it would charge twice"))
			.isEqualTo(new CommandOutcome(MessageState.READY, true, null, null));
		assertThat(this.admin.messages().bury(this.queue, "later", "as well").done()).isTrue();
		assertThat(this.admin.messages().bury(this.queue, "later", "again")).isEqualTo(
				new CommandOutcome(MessageState.DEAD, false, null, "it is dead: redrive it to let it live again"));
		assertThat(this.admin.messages().bury(this.queue, "nobody", "again").state()).isEqualTo(MessageState.UNKNOWN);
		assertThat(this.admin.messages().find(this.queue, "ready")).get().satisfies((message) -> {
			assertThat(message.death().reason()).isEqualTo(DeathReason.BURIED);
			assertThat(message.death().message()).isEqualTo("it would charge twice");
			assertThat(message.payloadAsText()).isEqualTo("{\"text\":\"ready\"}");
		});
		assertThat(this.admin.deadLetters().counts(this.queue)).extracting(DeadLetterCount::message)
			.containsExactlyInAnyOrder("it would charge twice", "as well");
		assertThat(this.events.await(MessageEvent.Type.DEAD)).satisfies((event) -> {
			assertThat(event.id()).isEqualTo("ready");
			assertThat(event.reason()).isEqualTo(DeathReason.BURIED);
			assertThat(event.cause()).isEqualTo("it would charge twice");
		});
		this.admin.deadLetters().redrive(this.queue, "ready");
		this.handler.gate.countDown();
		listen();
		assertThat(this.handler.await()).isEqualTo("ready");
		assertThat(this.handler.handled).doesNotContain("later");
	}

	@Test
	void aDeletedMessageIsGoneWhereverItWaited() {
		send(message("ready"));
		send(message("later").delay(Duration.ofHours(1)));
		send(message("dead"));
		this.admin.messages().bury(this.queue, "dead", "for the test");
		for (String id : List.of("ready", "later", "dead")) {
			assertThat(this.admin.messages().delete(this.queue, id).done()).as(id).isTrue();
			assertThat(this.admin.messages().find(this.queue, id)).as(id).isEmpty();
			assertThat(this.admin.messages().delete(this.queue, id).state()).as(id).isEqualTo(MessageState.UNKNOWN);
		}
		assertThat(this.events.await(MessageEvent.Type.REMOVED).cause()).isEqualTo("Deleted");
		this.admin.control().delete(this.queue);
	}

	@Test
	void whatAHandlerHasInHandIsNeitherBuriedNorChangedNorDeleted() {
		send(message("held"));
		listen();
		this.handler.await();
		String reason = "a handler has it in hand";
		CommandOutcome refused = new CommandOutcome(MessageState.IN_FLIGHT, false, null, reason);
		assertThat(this.admin.messages().bury(this.queue, "held", "no")).isEqualTo(refused);
		assertThat(this.admin.messages().delete(this.queue, "held")).isEqualTo(refused);
		assertThat(this.admin.messages().change(this.queue, "held", MessageChange.none().attempts(3)))
			.isEqualTo(refused);
		this.handler.gate.countDown();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("held");
	}

	@Test
	void aHandlerGetsTheNewPayload() {
		send(message("ready").header("tenant", "a").tag("order:7"));
		SendResult later = send(message("later").delay(Duration.ofHours(1)));
		assertThat(this.admin.messages()
			.change(this.queue, "ready", MessageChange.none().payload("{\"text\":\"new ü\\n\"}")))
			.isEqualTo(new CommandOutcome(MessageState.READY, true, null, null));
		assertThat(this.admin.messages()
			.change(this.queue, "later", MessageChange.none().payload("{\"text\":\"changed\"}")))
			.isEqualTo(new CommandOutcome(MessageState.SCHEDULED, true, later.due(), null));
		assertThat(this.admin.messages().find(this.queue, "ready")).get().satisfies((message) -> {
			assertThat(message.payloadAsText()).isEqualTo("{\"text\":\"new ü\\n\"}");
			assertThat(message.headers()).containsEntry("tenant", "a");
			assertThat(message.tags()).containsExactly("order:7");
			assertThat(message.contentType()).isEqualTo("application/json");
		});
		assertThat(this.events.await(MessageEvent.Type.CHANGED).id()).isEqualTo("ready");
		this.handler.gate.countDown();
		listen();
		assertThat(this.handler.await()).isEqualTo("new ü\n");
		this.admin.messages().runNow(this.queue, "later");
		assertThat(this.handler.await()).isEqualTo("changed");
	}

	@Test
	void aTextStaysAText() {
		SendResult text = this.application.queues().send(this.queue, "plain \"text\"");
		this.admin.messages().change(this.queue, text.id(), MessageChange.none().payload("{not json"));
		assertThat(this.admin.messages().find(this.queue, text.id())).get().satisfies((message) -> {
			assertThat(message.payloadAsText()).isEqualTo("{not json");
			assertThat(message.contentType()).isEqualTo("text/plain");
		});
		SendResult bytes = this.application.queues().send(this.queue, new byte[] { 1, 2, -3 });
		this.admin.messages().change(this.queue, bytes.id(), MessageChange.none().payload("AQID"));
		assertThat(this.admin.messages().find(this.queue, bytes.id())).get()
			.satisfies((message) -> assertThat(message.payload()).containsExactly(1, 2, 3));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().change(this.queue, bytes.id(), MessageChange.none().payload("{}")))
			.withMessageStartingWith("'payload' must be base64");
	}

	@Test
	void whatNoSenderCouldHaveSentIsRefused() {
		send(message("order"));
		for (String payload : List.of("{\"text\":", "{} {}", "", "{},\"headers\":{}", "\u00ff\u0000")) {
			assertThatIllegalArgumentException().as(payload)
				.isThrownBy(
						() -> this.admin.messages().change(this.queue, "order", MessageChange.none().payload(payload)))
				.withMessageContaining("'payload' must be one JSON value");
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages()
				.change(this.queue, "order", MessageChange.none().payload("\"" + "x".repeat(1024 * 1024) + "\"")))
			.withMessageContaining("'payload' is too long");
		assertThatIllegalArgumentException()
			.isThrownBy(
					() -> this.admin.messages().change(this.queue, "order", MessageChange.none().payload("\"\ud800\"")))
			.withMessageContaining("half a character");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().change(this.queue, "order", MessageChange.none()))
			.withMessageContaining("'change' must change something");
		assertThat(this.admin.messages().find(this.queue, "order")).get()
			.extracting(QueuedMessage::payloadAsText)
			.isEqualTo("{\"text\":\"order\"}");
	}

	@Test
	void attemptsAreCountedFromTheChangeOn() {
		this.handler.failure = new IllegalStateException("for ever");
		send(message("order"));
		this.admin.messages().change(this.queue, "order", MessageChange.none().attempts(4));
		this.handler.gate.countDown();
		listen();
		this.state.awaitDead();
		assertThat(this.handler.handled).hasSize(4);
		assertThat(this.admin.messages().find(this.queue, "order")).get()
			.extracting(QueuedMessage::failures)
			.isEqualTo(4);
	}

	@Test
	void failuresCanBeForgotten() {
		this.handler.failure = new IllegalStateException("for ever");
		send(message("order").backoff(MessageBackoff.fixed(Duration.ofHours(1))));
		this.handler.gate.countDown();
		listen();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.messages().find(this.queue, "order")).get()
				.extracting(QueuedMessage::failures, QueuedMessage::state)
				.containsExactly(1, MessageState.SCHEDULED));
		Instant due = this.admin.messages().find(this.queue, "order").orElseThrow().dueAt();
		assertThat(this.admin.messages().change(this.queue, "order", MessageChange.none().failures(0)).due())
			.isEqualTo(due);
		assertThat(this.admin.messages().find(this.queue, "order")).get().satisfies((message) -> {
			assertThat(message.failures()).isZero();
			assertThat(message.history()).hasSize(1);
		});
	}

	@Test
	void aMessageGoesByItsNewPriority() {
		for (String id : List.of("a", "b", "c", "d")) {
			send(message(id).tag("all"));
		}
		send(message("later").delay(Duration.ofHours(1)));
		this.admin.messages().change(this.queue, "c", MessageChange.none().priority(9));
		this.admin.messages().change(this.queue, "a", MessageChange.none().priority(0));
		this.admin.messages().change(this.queue, "later", MessageChange.none().priority(8));
		this.admin.messages().reschedule(this.queue, "later", Duration.ZERO);
		assertThat(this.admin.messages().find(this.queue, "c")).get().extracting(QueuedMessage::priority).isEqualTo(9);
		assertThat(this.admin.messages().findByTag(this.queue, "all", null, 10).messages())
			.extracting(QueuedMessage::id)
			.containsExactlyInAnyOrder("a", "b", "c", "d");
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("c", "later", "b", "d", "a");
	}

	@Test
	void aMessageKeepsItsPlaceInTheLineOfItsKey() {
		for (String id : List.of("a", "b", "c")) {
			send(message(id).orderingKey("customer"));
		}
		this.admin.messages().change(this.queue, "a", MessageChange.none().priority(0));
		this.admin.messages().change(this.queue, "c", MessageChange.none().priority(9));
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("a", "b", "c");
	}

	@Test
	void changesAtOnceAreAllMade() {
		send(message("order").delay(Duration.ofHours(1)));
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			MessageChange change = switch (i) {
				case 0 -> MessageChange.none().payload("{\"text\":\"new\"}");
				case 1 -> MessageChange.none().attempts(7);
				case 2 -> MessageChange.none().priority(9);
				default -> MessageChange.none().failures(1);
			};
			threads.add(new Thread(() -> this.admin.messages().change(this.queue, "order", change)));
		}
		threads.forEach(Thread::start);
		threads.forEach((thread) -> Awaitility.await().until(() -> !thread.isAlive()));
		assertThat(this.admin.messages().find(this.queue, "order")).get().satisfies((message) -> {
			assertThat(message.payloadAsText()).isEqualTo("{\"text\":\"new\"}");
			assertThat(message.priority()).isEqualTo(9);
			assertThat(message.failures()).isOne();
		});
	}

	private OutboundMessage message(String text) {
		return OutboundMessage.to(this.queue, new Text(text)).id(text);
	}

	private SendResult send(OutboundMessage message) {
		return this.application.queues().send(message);
	}

	private void listen() {
		this.application.container().start();
	}

	record Text(String text) {

	}

	static class Handler {

		final CountDownLatch gate = new CountDownLatch(1);

		final List<String> handled = Collections.synchronizedList(new ArrayList<>());

		private final BlockingQueue<String> started = new LinkedBlockingQueue<>();

		volatile RuntimeException failure;

		@QueueListener(queues = "${queue}")
		void handle(Text text, DeliveryInfo delivery) throws InterruptedException {
			this.handled.add(text.text());
			this.started.add(text.text());
			this.gate.await();
			if (this.failure != null) {
				throw this.failure;
			}
		}

		String await() {
			try {
				String text = this.started.poll(2, TimeUnit.MINUTES);
				assertThat(text).as("handled in time").isNotNull();
				return text;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Events {

		private final List<MessageEvent> all = Collections.synchronizedList(new ArrayList<>());

		@EventListener
		void on(MessageEvent event) {
			this.all.add(event);
		}

		MessageEvent await(MessageEvent.Type type) {
			Awaitility.await().until(() -> List.copyOf(this.all).stream().anyMatch((event) -> event.type() == type));
			return List.copyOf(this.all).stream().filter((event) -> event.type() == type).findFirst().orElseThrow();
		}

	}

}
