package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueLimits;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.work.Checkpoint;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Redis believes that an instance holds after it went back in time, and what an
 * instance holds that Redis has forgotten: nothing stays so.
 */
class ForgottenStateIntegrationTests extends FaultTests {

	/**
	 * Much shorter than the default lease, {@code 30s}, of which nothing here waits for
	 * the end.
	 */
	private static final Duration SOON = Duration.ofSeconds(20);

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	/**
	 * Has Redis forget all since it was saved.
	 */
	private void goBack() {
		this.redis.kill();
		this.redis.restart();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aKeyThatRedisBelievesToRunIsFreeForItsOwnerAndForOthers() {
		ConfigurableApplicationContext one = instance(Keyed.class, "redelay.queue.listener.lease-time=1m");
		Keyed keyed = one.getBean(Keyed.class);
		queue(one).send(this.queue, "a");
		queue(one).send(this.queue, "b");
		Awaitility.await().until(() -> keyed.begun.size() == 2);
		this.redis.command("SAVE");
		keyed.mayFail.put("a", true);
		keyed.mayFail.put("b", true);
		keyed.mayEnd.release(2);
		Awaitility.await().until(() -> keyed.failed.size() == 2);
		goBack();
		// It renews its lease, and asks.
		queue(one).send(this.queue, "other");
		Awaitility.await().until(() -> keyed.begun.contains("other"));
		queue(one).send(this.queue, "a");
		Awaitility.await().atMost(SOON).until(() -> keyed.begun.stream().filter("a"::equals).count() == 2);
		Keyed second = instance(Keyed.class, "redelay.queue.listener.lease-time=1m").getBean(Keyed.class);
		queue(one).send(this.queue, "b");
		Awaitility.await()
			.atMost(SOON)
			.until(() -> keyed.begun.stream().filter("b"::equals).count() + second.begun.size() == 2);
		keyed.mayEnd.release(100);
		second.mayEnd.release(100);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aKeyOfWhichRedisHasForgottenThatItRunsIsNotRunByAnother() {
		ConfigurableApplicationContext one = instance(Keyed.class);
		Keyed keyed = one.getBean(Keyed.class);
		queue(one).send(this.queue, "before");
		Awaitility.await().until(() -> keyed.begun.size() == 1);
		this.redis.command("SAVE");
		queue(one).send(this.queue, "a");
		Awaitility.await().until(() -> keyed.begun.size() == 2);
		goBack();
		Awaitility.await().untilAsserted(() -> assertThat(running()).contains("=a", "=before"));
		ConfigurableApplicationContext two = instance(Keyed.class);
		queue(two).send(this.queue, "a");
		queue(two).send(this.queue, "last");
		Keyed second = two.getBean(Keyed.class);
		Awaitility.await().until(() -> keyed.begun.contains("last") || second.begun.contains("last"));
		assertThat(keyed.begun).containsOnlyOnce("a");
		assertThat(second.begun).doesNotContain("a");
		keyed.mayEnd.release(100);
		second.mayEnd.release(100);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSharedLimitDoesNotCountWhatOnlyRedisBelievesToBeHeld() {
		String limit = "redelay.queue.limits.test.max-in-flight=1";
		ConfigurableApplicationContext one = instance(Sharing.class, limit, "test.shared=" + this.queue);
		ConfigurableApplicationContext two = instance(Sharing.class, limit, "test.shared=" + this.queue + ".other");
		Handled first = one.getBean(Handled.class);
		Handled second = two.getBean(Handled.class);
		queue(one).send(this.queue, "held");
		Awaitility.await().until(() -> first.begun.contains("held"));
		this.redis.command("SAVE");
		first.mayEnd.release();
		Awaitility.await().until(() -> info(one).inFlight() == 0);
		goBack();
		queue(one).send(this.queue + ".other", "a");
		Awaitility.await().atMost(SOON).until(() -> second.begun.contains("a"));
		queue(one).send(this.queue, "b");
		second.mayEnd.release();
		Awaitility.await().atMost(SOON).until(() -> first.begun.contains("b"));
		queue(one).send(this.queue + ".other", "c");
		first.mayEnd.release(10);
		Awaitility.await().atMost(SOON).until(() -> second.begun.contains("c"));
		second.mayEnd.release(10);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void limitsThatRedisHasForgottenAreSetAgain() {
		ConfigurableApplicationContext one = instance(Nothing.class, REPLAY);
		QueueAdmin admin = one.getBean(QueueAdmin.class);
		sendLater(one, 1);
		admin.limits().change(this.queue, LimitsChange.none().maxInFlight(7).rateLimit("5/1s"));
		this.redis.command("SAVE");
		admin.limits().change(this.queue, LimitsChange.none().maxInFlight(3).clear(QueueLimit.RATE_LIMIT));
		admin.limits().change(this.queue, LimitsChange.none().orderingKeyMaxLength(2));
		goBack();
		Awaitility.await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
			QueueLimits limits = admin.limits().of(this.queue);
			assertThat(limits.of(QueueLimit.MAX_IN_FLIGHT).set()).isEqualTo("3");
			assertThat(limits.of(QueueLimit.RATE_LIMIT).set()).isNull();
			assertThat(limits.of(QueueLimit.ORDERING_KEY_MAX_LENGTH).set()).isEqualTo("2");
		});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFairnessKeyHasAsManyInFlightAsItsListenersHold() {
		ConfigurableApplicationContext one = instance(Fair.class, REPLAY);
		Handled handled = one.getBean(Handled.class);
		send(one, "before");
		Awaitility.await().until(() -> handled.begun.contains("before"));
		this.redis.command("SAVE");
		send(one, "since");
		handled.mayEnd.release();
		Awaitility.await().until(() -> handled.begun.contains("since"));
		goBack();
		Awaitility.await().until(() -> handled.rolledBack.contains("consumer"));
		send(one, "third");
		send(one, "fourth");
		queue(one).send(this.queue, "plain");
		Awaitility.await().atMost(SOON).until(() -> handled.begun.contains("plain"));
		assertThat(handled.begun).as("one of the key is in hand").doesNotContain("third", "fourth");
		handled.mayEnd.release();
		Awaitility.await()
			.atMost(SOON)
			.until(() -> handled.begun.contains("third") || handled.begun.contains("fourth"));
		assertThat(handled.begun).hasSize(4);
		handled.mayEnd.release(10);
		Awaitility.await().atMost(SOON).until(() -> handled.begun.size() == 5);
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.redis.command("EXISTS", "redelay:{" + this.queue + "}:busy")).isEqualTo(0L));
	}

	private void send(ConfigurableApplicationContext context, String payload) {
		queue(context).send(OutboundMessage.to(this.queue, payload).fairnessKey("k"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRecurringMessageGoesOnWhoseRunsHaveEndedAndAreForgotten() {
		ConfigurableApplicationContext one = instance(Ticking.class, REPLAY);
		Handled handled = one.getBean(Handled.class);
		handled.mayEnd.release(3);
		Awaitility.await().until(() -> handled.begun.size() == 4);
		this.redis.command("SAVE");
		handled.mayEnd.release(3);
		Awaitility.await().until(() -> handled.begun.size() == 7);
		goBack();
		handled.mayEnd.release(10_000);
		Awaitility.await().atMost(SOON).until(() -> handled.begun.size() > 12);
		assertThat(one.getBean(RecurringMessages.class).find(this.queue, "tick")).isPresent();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBulkJobGoesOnOfWhichRedisHasForgottenThatItBegan() {
		ConfigurableApplicationContext one = instance(Nothing.class);
		QueueAdmin admin = one.getBean(QueueAdmin.class);
		sendLater(one, 300);
		this.redis.command("SAVE");
		String id = admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(50))
			.id();
		Awaitility.await().until(() -> admin.jobs().find(id).orElseThrow().done() >= 50);
		goBack();
		Awaitility.await()
			.ignoreExceptions()
			.until(() -> admin.jobs().find(id).orElseThrow().state() == BulkJob.State.DONE);
		assertThat(info(one).dead()).isGreaterThan(150);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBulkJobThatHasEndedDoesNotGoOn() {
		ConfigurableApplicationContext one = instance(Nothing.class);
		QueueAdmin admin = one.getBean(QueueAdmin.class);
		sendLater(one, 300);
		String id = admin.jobs()
			.start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()).perSecond(10))
			.id();
		Awaitility.await().until(() -> admin.jobs().find(id).orElseThrow().done() >= 5);
		this.redis.command("SAVE");
		admin.jobs().stop(id);
		Awaitility.await().until(() -> admin.jobs().find(id).orElseThrow().instance() != null);
		goBack();
		Awaitility.await()
			.ignoreExceptions()
			.until(() -> admin.jobs().find(id).orElseThrow().state() != BulkJob.State.RUNNING);
		assertThat(admin.jobs().find(id).orElseThrow().state()).isEqualTo(BulkJob.State.STOPPED);
		assertThat(info(one).dead()).isLessThan(250);
	}

	private void sendLater(ConfigurableApplicationContext context, int count) {
		queue(context).sendAll(IntStream.range(0, count)
			.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).delay(Duration.ofHours(1)))
			.toList());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCheckpointThatRedisHasForgottenIsThereForTheNextAttempt() {
		ConfigurableApplicationContext one = instance(Working.class, REPLAY);
		Handled handled = one.getBean(Handled.class);
		Working working = one.getBean(Working.class);
		queue(one).send(this.queue, "work");
		handled.mayEnd.release(); // saves 1
		Awaitility.await().until(() -> working.saved == 1);
		this.redis.command("SAVE");
		handled.mayEnd.release(); // saves 2
		Awaitility.await().until(() -> working.saved == 2);
		goBack();
		Awaitility.await().untilAsserted(() -> assertThat(storedCheckpoint()).endsWith("2"));
		working.fails = true;
		handled.mayEnd.release(10);
		Awaitility.await().until(() -> working.found.size() == 2);
		assertThat(working.found).containsExactly(0, 2);
	}

	private String storedCheckpoint() {
		List<?> work = (List<?>) this.redis.command("HGETALL", "redelay:{" + this.queue + "}:work");
		for (int i = 0; i < work.size(); i += 2) {
			if (work.get(i).toString().endsWith("/checkpoint")) {
				return work.get(i + 1).toString();
			}
		}
		return "";
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aLockThatWasHeldForItsLeastTimeIsFreeAfterItsLease() throws InterruptedException {
		ConfigurableApplicationContext one = instance(Locking.class);
		LockTemplate locks = one.getBean(LockTemplate.class);
		LockSpec spec = LockSpec.of(this.queue).withMinHold(Duration.ofSeconds(1)).withWaitTime(Duration.ofMinutes(2));
		locks.execute(spec, () -> this.redis.command("SAVE"));
		goBack();
		long start = System.nanoTime();
		locks.execute(spec, () -> "again");
		// The watchdog of Redisson renews a lease of 30 s.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aGroupThatRedisHasForgottenGetsWhatWasPublished() {
		ConfigurableApplicationContext one = instance(Audit.class, REPLAY);
		queue(one).publish(this.queue, "before");
		this.redis.command("SAVE");
		ConfigurableApplicationContext two = instance(Billing.class, REPLAY);
		Handled audit = one.getBean(Handled.class);
		Handled billing = two.getBean(Handled.class);
		queue(one).publish(this.queue, "first");
		Awaitility.await().until(() -> billing.begun.size() == 1 && audit.begun.size() == 2);
		two.getBean(QueueListenerEndpointRegistry.class).stop();
		queue(one).publish(this.queue, "second");
		Awaitility.await().until(() -> audit.begun.size() == 3);
		goBack();
		queue(one).publish(this.queue, "third");
		two.getBean(QueueListenerEndpointRegistry.class).start();
		Awaitility.await().atMost(SOON).untilAsserted(() -> assertThat(billing.begun).contains("second", "third"));
		assertThat(audit.begun).contains("third").doesNotHaveDuplicates();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageWhoseTimeIsOverIsBuriedIfRedisHadForgottenThatItsQueueHasSuch() {
		ConfigurableApplicationContext one = instance(Nothing.class, REPLAY);
		this.redis.command("SAVE");
		queue(one).send(OutboundMessage.to(this.queue, "a").timeToLive(Duration.ofSeconds(1)));
		goBack();
		queue(one).send(OutboundMessage.to(this.queue, "b").timeToLive(Duration.ofSeconds(1)));
		// Not by QueueAdmin, which has them buried when it is asked.
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.redis.command("ZCARD", "redelay:{" + this.queue + "}:dead")).isEqualTo(2L));
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aResultComesThoughItsMessageWasForgotten() {
		ConfigurableApplicationContext one = instance(Answering.class, REPLAY);
		Handled handled = one.getBean(Handled.class);
		this.redis.command("SAVE");
		List<CompletableFuture<String>> results = IntStream.range(0, 40)
			.mapToObj((i) -> queue(one).sendForResult(OutboundMessage.to(this.queue, "m" + i), String.class))
			.toList();
		Awaitility.await().until(() -> handled.begun.size() == 10);
		this.redis.kill();
		handled.mayEnd.release(1000);
		this.redis.restart();
		assertThat(results).allSatisfy((result) -> assertThat(result).succeedsWithin(Duration.ofMinutes(2)));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aResultComesThoughRedisHasForgottenItsMessageAndItIsNotSentAgain() {
		ConfigurableApplicationContext one = instance(Answering.class, REPLAY);
		ConfigurableApplicationContext sender = instance(Nothing.class, "redelay.queue.replay.duration=0s");
		Handled handled = one.getBean(Handled.class);
		this.redis.command("SAVE");
		CompletableFuture<String> result = queue(sender).sendForResult(OutboundMessage.to(this.queue, "a").id("a"),
				String.class);
		Awaitility.await().until(() -> handled.begun.size() == 1);
		goBack();
		handled.mayEnd.release();
		assertThat(result).succeedsWithin(Duration.ofMinutes(2)).isEqualTo("a!");
		assertThat(handled.begun).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void keysStayInTheirPartitionsIfRedisHasForgottenHowManyThereAre() {
		this.redis.command("SAVE");
		ConfigurableApplicationContext one = instance(Nothing.class, REPLAY,
				"redelay.queue.queues[" + this.queue + "].partitions=4");
		for (int i = 0; i < 20; i++) {
			queue(one).send(OutboundMessage.to(this.queue, "m" + i).orderingKey("k" + i).delay(Duration.ofHours(1)));
		}
		assertThat(layout()).isEqualTo("4 4");
		goBack();
		Awaitility.await().ignoreExceptions().until(() -> info(one).scheduled() == 20);
		queue(one).send(this.queue, "later");
		Awaitility.await().until(() -> layout() != null);
		assertThat(layout()).isEqualTo("4 4");
	}

	private @Nullable Object layout() {
		return this.redis.command("HGET", "redelay:partitions", this.queue);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void commandsOnRecurringMessagesThatRedisHasForgottenAreGivenAgain() {
		ConfigurableApplicationContext one = instance(Nothing.class, REPLAY);
		RecurringMessages recurring = one.getBean(RecurringMessages.class);
		for (String name : List.of("removed", "paused", "resumed")) {
			recurring.declare(RecurringDeclaration.every(this.queue, name, Duration.ofHours(1)));
		}
		recurring.pause(this.queue, "resumed");
		this.redis.command("SAVE");
		recurring.declare(RecurringDeclaration.every(this.queue, "declared", Duration.ofHours(1)));
		recurring.pause(this.queue, "declared");
		recurring.remove(this.queue, "removed");
		recurring.pause(this.queue, "paused");
		recurring.resume(this.queue, "resumed");
		List<String> before = states(recurring);
		assertThat(before).containsExactly("declared true", "paused true", "resumed false");
		goBack();
		Awaitility.await().ignoreExceptions().untilAsserted(() -> assertThat(states(recurring)).isEqualTo(before));
	}

	private static List<String> states(RecurringMessages recurring) {
		return recurring.list().stream().map((info) -> info.name() + " " + info.paused()).sorted().toList();
	}

	private QueueInfo info(ConfigurableApplicationContext context) {
		return context.getBean(QueueAdmin.class).queues().info(this.queue);
	}

	private List<String> running() {
		Object keys = this.redis.command("HKEYS", "redelay:{" + this.queue + "}:idempotent:running");
		return ((List<?>) keys).stream().map(String::valueOf).toList();
	}

	/**
	 * Handles until it may end, and fails then if the test says so.
	 */
	static class Keyed {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> failed = new CopyOnWriteArrayList<>();

		final Map<String, Boolean> mayFail = new ConcurrentHashMap<>();

		final Semaphore mayEnd = new Semaphore(0);

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload}", concurrency = "5", maxAttempts = "1")
		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.mayEnd.acquire();
			if (this.mayFail.remove(payload) != null) {
				this.failed.add(payload);
				throw new IllegalStateException("as the test says");
			}
		}

	}

	/**
	 * What was handled, until it may end.
	 */
	static class Handled {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> rolledBack = new CopyOnWriteArrayList<>();

		final Semaphore mayEnd = new Semaphore(0);

		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.mayEnd.acquire();
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.rolledBack.add(event.lane());
		}

	}

	@Import(Handled.class)
	record Sharing(Handled handled) {

		@QueueListener(queues = "${test.shared}", sharedLimit = "test")
		void handle(String payload) throws InterruptedException {
			this.handled.handle(payload);
		}

	}

	@Import(Handled.class)
	record Fair(Handled handled) {

		@QueueListener(queues = "${test.queue}", keyMaxInFlight = "1", concurrency = "5")
		void handle(String payload) throws InterruptedException {
			this.handled.handle(payload);
		}

	}

	@Import(Handled.class)
	record Ticking(Handled handled) {

		@RecurringMessage(name = "tick", every = "200ms", lateAfter = "1h")
		@QueueListener("${test.queue}")
		void handle(RecurringTick tick) throws InterruptedException {
			this.handled.handle(tick.toString());
		}

	}

	@Import(Handled.class)
	static class Working {

		final List<Integer> found = new CopyOnWriteArrayList<>();

		private final Handled handled;

		volatile boolean fails;

		volatile int saved;

		Working(Handled handled) {
			this.handled = handled;
		}

		@QueueListener("${test.queue}")
		void handle(String payload, Checkpoint<Integer> checkpoint) throws InterruptedException {
			this.found.add(checkpoint.get().orElse(0));
			for (int i = 1; i < 10; i++) {
				this.handled.handle(payload);
				if (this.fails && this.found.size() == 1) {
					throw new IllegalStateException("as the test says");
				}
				checkpoint.saveNow(i);
				this.saved = i;
			}
		}

	}

	@Import(Handled.class)
	record Audit(Handled handled) {

		@QueueListener(topic = "${test.queue}", group = "audit")
		void handle(String payload) {
			this.handled.begun.add(payload);
		}

	}

	@Import(Handled.class)
	record Billing(Handled handled) {

		@QueueListener(topic = "${test.queue}", group = "billing")
		void handle(String payload) {
			this.handled.begun.add(payload);
		}

	}

	@Import(Handled.class)
	record Answering(Handled handled) {

		@QueueListener(queues = "${test.queue}", concurrency = "10")
		String handle(String payload) throws InterruptedException {
			this.handled.handle(payload);
			return payload + "!";
		}

	}

	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

	static class Nothing {

	}

}
