package io.redelay.queue.recurring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests of when recurring messages run first and last, how often, and what
 * else their messages have.
 */
class RecurringLimitsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@ParameterizedTest
	@EnumSource(OverlappingRuns.class)
	@Execution(ExecutionMode.CONCURRENT)
	void twoInstancesRunItSoManyTimesAndItStaysEndedAfterARestart(OverlappingRuns overlap) {
		Seen seen = new Seen();
		for (int start = 0; start < 2; start++) {
			try (ListenerApplication one = limited(seen, overlap).start();
					ListenerApplication other = limited(seen, overlap).start()) {
				RecurringMessages recurring = one.bean(RecurringMessages.class);
				await().until(() -> recurring.find(this.queue, "limited").filter(RecurringInfo::ended).isPresent());
				await().until(() -> seen.ticks.size() == 4);
				RecurringInfo info = recurring.find(this.queue, "limited").orElseThrow();
				assertThat(info.runs()).isEqualTo(4);
				assertThat(info.runsLeft()).isZero();
				assertThat(info.nextRuns()).isEmpty();
				assertThat(info.lastTick()).isNotNull();
				assertThat(info.limits()).isEqualTo(new RunLimits(null, null, 4, true, Duration.ofMillis(50)));
				assertThat(other.bean(RecurringMessages.class).find(this.queue, "limited").orElseThrow().ended())
					.isTrue();
			}
		}
		assertThat(seen.ticks).doesNotHaveDuplicates().hasSize(4);
		await().untilAsserted(() -> assertThat(seen.events).filteredOn((event) -> event.queue().equals(this.queue))
			.filteredOn((event) -> event.kind() == RecurringEvent.Kind.ENDED)
			.hasSize(1));
	}

	private ListenerApplication.Builder limited(Seen seen, OverlappingRuns overlap) {
		return ListenerApplication.on(redis)
			.bean(seen)
			.with("test.queue", this.queue)
			.with("redelay.queue.recurring.limited.queue", this.queue)
			.with("redelay.queue.recurring.limited.every", "150ms")
			.with("redelay.queue.recurring.limited.overlap", overlap)
			.with("redelay.queue.recurring.limited.max-runs", "4")
			.with("redelay.queue.recurring.limited.run-at-declaration", "true")
			.with("redelay.queue.recurring.limited.jitter", "50ms");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itRunsFromItsBeginningToItsEndAndOnceMoreOnRequest() {
		Seen seen = new Seen();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(seen)
			.with("test.queue", this.queue)
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			Instant from = Instant.ofEpochMilli(System.currentTimeMillis() + 3000);
			Instant until = from.plusMillis(600);
			recurring.declare(RecurringDeclaration.every(this.queue, "span", Duration.ofMillis(200))
				.missed(MissedTicks.ALL)
				.overlap(OverlappingRuns.SIDE_BY_SIDE)
				.from(from)
				.until(until));
			await().until(() -> recurring.find(this.queue, "span").orElseThrow().ended());
			await().until(() -> seen.ticks.size() == 4);
			assertThat(seen.ticks).containsExactlyInAnyOrder(from, from.plusMillis(200), from.plusMillis(400), until);
			assertThat(recurring.runNow(this.queue, "span")).isTrue();
			await().until(() -> seen.ticks.size() == 5);
			assertThat(recurring.find(this.queue, "span").orElseThrow().runs()).isEqualTo(4);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachMessageHasWhatTheTemplateHas() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			Instant tick = application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "full", Duration.ofHours(1))
					.payload("x")
					.tags(List.of("one"))
					.options((message) -> message.priority(8)
						.maxAttempts(3)
						.header("tenant", "seven")
						.header("number", 5_000_000_000L)
						.orderingKey("order")
						.fairnessKey("tenant", 3)
						.deadline(Duration.ofMinutes(9))
						.timeToLive(Duration.ofMinutes(5))
						.maxHandlingTime(Duration.ofSeconds(7))
						.deadLetterQueue(this.queue + ".dead")
						.payloadType("report")
						.tag("two")))
				.nextRuns()
				.get(0);
			assertMessage(application, tick);
			assertThat(scheduled(application).tags()).containsExactlyInAnyOrder("one", "two");
			assertThat(scheduled(application).payloadType()).isEqualTo("report");
			assertThat(scheduled(application).headers()).containsEntry("number", 5_000_000_000L);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anAnnotationAndPropertiesSayTheSame() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Annotated())
			.with("test.queue", this.queue)
			.start()) {
			await().until(() -> !application.bean(RecurringMessages.class).list().isEmpty());
			assertMessage(application, nextOf(application, "annotated"));
			application.bean(RecurringMessages.class).remove(this.queue, "annotated");
		}
		String prefix = "redelay.queue.recurring.by-property.";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with(prefix + "queue", this.queue)
			.with(prefix + "every", "1h")
			.with(prefix + "priority", "8")
			.with(prefix + "max-attempts", "3")
			.with(prefix + "headers.tenant", "seven")
			.with(prefix + "ordering-key", "order")
			.with(prefix + "fairness-key", "tenant")
			.with(prefix + "deadline", "9m")
			.with(prefix + "time-to-live", "5m")
			.with(prefix + "max-handling-time", "7s")
			.with(prefix + "dead-letter-queue", this.queue + ".dead")
			.start()) {
			assertMessage(application, nextOf(application, "by-property"));
		}
	}

	private Instant nextOf(ListenerApplication application, String name) {
		RecurringMessages recurring = application.bean(RecurringMessages.class);
		await().until(() -> recurring.find(this.queue, name).isPresent());
		return recurring.find(this.queue, name).orElseThrow().nextRuns().get(0);
	}

	private QueuedMessage scheduled(ListenerApplication application) {
		List<QueuedMessage> scheduled = application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, MessageState.SCHEDULED, 0, 10)
			.messages();
		assertThat(scheduled).hasSize(1);
		return scheduled.get(0);
	}

	private void assertMessage(ListenerApplication application, Instant tick) {
		QueuedMessage message = scheduled(application);
		assertThat(message.dueAt()).isEqualTo(tick);
		assertThat(message.priority()).isEqualTo(8);
		assertThat(message.orderingKey()).isEqualTo("order");
		assertThat(message.fairnessKey()).isEqualTo("tenant");
		assertThat(message.headers()).containsEntry("tenant", "seven");
		Object body = application.bean(org.redisson.api.RedissonClient.class)
			.getMap("redelay:{" + this.queue + "}:messages", org.redisson.client.codec.StringCodec.INSTANCE)
			.get(message.uid());
		assertThat(String.valueOf(body)).contains("\"timeToLive\":300000")
			.contains("\"deadline\":" + tick.plusSeconds(540).toEpochMilli())
			.contains("\"maxAttempts\":3")
			.contains("7000")
			.contains(this.queue + ".dead");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theOptionsHoldWhenATickIsHandled() {
		Failing failing = new Failing();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(failing)
			.with("test.queue", this.queue)
			.start()) {
			application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "failing", Duration.ofHours(1))
					.runAtDeclaration()
					.options((message) -> message.maxAttempts(1).headers(Map.of("tenant", "seven"))));
			await().until(() -> dead(application) != null);
			assertThat(dead(application).death().reason()).isEqualTo(DeathReason.FAILED);
			assertThat(failing.tenants).containsExactly("seven");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickThatIsClaimedAfterItsTimeToLiveExpiresAndTheNextOneFollows() {
		Seen seen = new Seen();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(seen)
			.with("test.queue", this.queue)
			.with("redelay.queue.listener.auto-startup", "false")
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			Instant first = recurring
				.declare(RecurringDeclaration.every(this.queue, "expiring", Duration.ofSeconds(2))
					.options((message) -> message.timeToLive(Duration.ofSeconds(1))))
				.nextRuns()
				.get(0);
			await().until(() -> Instant.now().isAfter(first.plusMillis(1500)));
			application.container().start();
			await().until(() -> dead(application) != null);
			assertThat(dead(application).death().reason()).isEqualTo(DeathReason.EXPIRED);
			await().until(() -> !seen.ticks.isEmpty());
		}
	}

	private @Nullable QueuedMessage dead(ListenerApplication application) {
		return application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, MessageState.DEAD, 0, 10)
			.messages()
			.stream()
			.findFirst()
			.orElse(null);
	}

	static class Seen {

		final Queue<Instant> ticks = new ConcurrentLinkedQueue<>();

		final Queue<RecurringEvent> events = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(RecurringTick tick) {
			this.ticks.add(tick.scheduledFor());
		}

		@EventListener
		void on(RecurringEvent event) {
			this.events.add(event);
		}

	}

	static class Annotated {

		@RecurringMessage(name = "annotated", queue = "${test.queue}", every = "1h", priority = "8", maxAttempts = "3",
				headers = "tenant=seven", orderingKey = "order", fairnessKey = "tenant", deadline = "9m",
				timeToLive = "5m", maxHandlingTime = "7s", deadLetterQueue = "${test.queue}.dead",
				from = "${test.from:2026-01-01T00:00:00Z}", until = "2400-01-01T00:00:00", maxRuns = "9")
		String payload() {
			return "x";
		}

	}

	static class Failing {

		final Queue<String> tenants = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(RecurringTick tick, DeliveryInfo info, @Header("tenant") String tenant) {
			this.tenants.add(tenant);
			throw new IllegalStateException("thrown by a test");
		}

	}

}
