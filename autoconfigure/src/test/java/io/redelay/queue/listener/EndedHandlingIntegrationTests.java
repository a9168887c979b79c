package io.redelay.queue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.redelay.queue.AckMode;
import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageResultException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.event.EventListener;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages whose handling is ended, by a cancellation or by their deadline, in queues and
 * with options that make something special of how messages end.
 */
class EndedHandlingIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String PREFIX = "e" + UUID.randomUUID();

	private static final Handlers handlers = new Handlers();

	private static ListenerApplication holder;

	private static ListenerApplication other;

	private final String id = UUID.randomUUID().toString();

	@BeforeAll
	static void start() {
		holder = application().bean(handlers).start();
		handlers.queues = holder.queues();
		other = application().start();
	}

	@AfterAll
	static void stop() {
		other.close();
		holder.close();
	}

	private static ListenerApplication.Builder application() {
		return ListenerApplication.on(redis)
			.with("p", PREFIX)
			.with("redelay.queue.listener.lease-time", "10m")
			.with("redelay.queue.topics[" + queue("topic") + "].retention.max-age", "1h")
			.with("redelay.queue.queues[" + queue("parts") + "].partitions", 3);
	}

	private static String queue(String name) {
		return PREFIX + "." + name;
	}

	@ParameterizedTest
	@CsvSource({ "plain, DEAD, is dead (DEADLINE", "own, DEAD, is dead (DEADLINE",
			"dropped, COMPLETED, its deadline was over", "parts, DEAD, is dead (DEADLINE" })
	@Execution(ExecutionMode.CONCURRENT)
	void aWaitForTheResultEndsAtTheDeadline(String how, MessageState state, String reported) {
		boolean dropped = how.equals("dropped");
		OutboundMessage message = OutboundMessage.to(queue((dropped || how.equals("own")) ? "plain" : how), "wait")
			.id(this.id)
			.deadline(Duration.ofMillis(200), dropped ? ExpiryAction.DROP : ExpiryAction.BURY);
		if (how.equals("own")) {
			message = message.deadLetterQueue(queue("letters"));
		}
		CompletableFuture<String> result = other.queues().sendForResult(message, String.class);
		assertThat(result).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(MessageResultException.class, (ex) -> assertThat(ex.getState()).isEqualTo(state))
			.withMessageContaining(reported);
	}

	@ParameterizedTest
	@EnumSource(ExpiryAction.class)
	@Execution(ExecutionMode.CONCURRENT)
	void aBundleCountsADeadlineOnce(ExpiryAction action) throws Exception {
		CompletableFuture<BundleSummary> ended = new CompletableFuture<>();
		handlers.summaries.put(this.id, ended);
		other.bean(MessageBundles.class)
			.send(BundleCallback.to(queue("done")).id(this.id),
					List.of(OutboundMessage.to(queue("parts"), "wait").deadline(Duration.ofMillis(300), action),
							OutboundMessage.to(queue("parts"), "next")));
		BundleSummary summary = ended.get(60, TimeUnit.SECONDS);
		assertThat(summary.expired()).isEqualTo((action == ExpiryAction.DROP) ? 1 : 0);
		assertThat(summary.dead()).isEqualTo((action == ExpiryAction.DROP) ? 0 : 1);
		assertThat(summary.acknowledged()).isOne();
		assertThat(summary.total()).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource(ExpiryAction.class)
	@Execution(ExecutionMode.CONCURRENT)
	void theNextMessageWithTheIdempotencyKeyIsHandledAfterADeadline(ExpiryAction action) {
		sendUntilItBegins((deadline) -> other.queues()
			.send(OutboundMessage.to(queue("once"), "wait").id(this.id).deadline(deadline, action)));
		await().until(() -> handlers.reasons.get(this.id) == CancellationReason.DEADLINE);
		other.queues().send(OutboundMessage.to(queue("once"), "next").id(this.id + "-2"));
		await().until(() -> handlers.begun.contains(this.id + "-2"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsAcknowledgedFirstIsLostAtItsDeadline() {
		int diedBefore = sendUntilItBegins((deadline) -> other.queues()
			.send(OutboundMessage.to(queue("first"), "wait").id(this.id).deadline(deadline)));
		await().until(() -> handlers.lost.contains(this.id));
		assertThat(handlers.reasons).containsEntry(this.id, CancellationReason.DEADLINE);
		await().until(() -> info("first").dead() == diedBefore);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Execution(ExecutionMode.CONCURRENT)
	void aNextStepIsNotTaken(boolean cancelled) {
		OutboundMessage message = OutboundMessage.to(queue("steps"), "wait").id(this.id);
		other.queues().send(cancelled ? message : message.deadline(Duration.ofMillis(200)));
		if (cancelled) {
			cancel("steps");
		}
		await().until(() -> handlers.ends(this.id)
			.equals(List.of(cancelled ? MessageEvent.Type.CANCELLED : MessageEvent.Type.DEAD)));
		assertThat(other.bean(QueueAdmin.class).queues().names()).as("nothing was ever sent there")
			.doesNotContain(queue("next"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aNextStepWhoseDeadlineIsOverIsDead() {
		other.queues().send(OutboundMessage.to(queue("steps"), "late").id(this.id));
		QueueAdmin admin = other.bean(QueueAdmin.class);
		await().until(() -> admin.queues().names().contains(queue("late")));
		await().untilAsserted(() -> assertThat(admin.messages().find(queue("late"), this.id + "-next"))
			.hasValueSatisfying((next) -> assertThat(next.state()).isEqualTo(MessageState.DEAD)));
		assertThat(admin.messages().find(queue("late"), this.id + "-next").orElseThrow().death().reason())
			.isEqualTo(DeathReason.DEADLINE);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReplayBeginsADurationAnew() {
		QueueAdmin admin = other.bean(QueueAdmin.class);
		AtomicReference<Instant> sent = new AtomicReference<>();
		sendUntilItBegins((deadline) -> sent.set(other.queues()
			.publish(OutboundMessage.to(queue("topic"), "wait").id(this.id).deadline(deadline))
			.due()));
		await().until(() -> handlers.reasons.get(this.id) == CancellationReason.DEADLINE);
		await().until(() -> admin.messages()
			.find(queue("topic") + "@group", this.id)
			.filter((message) -> message.state() == MessageState.DEAD)
			.isPresent());
		admin.control().purge(queue("topic") + "@group", MessageState.DEAD);
		int ends = handlers.ends(this.id).size();
		assertThat(admin.topics().replay(queue("topic"), "group", sent.get())).isOne();
		// A machine that is held up does not begin with it in time, which the deadline
		// ends as well.
		await().until(() -> handlers.ends(this.id).size() > ends);
		assertThat(handlers.ends(this.id)).last().isEqualTo(MessageEvent.Type.DEAD);
	}

	@ParameterizedTest
	@ValueSource(strings = { "parts", "topic@group", "handed-on" })
	@Execution(ExecutionMode.CONCURRENT)
	void aCancellationArrives(String where) {
		if (where.startsWith("topic")) {
			other.queues().publish(OutboundMessage.to(queue("topic"), "wait").id(this.id));
		}
		else {
			other.queues().send(OutboundMessage.to(queue(where), "wait").id(this.id));
		}
		cancel(where);
		await().until(() -> handlers.reasons.get(this.id) == CancellationReason.CANCELLED);
		await().until(() -> handlers.ends(this.id).equals(List.of(MessageEvent.Type.CANCELLED)));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Execution(ExecutionMode.CONCURRENT)
	void theNextMessageOfTheKeyFollows(boolean cancelled) {
		OutboundMessage message = OutboundMessage.to(queue("keyed"), "wait")
			.id(this.id)
			.orderingKey(this.id)
			.fairnessKey(this.id);
		sendUntilItBegins((deadline) -> other.queues().send(cancelled ? message : message.deadline(deadline)));
		other.queues()
			.send(OutboundMessage.to(queue("keyed"), "next")
				.id(this.id + "-2")
				.orderingKey(this.id)
				.fairnessKey(this.id));
		if (cancelled) {
			cancel("keyed");
		}
		await().until(() -> handlers.begun.contains(this.id + "-2"));
		assertThat(handlers.begun).filteredOn((begun) -> begun.startsWith(this.id))
			.containsExactly(this.id, this.id + "-2");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theTicksOfAScheduleGoOnAfterOneWasCancelled() {
		RecurringMessages recurring = other.bean(RecurringMessages.class);
		recurring.declare(RecurringDeclaration.every(queue("ticks"), "tick", Duration.ofMillis(300)).payload("wait"));
		await().until(() -> handlers.ticks.size() == 1);
		assertThat(other.bean(QueueAdmin.class).messages().cancel(queue("ticks"), handlers.ticks.peek()).done())
			.isTrue();
		await().until(() -> handlers.ticks.size() >= 2);
		recurring.remove(queue("ticks"), "tick");
		other.bean(QueueAdmin.class)
			.messages()
			.cancel(queue("ticks"), handlers.ticks.stream().reduce((a, b) -> b).orElseThrow());
	}

	/**
	 * Sends a message whose handling is to be ended by its deadline. A machine that is
	 * held up gets a longer one, until the handling begins before it is over.
	 * @return how many messages ended before
	 */
	private int sendUntilItBegins(Consumer<Duration> send) {
		Duration deadline = Duration.ofMillis(300);
		for (int ended = 0;; ended++) {
			int ends = ended;
			send.accept(deadline);
			await().until(() -> handlers.begun.contains(this.id) || diedOrDropped() > ends);
			if (handlers.begun.contains(this.id)) {
				return ended;
			}
			deadline = deadline.multipliedBy(3);
		}
	}

	/**
	 * How often the message has ended other than by the acknowledgement that may come
	 * before its handling.
	 */
	private long diedOrDropped() {
		return handlers.ends(this.id).stream().filter((end) -> end != MessageEvent.Type.ACKNOWLEDGED).count();
	}

	private void cancel(String queue) {
		await().until(() -> handlers.begun.contains(this.id));
		other.bean(QueueAdmin.class).messages().cancel(queue(queue), this.id);
	}

	private static QueueInfo info(String queue) {
		return other.bean(QueueAdmin.class).queues().info(queue(queue));
	}

	static final class Handlers implements MessageRetryListener {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final Map<String, CancellationReason> reasons = new ConcurrentHashMap<>();

		final Map<String, CompletableFuture<BundleSummary>> summaries = new ConcurrentHashMap<>();

		final List<String> lost = new CopyOnWriteArrayList<>();

		final BlockingQueue<String> ticks = new LinkedBlockingQueue<>();

		private final List<MessageEvent> events = new CopyOnWriteArrayList<>();

		volatile QueueOperations queues;

		@QueueListener(queues = { "${p}.plain", "${p}.parts", "${p}.keyed" }, concurrency = "8")
		void plain(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(queues = "${p}.handed-on", concurrency = "2", deadLetterQueue = "${p}.letters")
		void handedOn(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(queues = "${p}.once", concurrency = "4", idempotencyKey = "#{id.substring(0, 36)}")
		void once(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(queues = "${p}.first", concurrency = "4", ackMode = AckMode.BEFORE_HANDLING)
		void first(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(topic = "${p}.topic", group = "group", concurrency = "4")
		void topic(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(queues = "${p}.steps", concurrency = "4")
		void steps(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			boolean late = how.equals("late");
			OutboundMessage next = OutboundMessage.to(PREFIX + (late ? ".late" : ".next"), "wait")
				.id(info.id() + "-next")
				.inDelivery();
			this.queues.sendAsync(late ? next.deadline(Instant.now().minusSeconds(60)) : next);
			handle(how, token, info);
		}

		@QueueListener("${p}.late")
		void late(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			handle(how, token, info);
		}

		@QueueListener(queues = "${p}.ticks")
		void ticks(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			this.ticks.add(info.id());
			handle("wait", token, info);
		}

		@QueueListener(queues = "${p}.done")
		void done(BundleSummary summary) {
			this.summaries.get(summary.id()).complete(summary);
		}

		private void handle(String how, CancellationToken token, DeliveryInfo info) throws InterruptedException {
			CountDownLatch turned = new CountDownLatch(1);
			token.onCancel((reason) -> {
				this.reasons.put(info.id(), reason);
				turned.countDown();
			});
			this.begun.add(info.id());
			if (how.equals("wait")) {
				turned.await(1, TimeUnit.MINUTES);
				token.throwIfCancelled();
			}
		}

		@EventListener
		void on(MessageEvent event) {
			this.events.add(event);
		}

		/**
		 * How the message with an id has ended, by what was notified of it.
		 */
		List<MessageEvent.Type> ends(String id) {
			return this.events.stream()
				.filter((event) -> event.id().equals(id) && event.type() != MessageEvent.Type.DELIVERED
						&& event.type() != MessageEvent.Type.SENT)
				.map(MessageEvent::type)
				.toList();
		}

		@Override
		public void onLost(DeliveryInfo delivery, Throwable failure) {
			this.lost.add(delivery.id());
		}

	}

}
