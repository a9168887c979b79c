package io.redelay.queue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageResultException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what is kept of messages that are done, and for waiting for their results: a
 * sender and a listener, each an instance of its own.
 */
class RetentionIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String PREFIX = "r" + UUID.randomUUID();

	private static ListenerApplication listener;

	private static ListenerApplication sender;

	@BeforeAll
	static void start() {
		listener = builder().bean(new Handlers())
			.with("redelay.queue.queues[" + queue("kept") + "].completed.max-count", 3)
			.with("redelay.queue.queues[" + queue("many") + "].completed.max-age", "1h")
			.with("redelay.queue.queues[" + queue("small") + "].completed.max-bytes", "4KB")
			.with("redelay.queue.queues[" + queue("short") + "].completed.max-age", "300ms")
			.with("redelay.queue.queues[" + queue("results") + "].completed.results", "true")
			.with("redelay.queue.queues[" + queue("parts") + "].partitions", "3")
			.start();
		sender = builder().with("redelay.queue.queues[" + queue("parts") + "].partitions", "3").start();
	}

	@AfterAll
	static void stop() {
		sender.close();
		listener.close();
	}

	private static ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis).with("prefix", PREFIX);
	}

	private static String queue(String name) {
		return PREFIX + "." + name;
	}

	@Test
	void lastOnesAreKeptAndCountedBrowsedAndFound() {
		String queue = queue("kept");
		for (int i = 0; i < 5; i++) {
			queues().send(OutboundMessage.to(queue, "m" + i).id("id-" + i));
			int sent = i + 1;
			await().until(() -> admin().messages()
				.find(queue, "id-" + (sent - 1))
				.filter((message) -> message.state() == MessageState.COMPLETED)
				.isPresent());
		}
		assertThat(admin().queues().info(queue).completed()).isEqualTo(3);
		List<QueuedMessage> page = admin().messages().browse(queue, MessageState.COMPLETED, 0, 10).messages();
		assertThat(page).extracting(QueuedMessage::payloadAsText).containsExactly("m4", "m3", "m2");
		assertThat(page).allSatisfy((message) -> {
			assertThat(message.completedAt()).isAfterOrEqualTo(message.sentAt());
			assertThat(message.result()).isNull();
		});
		assertThat(admin().messages().find(queue, "id-0")).isEmpty();
		assertThat(admin().messages().cancel(queue, "id-4").state()).isEqualTo(MessageState.COMPLETED);
		assertThat(admin().queues().info(queue).completed()).isEqualTo(2);
		assertThat(admin().control().purge(queue, MessageState.COMPLETED)).isEqualTo(2);
		assertThat(admin().queues().info(queue)).satisfies((info) -> {
			assertThat(info.completed()).isZero();
			assertThat(info.completedBytes()).isZero();
		});
	}

	@Test
	void allAreRemovedHoweverManyAreKept() {
		String queue = queue("many");
		queues().sendAll(IntStream.range(0, 2_500).mapToObj((i) -> OutboundMessage.to(queue, "m" + i)).toList());
		await().until(() -> admin().queues().info(queue).completed() == 2_500);
		assertThat(admin().control().purge(queue, MessageState.COMPLETED)).isEqualTo(2_500);
		assertThat(admin().queues().info(queue).completed()).isZero();
	}

	@Test
	void noMoreBytesAreKeptThanTheQueueMayHave() {
		String queue = queue("small");
		for (int i = 0; i < 8; i++) {
			queues().send(queue, i + "x".repeat(1_000));
		}
		await().until(() -> {
			QueueInfo info = admin().queues().info(queue);
			return info.ready() == 0 && info.inFlight() == 0;
		});
		assertThat(admin().queues().info(queue).completedBytes()).isBetween(3_000L, 4_096L);
		assertThat(admin().queues().info(queue).completed()).isEqualTo(3);
	}

	@Test
	void nothingIsLeftWhenTheyAreTooOld() {
		String queue = queue("short");
		queues().send(queue, "x");
		await().until(() -> keys(queue).contains("redelay:{" + queue + "}:completed"));
		await().until(() -> keys(queue).stream().noneMatch((key) -> key.contains(":completed")));
	}

	@Test
	void queueWithoutRetentionKeepsNothing() {
		String queue = queue("plain");
		queues().send(queue, "x");
		await().until(() -> admin().queues().info(queue).inFlight() + admin().queues().info(queue).ready() == 0);
		assertThat(admin().queues().info(queue).completed()).isZero();
		assertThat(keys(queue)).noneMatch((key) -> key.contains(":completed"));
	}

	@Test
	void queueThatKeepsResultsGivesThemToEachCaller() throws Exception {
		String queue = queue("results");
		String id = queues().send(OutboundMessage.to(queue, "ann").id("x")).id();
		await().until(() -> admin().queues().info(queue).completed() == 1);
		assertThat(get(queues().result(queue, id, Greeting.class))).isEqualTo(new Greeting("hello ann"));
		assertThat(new String(admin().messages().find(queue, id).orElseThrow().result(), StandardCharsets.UTF_8))
			.isEqualTo("{\"text\":\"hello ann\"}");
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> get(queues().result(queue, id, Long.class)))
			.withCauseInstanceOf(MessageResultException.class)
			.withMessageContaining("cannot be read as java.lang.Long");
	}

	@Test
	void senderGetsWhatTheHandlerOfAnotherInstanceReturns() throws Exception {
		assertThat(get(ask("sync", "ann"))).isEqualTo(new Greeting("hello ann"));
		assertThat(get(ask("stage", "bob"))).isEqualTo(new Greeting("hello bob"));
		assertThat(get(ask("mono", "cid"))).isEqualTo(new Greeting("hello cid"));
		assertThat(get(ask("parts", "dan"))).isEqualTo(new Greeting("hello dan"));
		assertThat(get(queues().sendForResult(OutboundMessage.to(queue("plain"), "x"), Void.class))).isNull();
	}

	@Test
	void senderIsNotifiedWithoutLooking() throws Exception {
		// It looks once a second, so without a wake-up it has no answer before that.
		Duration quickest = Duration.ofDays(1);
		for (int i = 0; i < 50 && quickest.toMillis() >= 900; i++) {
			long start = System.nanoTime();
			assertThat(get(ask("sync", "n" + i))).isEqualTo(new Greeting("hello n" + i));
			Duration taken = Duration.ofNanos(System.nanoTime() - start);
			quickest = (taken.compareTo(quickest) < 0) ? taken : quickest;
		}
		assertThat(quickest).isLessThan(Duration.ofMillis(900));
	}

	@Test
	void senderThatStartedAgainFindsTheResult() throws Exception {
		String id = UUID.randomUUID().toString();
		try (ListenerApplication other = builder().start()) {
			CompletableFuture<Greeting> lost = other.queues()
				.sendForResult(OutboundMessage.to(queue("sync"), "ann").id(id).delay(Duration.ofMillis(300)),
						Greeting.class);
			await().until(() -> admin().messages().find(queue("sync"), id).isPresent());
			other.close();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(lost))
				.withCauseInstanceOf(QueueException.class)
				.withMessageContaining("application is closing");
		}
		assertThat(get(queues().result(queue("sync"), id, Greeting.class))).isEqualTo(new Greeting("hello ann"));
	}

	@Test
	void duplicateGetsTheResultOfTheFirst() throws Exception {
		OutboundMessage message = OutboundMessage.to(queue("sync"), "ann")
			.id(UUID.randomUUID().toString())
			.delay(Duration.ofMillis(300));
		CompletableFuture<Greeting> first = queues().sendForResult(message, Greeting.class);
		CompletableFuture<Greeting> second = listener.queues().sendForResult(message, Greeting.class);
		assertThat(get(first)).isEqualTo(get(second));
	}

	@Test
	void senderIsNotifiedOfADeath() {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(ask("sync", "reject")))
			.withCauseInstanceOf(MessageResultException.class)
			.withMessageContaining("is dead (REJECTED")
			.satisfies((ex) -> {
				MessageResultException failure = (MessageResultException) ex.getCause();
				assertThat(failure.getState()).isEqualTo(MessageState.DEAD);
				assertThat(failure.getDeath().reason()).isEqualTo(DeathReason.REJECTED);
			});
	}

	@Test
	void senderIsNotifiedOfACancellationAndOfAnExpiry() {
		String id = UUID.randomUUID().toString();
		CompletableFuture<Greeting> cancelled = queues()
			.sendForResult(OutboundMessage.to(queue("sync"), "x").id(id).delay(Duration.ofHours(1)), Greeting.class);
		CompletableFuture<Greeting> expired = queues()
			.sendForResult(OutboundMessage.to(queue("nobody"), "x").timeToLive(Duration.ofMillis(1)), Greeting.class);
		CompletableFuture<Greeting> dropped = queues().sendForResult(
				OutboundMessage.to(queue("dropped"), "x").timeToLive(Duration.ofMillis(1), ExpiryAction.DROP),
				Greeting.class);
		await().until(() -> admin().messages().cancel(queue("sync"), id).done());
		await().until(() -> admin().queues().names().containsAll(List.of(queue("nobody"), queue("dropped"))));
		await().until(() -> admin().queues().info(queue("dropped")).ready() == 0);
		// Nothing is kept of what ends while it waits, so these two are nowhere.
		assertThat(List.of(cancelled, dropped))
			.allSatisfy((nowhere) -> assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(nowhere))
				.withMessageContaining("it was cancelled, dropped, forwarded or removed")
				.havingCause()
				.isInstanceOfSatisfying(MessageResultException.class,
						(ex) -> assertThat(ex.getState()).isEqualTo(MessageState.UNKNOWN)));
		await().until(() -> admin().queues().info(queue("nobody")).dead() == 1);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(expired))
			.withMessageContaining("EXPIRED");
	}

	@Test
	void resultThatCannotBeKeptIsReported() {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(ask("sync", "huge")))
			.withCauseInstanceOf(MessageResultException.class)
			.withMessageContaining("at most 1048576 are kept");
	}

	@Test
	void resultOfAQueueThatKeepsNoneIsRefusedInTheEnd() {
		String queue = queue("kept2");
		String id = queues().send(queue, "x").id();
		await().until(() -> admin().queues().info(queue).inFlight() + admin().queues().info(queue).ready() == 0);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> get(queues().result(queue, id, String.class)))
			.withCauseInstanceOf(MessageResultException.class)
			.withMessageContaining("listener that keeps nothing");
	}

	@Test
	void aReceiverThatGivesUpLeavesTheMessage() {
		CompletableFuture<Greeting> waiting = queues()
			.sendForResult(OutboundMessage.to(queue("sync"), "x").delay(Duration.ofHours(1)), Greeting.class)
			.orTimeout(100, TimeUnit.MILLISECONDS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withCauseInstanceOf(TimeoutException.class);
		await().until(() -> admin().queues().info(queue("sync")).scheduled() > 0);
	}

	private static CompletableFuture<Greeting> ask(String name, String payload) {
		return queues().sendForResult(OutboundMessage.to(queue(name), payload), Greeting.class);
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(60, TimeUnit.SECONDS);
	}

	private static List<String> keys(String queue) {
		List<String> keys = new java.util.ArrayList<>();
		redis.client()
			.getKeys()
			.getKeys(org.redisson.api.options.KeysScanOptions.defaults().pattern("redelay:{" + queue + "}:*"))
			.forEach(keys::add);
		return keys;
	}

	private static QueueOperations queues() {
		return sender.queues();
	}

	private static QueueAdmin admin() {
		return sender.bean(QueueAdmin.class);
	}

	record Greeting(String text) {

		static Greeting to(String name) {
			if (name.equals("reject")) {
				throw new RejectMessageException("no");
			}
			return new Greeting(name.equals("huge") ? "x".repeat(2_000_000) : "hello " + name);
		}

	}

	static class Handlers {

		@QueueListener({ "${prefix}.kept", "${prefix}.many", "${prefix}.small", "${prefix}.short", "${prefix}.plain",
				"${prefix}.kept2" })
		void nothing(String payload) {
		}

		@QueueListener({ "${prefix}.sync", "${prefix}.results", "${prefix}.parts" })
		Greeting sync(String name) {
			return Greeting.to(name);
		}

		@QueueListener("${prefix}.stage")
		CompletableFuture<Greeting> stage(String name) {
			return CompletableFuture.supplyAsync(() -> Greeting.to(name));
		}

		@QueueListener("${prefix}.mono")
		Mono<Greeting> mono(String name) {
			return Mono.fromSupplier(() -> Greeting.to(name));
		}

	}

}
