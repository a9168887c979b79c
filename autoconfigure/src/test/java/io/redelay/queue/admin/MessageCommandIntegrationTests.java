package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for finding, cancelling and changing single messages.
 */
class MessageCommandIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.with("redelay.queue.listener.max-attempts", "1")
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void close() {
		this.handler.gate.countDown();
		this.application.close();
	}

	@Test
	void findsAMessageInEachState() {
		SendResult scheduled = send(message("scheduled").delay(Duration.ofHours(1)).header("tenant", "a"));
		assertThat(this.admin.messages().find(this.queue, "scheduled")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.SCHEDULED);
			assertThat(message.id()).isEqualTo("scheduled");
			assertThat(message.dueAt()).isEqualTo(scheduled.due());
			assertThat(message.headers()).isEqualTo(Map.of("tenant", "a"));
			assertThat(message.payloadAsText()).isEqualTo("{\"text\":\"scheduled\"}");
			assertThat(message.failures()).isZero();
		});
		send(message("ready"));
		assertThat(this.admin.messages().find(this.queue, "ready")).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.READY);
		listen();
		this.handler.await("ready");
		assertThat(this.admin.messages().find(this.queue, "ready")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.IN_FLIGHT);
			assertThat(message.instance()).isNotBlank();
		});
		this.handler.failure = new IllegalStateException("no");
		this.handler.gate.countDown();
		this.state.awaitDead();
		assertThat(this.admin.messages().find(this.queue, "ready")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.DEAD);
			assertThat(message.death().exception()).isEqualTo(IllegalStateException.class.getName());
			assertThat(message.failures()).isOne();
			assertThat(message.diedAt()).isNotNull();
		});
		assertThat(this.admin.messages().find(this.queue, "never sent")).isEmpty();
	}

	@Test
	void aMessageIsFoundByItsUidToo() {
		SendResult sent = send(OutboundMessage.to(this.queue, new Text("unnamed")));
		assertThat(this.admin.messages().find(this.queue, sent.id())).get()
			.extracting(QueuedMessage::payloadAsText)
			.isEqualTo("{\"text\":\"unnamed\"}");
	}

	@Test
	void aCancelledMessageThatWaitsIsGone() {
		send(message("scheduled").delay(Duration.ofHours(1)));
		send(message("ready"));
		send(message("other"));
		assertThat(this.admin.messages().cancel(this.queue, "scheduled"))
			.isEqualTo(new CommandOutcome(MessageState.SCHEDULED, true, null, null));
		assertThat(this.admin.messages().cancel(this.queue, "ready"))
			.isEqualTo(new CommandOutcome(MessageState.READY, true, null, null));
		assertThat(this.admin.messages().cancel(this.queue, "ready").state()).isEqualTo(MessageState.UNKNOWN);
		assertThat(this.admin.messages().cancel(this.queue, "ready").done()).isFalse();
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("other");
	}

	@Test
	void theIdOfACancelledMessageIsFree() {
		send(message("order").delay(Duration.ofHours(1)));
		this.admin.messages().cancel(this.queue, "order");
		assertThat(send(message("order")).duplicate()).isFalse();
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("order");
	}

	@Test
	void aMessageThatIsCancelledInHandIsNotDeliveredAgain() {
		send(message("doomed").maxAttempts(5));
		listen();
		this.handler.await("doomed");
		assertThat(this.admin.messages().cancel(this.queue, "doomed"))
			.isEqualTo(new CommandOutcome(MessageState.IN_FLIGHT, true, null, null));
		assertThat(this.admin.messages().find(this.queue, "doomed")).get()
			.extracting(QueuedMessage::cancelled)
			.isEqualTo(true);
		this.handler.failure = new IllegalStateException("and would be tried again");
		this.handler.gate.countDown();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("doomed");
		assertThat(this.state.dead()).isEmpty();
		assertThat(this.admin.messages().find(this.queue, "doomed")).isEmpty();
	}

	@Test
	void aHandlerCanAskWhetherItsMessageWasCancelled() {
		send(message("asking"));
		listen();
		this.handler.await("asking");
		assertThat(this.handler.acknowledgment.isCancelled()).isFalse();
		this.admin.messages().cancel(this.queue, "asking");
		assertThat(this.handler.acknowledgment.isCancelled()).isTrue();
	}

	@Test
	void cancelsManyInOneTrip() {
		List<OutboundMessage> messages = IntStream.range(0, 1200)
			.mapToObj((i) -> message("m" + i).delay(Duration.ofHours(1)))
			.toList();
		this.application.queues().sendAll(messages);
		List<CommandOutcome> results = this.admin.messages()
			.cancelAll(this.queue, IntStream.range(0, 1201).mapToObj((i) -> "m" + i).toList());
		assertThat(results).hasSize(1201);
		assertThat(results.subList(0, 1200)).allMatch(CommandOutcome::done);
		assertThat(results.get(1200).state()).isEqualTo(MessageState.UNKNOWN);
		assertThat(this.admin.queues().info(this.queue).scheduled()).isZero();
	}

	@Test
	void aMessageIsPostponedAndBroughtForward() {
		send(message("later"));
		send(message("sooner").delay(Duration.ofHours(1)));
		CommandOutcome later = this.admin.messages().reschedule(this.queue, "later", Duration.ofMinutes(30));
		assertThat(later.state()).isEqualTo(MessageState.READY);
		assertThat(later.due()).isBetween(Instant.now().plusSeconds(1700), Instant.now().plusSeconds(1900));
		CommandOutcome sooner = this.admin.messages().rescheduleAt(this.queue, "sooner", Instant.now().minusSeconds(1));
		assertThat(sooner.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(sooner.done()).isTrue();
		this.handler.gate.countDown();
		listen();
		Awaitility.await().untilAsserted(() -> assertThat(this.handler.handled).containsExactly("sooner"));
		assertThat(this.admin.messages().find(this.queue, "later")).get().satisfies((message) -> {
			assertThat(message.state()).isEqualTo(MessageState.SCHEDULED);
			assertThat(message.dueAt()).isEqualTo(later.due());
		});
		assertThat(this.admin.messages().runNow(this.queue, "later").state()).isEqualTo(MessageState.SCHEDULED);
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("sooner", "later");
	}

	@Test
	void anUnnamedMessageKeepsItsNameWhenItIsRescheduled() {
		SendResult sent = send(OutboundMessage.to(this.queue, new Text("unnamed")));
		this.admin.messages().reschedule(this.queue, sent.id(), Duration.ofHours(1));
		assertThat(this.admin.messages().find(this.queue, sent.id())).get()
			.extracting(QueuedMessage::state)
			.isEqualTo(MessageState.SCHEDULED);
		assertThat(this.admin.messages().runNow(this.queue, sent.id()).done()).isTrue();
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.ids).containsExactly(sent.id());
	}

	@Test
	void whatIsToRunNowGoesFirst() {
		send(message("first"));
		send(message("second"));
		assertThat(this.admin.messages().runNow(this.queue, "second"))
			.satisfies((result) -> assertThat(result.state()).isEqualTo(MessageState.READY));
		this.handler.gate.countDown();
		listen();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("second", "first");
	}

	@Test
	void aMessageInHandIsNotRescheduled() {
		send(message("held"));
		listen();
		this.handler.await("held");
		CommandOutcome result = this.admin.messages().reschedule(this.queue, "held", Duration.ofHours(1));
		assertThat(result)
			.isEqualTo(new CommandOutcome(MessageState.IN_FLIGHT, false, null, "a handler has it in hand"));
		this.handler.gate.countDown();
		this.state.awaitDrained();
		assertThat(this.handler.handled).containsExactly("held");
	}

	@Test
	void badInputIsRefused() {
		send(message("x"));
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> this.admin.messages().cancel(this.queue + "-nowhere", "x"))
			.withMessageContaining(this.queue + "-nowhere")
			.withMessageContaining("nothing was ever sent to it");
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.messages().cancel("no queue!", "x"))
			.withMessageContaining("'no queue!'");
		assertThatIllegalArgumentException().isThrownBy(() -> this.admin.messages().cancel(this.queue, " "))
			.withMessageContaining("'id'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.admin.messages().reschedule(this.queue, "x", Duration.ofSeconds(-1)))
			.withMessageContaining("'delay'");
	}

	private OutboundMessage message(String text) {
		return OutboundMessage.to(this.queue, new Text(text)).id(text);
	}

	private SendResult send(OutboundMessage message) {
		return this.application.queues().send(message);
	}

	private void listen() {
		this.application.bean(QueueListenerEndpointRegistry.class)
			.getContainers()
			.forEach((container) -> container.start());
	}

	record Text(String text) {

	}

	static class Handler {

		final CountDownLatch gate = new CountDownLatch(1);

		final BlockingQueue<String> started = new LinkedBlockingQueue<>();

		final List<String> handled = new java.util.concurrent.CopyOnWriteArrayList<>();

		final List<String> ids = new java.util.concurrent.CopyOnWriteArrayList<>();

		volatile RuntimeException failure;

		volatile Acknowledgment acknowledgment;

		@QueueListener(queues = "${queue}", concurrency = "1", prefetch = "0")
		void handle(Text text, DeliveryInfo delivery, Acknowledgment acknowledgment) throws InterruptedException {
			this.acknowledgment = acknowledgment;
			this.started.add(text.text());
			assertThat(this.gate.await(2, TimeUnit.MINUTES)).isTrue();
			this.handled.add(text.text());
			this.ids.add(delivery.id());
			if (this.failure != null) {
				throw this.failure;
			}
		}

		void await(String text) {
			try {
				assertThat(this.started.poll(2, TimeUnit.MINUTES)).isEqualTo(text);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
