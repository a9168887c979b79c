package io.redelay.queue.admin;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for dead messages that are redriven by the rule of their queue.
 */
class RedriveRuleIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Handler handler = new Handler();

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aMessageIsRedrivenInAsManyRoundsAsTheRuleSaysAndThenStaysDead(CapturedLog log) {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "2")
			.bean("meters", meters)
			.start()) {
			send(application, "x");
			awaitStaying(application, this.queue, 2);
			QueuedMessage dead = admin(application).messages().find(this.queue, "x").orElseThrow();
			assertThat(this.handler.attempts).containsExactly("x 1", "x 2", "x 1", "x 2", "x 1", "x 2");
			assertThat(dead.death().reason()).isEqualTo(DeathReason.FAILED);
			assertThat(dead.history()).as("all that was known of its attempts is kept").hasSizeGreaterThanOrEqualTo(5);
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.entriesWith(this.queue).filter((line) -> line.startsWith("INFO")))
					.anyMatch(
							(line) -> line.contains("Redrove 1 dead message(s)") && line.contains("1 in round 1 of 2"))
					.anyMatch((line) -> line.contains("1 in round 2 of 2"))
					.anyMatch((line) -> line.contains("1 message(s)") && line.contains("stay dead")
							&& line.contains("all 2 round(s)")));
			assertThat(meters.get("redelay.queue.redriven")
				.tag("messaging.destination.name", this.queue)
				.counter()
				.count()).isEqualTo(2);
		}
	}

	@Test
	void aMessageThatIsHandledInARoundIsDone() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").start()) {
			this.handler.failures.put("x", 4);
			send(application, "x");
			Awaitility.await().until(() -> this.handler.handled.contains("x"));
			Awaitility.await().until(() -> admin(application).messages().find(this.queue, "x").isEmpty());
			assertThat(this.handler.attempts).containsExactly("x 1", "x 2", "x 1", "x 2");
		}
	}

	@Test
	void aRoundBeginsNotBeforeItsDelayIsOver() {
		try (ListenerApplication application = application(this.queue, "delay", "1h").start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			QueuedMessage dead = admin(application).messages().find(this.queue, "x").orElseThrow();
			RedriveRule rule = announced(application);
			assertThat(dead.redriveAt(rule)).contains(dead.diedAt().plus(Duration.ofHours(1)));
			Awaitility.await().pollDelay(Duration.ofMillis(500)).until(() -> true);
			assertThat(this.handler.attempts).containsExactly("x 1", "x 2");
		}
	}

	@Test
	void onlyWhatDiedOfAChosenReasonIsRedriven() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "1")
			.start()) {
			this.handler.rejected.add("rejected");
			send(application, "rejected");
			application.queues().send(OutboundMessage.to(this.queue, "buried").id("buried").delay(Duration.ofHours(1)));
			admin(application).messages().bury(this.queue, "buried", "by hand");
			awaitDead(application, this.queue, 2);
			send(application, "failed");
			awaitStaying(application, this.queue, 1);
			assertThat(this.handler.attempts).containsExactly("rejected 1", "failed 1", "failed 2", "failed 1",
					"failed 2");
			assertThat(admin(application).messages().find(this.queue, "buried").orElseThrow().rounds()).isZero();
		}
	}

	@Test
	void theReasonsAreChosen() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "1")
			.with(rule("reasons"), "rejected")
			.start()) {
			this.handler.rejected.add("rejected");
			send(application, "failed");
			awaitDead(application, this.queue, 1);
			send(application, "rejected");
			Awaitility.await().until(() -> this.handler.attempts.stream().filter("rejected 1"::equals).count() == 2);
			awaitDead(application, this.queue, 2);
			assertThat(this.handler.attempts).containsOnlyOnce("failed 1");
		}
	}

	@Test
	void theRuleOfAllQueuesHoldsWhereAQueueSaysNothingElse() {
		String other = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(this.handler)
			.bean("other", new OtherHandler(this.handler))
			.with("queue", this.queue)
			.with("other", other)
			.with("redelay.queue.listener.max-attempts", "2")
			.with("redelay.queue.safety-poll-interval", "100ms")
			.with("redelay.queue.dead-letters.redrive.delay", "50ms")
			.with("redelay.queue.dead-letters.redrive.rounds", "1")
			.with("redelay.queue.queues." + other + ".dead-letters.redrive.cron", "-")
			.start()) {
			application.queues().send(OutboundMessage.to(other, "other").id("other"));
			awaitDead(application, other, 1);
			send(application, "x");
			awaitStaying(application, this.queue, 1);
			assertThat(this.handler.attempts).containsOnlyOnce("other 1");
		}
	}

	@Test
	void atTheTimesOfACronExpressionAllAreRedrivenThatDiedBefore() {
		try (ListenerApplication application = application(this.queue, "cron", "* * * * * *").with(rule("rounds"), "2")
			.with(rule("zone"), "Asia/Tokyo")
			.with(rule("rate"), "1000/1s")
			.start()) {
			IntStream.range(0, 10).forEach((i) -> send(application, "m" + i));
			awaitDead(application, this.queue, 10);
			awaitStaying(application, this.queue, 20);
			assertThat(this.handler.attempts).hasSize(60);
			Instant first = this.handler.times.get(0);
			assertThat(this.handler.times.get(59)).as("two times of the expression have passed")
				.isAfterOrEqualTo(first.truncatedTo(java.time.temporal.ChronoUnit.SECONDS).plusSeconds(2));
		}
	}

	@Test
	void theRateOfARuleHolds() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", "1")
			.start()) {
			IntStream.range(0, 30).forEach((i) -> send(application, "m" + i));
			awaitDead(application, this.queue, 30);
		}
		List<Instant> redriven = new CopyOnWriteArrayList<>();
		try (ListenerApplication application = application(this.queue, "delay", "1ms").with(rule("rounds"), "1")
			.with(rule("rate"), "10/1s")
			.with("redelay.queue.listener.auto-startup", "false")
			.start()) {
			application.bean(QueueEvents.class).subscribe((event) -> {
				if (event.type() == MessageEvent.Type.REDRIVEN) {
					redriven.add(event.time());
				}
			});
			application.container().start();
			awaitStaying(application, this.queue, 30);
			Awaitility.await().until(() -> redriven.size() == 30);
			// All were due at once. In steps of five, of which the first one does not
			// wait, that is two and a half seconds.
			assertThat(Duration.between(redriven.get(0), redriven.get(29)))
				.isGreaterThanOrEqualTo(Duration.ofMillis(1500));
		}
	}

	@Test
	void redrivenByHandAMessageHasAllItsRoundsAgain() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "1")
			.start()) {
			send(application, "x");
			awaitStaying(application, this.queue, 1);
			admin(application).deadLetters().redrive(this.queue, "x");
			Awaitility.await().until(() -> this.handler.attempts.size() == 8);
			awaitStaying(application, this.queue, 1);
		}
	}

	@Test
	void aRoundThatIsBegunByHandIsCounted() {
		try (ListenerApplication application = application(this.queue, "delay", "1h").start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			admin(application).deadLetters().redriveRound(this.queue, "x");
			awaitStaying(application, this.queue, 1);
			assertThat(this.handler.attempts).hasSize(4);
		}
	}

	@Test
	void aChangedMessageKeepsItsRounds() {
		try (ListenerApplication application = application(this.queue, "delay", "1h").start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			admin(application).control().pause(this.queue);
			admin(application).deadLetters().redriveRound(this.queue, "x");
			admin(application).messages().change(this.queue, "x", MessageChange.none().payload("y"));
			QueuedMessage changed = admin(application).messages().find(this.queue, "x").orElseThrow();
			assertThat(changed.payloadAsText()).isEqualTo("y");
			assertThat(changed.rounds()).isEqualTo(1);
			admin(application).control().resume(this.queue);
			awaitStaying(application, this.queue, 1);
			assertThat(this.handler.attempts).endsWith("y 1", "y 2");
		}
	}

	@Test
	void aMessageWithADeadlineAndATimeToLiveKeepsItsRounds() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "2")
			.start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.id("x")
					.timeToLive(Duration.ofHours(1))
					.deadline(Duration.ofHours(2))
					.orderingKey("key")
					.header("tenant", "north"));
			awaitStaying(application, this.queue, 2);
			QueuedMessage dead = admin(application).messages().find(this.queue, "x").orElseThrow();
			assertThat(dead.headers()).containsEntry("tenant", "north");
			assertThat(dead.orderingKey()).isEqualTo("key");
			assertThat(this.handler.attempts).hasSize(6);
		}
	}

	@Test
	void theDeadOfAllPartitionsAreRedriven() {
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "2")
			.with(rule("rate"), "1000/1s")
			.with("redelay.queue.queues." + this.queue + ".partitions", "3")
			.start()) {
			IntStream.range(0, 12).forEach((i) -> send(application, "m" + i));
			awaitStaying(application, this.queue, 24);
			assertThat(this.handler.attempts).hasSize(72);
		}
	}

	@Test
	void theGroupOfATopicHasARuleOfItsOwn() {
		String group = this.queue + "@billing";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new GroupHandler(this.handler))
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", "2")
			.with("redelay.queue.safety-poll-interval", "100ms")
			.with("redelay.queue.queues[" + group + "].dead-letters.redrive.delay", "50ms")
			.with("redelay.queue.queues[" + group + "].dead-letters.redrive.rounds", "1")
			.start()) {
			application.queues().publish(this.queue, "x");
			awaitStaying(application, group, 1);
			assertThat(this.handler.attempts).containsExactly("x 1", "x 2", "x 1", "x 2");
		}
	}

	@Test
	void eachRoundIsAnEvent() {
		List<MessageEvent> events = new CopyOnWriteArrayList<>();
		try (ListenerApplication application = application(this.queue, "delay", "50ms").with(rule("rounds"), "1")
			.start()) {
			application.bean(QueueEvents.class).subscribe(events::add);
			send(application, "x");
			awaitStaying(application, this.queue, 1);
			Awaitility.await()
				.untilAsserted(() -> assertThat(events).filteredOn("type", MessageEvent.Type.REDRIVEN)
					.singleElement()
					.extracting(MessageEvent::queue, MessageEvent::cause)
					.containsExactly(this.queue, "Round 1"));
		}
	}

	@Test
	void theStatusAndTheDiagnosisSayWhenTheNextRoundIs() {
		try (ListenerApplication application = application(this.queue, "delay", "1h").start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			QueuedMessage dead = admin(application).messages().find(this.queue, "x").orElseThrow();
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin(application).deadLetters().redriveStatus(this.queue))
					.hasValueSatisfying((status) -> {
						assertThat(status.active()).isTrue();
						assertThat(status.next()).isEqualTo(dead.diedAt().plus(Duration.ofHours(1)));
						assertThat(status.lastStayed()).isNull();
					}));
			QueueFinding finding = admin(application).queues()
				.diagnose(this.queue)
				.findings()
				.stream()
				.filter((each) -> each.kind() == QueueFinding.Kind.DEAD_LETTERS)
				.findFirst()
				.orElseThrow();
			assertThat(finding.severity()).isEqualTo(QueueFinding.Severity.INFO);
			assertThat(finding.text()).contains("next at " + dead.diedAt().plus(Duration.ofHours(1)));
			admin(application).deadLetters().redrive(this.queue, "x");
			awaitDead(application, this.queue, 1);
		}
		try (ListenerApplication application = application(this.queue, "cron", "0 0 3 1 1 *").start()) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin(application).deadLetters().redriveStatus(this.queue))
					.hasValueSatisfying((status) -> assertThat(status.next()).as("another rule has times of its own")
						.isEqualTo(status.rule().next(Instant.now()))));
		}
	}

	@Test
	void whatAReceiverRejectsIsRedriven() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.safety-poll-interval", "100ms")
			.with(rule("delay"), "50ms")
			.with(rule("rounds"), "1")
			.with(rule("reasons"), "rejected")
			.start()) {
			QueueReceiver receiver = application.bean(QueueReceiver.class);
			send(application, "x");
			for (int life = 1; life <= 2; life++) {
				receiver.receive(this.queue, String.class, 1, Duration.ofSeconds(20)).get(0).reject("no");
			}
			awaitStaying(application, this.queue, 1);
		}
	}

	@Test
	void aMessageWhoseIdAnotherOneHasIsPassedOver() {
		try (ListenerApplication application = application(this.queue, "delay", "300ms").with(rule("rounds"), "1")
			.start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			application.queues().send(OutboundMessage.to(this.queue, "later").id("x").delay(Duration.ofHours(1)));
			send(application, "other");
			awaitStaying(application, this.queue, 1);
			assertThat(this.handler.attempts).containsOnlyOnce("x 1");
		}
	}

	@Test
	void aQueueWithoutARuleHasNoKeyOfIt() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.max-attempts", "1")
			.start()) {
			send(application, "x");
			awaitDead(application, this.queue, 1);
			assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:redrive")).isZero();
		}
	}

	private ListenerApplication.Builder application(String name, String times, String value) {
		return ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", name)
			.with("redelay.queue.listener.max-attempts", "2")
			.with("redelay.queue.safety-poll-interval", "100ms")
			.with(rule(times), value);
	}

	private String rule(String property) {
		return "redelay.queue.queues." + this.queue + ".dead-letters.redrive." + property;
	}

	private void send(ListenerApplication application, String payload) {
		application.queues().send(OutboundMessage.to(this.queue, payload).id(payload));
	}

	private static QueueAdmin admin(ListenerApplication application) {
		return application.bean(QueueAdmin.class);
	}

	private RedriveRule announced(ListenerApplication application) {
		return Awaitility.await()
			.until(() -> admin(application).queues()
				.instances()
				.stream()
				.flatMap((instance) -> instance.listeners().stream())
				.flatMap((listener) -> listener.queues().stream())
				.filter((listened) -> listened.queue().equals(this.queue))
				.map(ListenedQueue::redrive)
				.findFirst()
				.orElse(null), (rule) -> rule != null);
	}

	private static void awaitDead(ListenerApplication application, String queue, int count) {
		Awaitility.await().until(() -> admin(application).queues().info(queue).dead() == count);
	}

	/**
	 * Waits until all are dead that there are, and have had a number of rounds together.
	 */
	private static void awaitStaying(ListenerApplication application, String queue, int rounds) {
		Awaitility.await().untilAsserted(() -> {
			List<QueuedMessage> dead = admin(application).messages()
				.browse(queue, MessageState.DEAD, 0, 500)
				.messages();
			assertThat(dead.stream().mapToInt(QueuedMessage::rounds).sum()).isEqualTo(rounds);
		});
	}

	static class Handler {

		final List<String> attempts = new CopyOnWriteArrayList<>();

		final List<Instant> times = new CopyOnWriteArrayList<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<String> rejected = new CopyOnWriteArrayList<>();

		/**
		 * How many attempts fail of a payload; all, if it is not there.
		 */
		final Map<String, Integer> failures = new ConcurrentHashMap<>();

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload, DeliveryInfo info) throws IOException {
			synchronized (this) {
				this.attempts.add(payload + " " + info.attempt());
				this.times.add(Instant.now());
			}
			if (this.rejected.contains(payload)) {
				throw new RejectMessageException("not wanted");
			}
			if (this.failures.merge(payload, Integer.MAX_VALUE, (before, all) -> before - 1) > 0) {
				throw new IOException("no");
			}
			this.handled.add(payload);
		}

	}

	static class GroupHandler {

		private final Handler handler;

		GroupHandler(Handler handler) {
			this.handler = handler;
		}

		@QueueListener(topic = "${queue}", group = "billing")
		void handle(String payload, DeliveryInfo info) throws IOException {
			this.handler.handle(payload, info);
		}

	}

	static class OtherHandler {

		private final Handler handler;

		OtherHandler(Handler handler) {
			this.handler = handler;
		}

		@QueueListener(queues = "${other}")
		void handle(String payload, DeliveryInfo info) throws IOException {
			this.handler.handle(payload, info);
		}

	}

}
