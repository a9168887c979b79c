package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.ConfigurableApplicationContext;

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

}
