package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that is killed again and again, and is back well within
 * {@code redelay.queue.resend-timeout}, while many threads send and publish. What the
 * client fails with while its connections are lost is not to reach them. The timeout is
 * longer than by default, for a busy machine.
 * <p>
 * The system property {@code redelay.test.rounds} says how often it is killed.
 */
class RedisKillsIntegrationTests extends FaultTests {

	private static final int ROUNDS = Integer.getInteger("redelay.test.rounds", 12);

	private static final int SENDERS = 18;

	private static final int PUBLISHERS = 6;

	/**
	 * How many calls return between two kills.
	 */
	private static final int BETWEEN = 200;

	private static final Duration MARGIN = Duration.ofMinutes(2);

	private final AtomicBoolean running = new AtomicBoolean(true);

	private final AtomicLong returned = new AtomicLong();

	private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

	private final Set<String> sent = ConcurrentHashMap.newKeySet();

	private final Set<String> published = ConcurrentHashMap.newKeySet();

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		// What is killed has written all that it answered; only a machine needs the sync.
		return RedisServer.builder().appendOnly(this.folder).config("appendfsync no").start();
	}

	@Test
	void noSendAndNoPublishThrowsAlthoughRedisIsKilled() throws Exception {
		List<String> queues = IntStream.range(0, SENDERS).mapToObj((i) -> this.queue + "-" + i).toList();
		ConfigurableApplicationContext application = instance(Handlers.class, "test.queues=" + String.join(",", queues),
				"redelay.queue.resend-timeout=2m");
		Handlers handlers = application.getBean(Handlers.class);
		QueueOperations operations = queue(application);
		ExecutorService threads = Executors.newFixedThreadPool(SENDERS + PUBLISHERS);
		List<Future<?>> calls = new ArrayList<>();
		// Each to a queue of its own: sends to one queue share requests, of which one is
		// under way at a time.
		for (String to : queues) {
			calls.add(start(threads, to, this.sent, (payload) -> operations.send(to, payload)));
		}
		for (int i = 0; i < PUBLISHERS; i++) {
			calls.add(start(threads, "p" + i, this.published,
					(payload) -> operations.publish(this.queue + "-topic", payload)));
		}
		for (int round = 0; round < ROUNDS; round++) {
			awaitMore();
			this.redis.kill();
			this.redis.restart();
		}
		awaitMore();
		this.running.set(false);
		for (Future<?> call : calls) {
			call.get(4, TimeUnit.MINUTES);
		}
		threads.shutdown();
		System.out.printf("%d kills: %d sent, %d published, %d failures%n", ROUNDS, this.sent.size(),
				this.published.size(), this.failures.size());
		assertThat(this.failures).isEmpty();
		Awaitility.await()
			.atMost(MARGIN)
			.untilAsserted(() -> assertThat(handlers.handled).hasSize(this.sent.size()).containsAll(this.sent));
		Awaitility.await()
			.atMost(MARGIN)
			.untilAsserted(
					() -> assertThat(handlers.received).hasSize(this.published.size()).containsAll(this.published));
	}

	private Future<?> start(ExecutorService threads, String name, Set<String> done, Consumer<String> call) {
		return threads.submit(() -> {
			for (int i = 0; this.running.get(); i++) {
				String payload = name + "-" + i;
				try {
					call.accept(payload);
					done.add(payload);
				}
				catch (RuntimeException ex) {
					this.failures.add(ex);
				}
				this.returned.incrementAndGet();
			}
		});
	}

	private void awaitMore() {
		long before = this.returned.get();
		Awaitility.await()
			.atMost(MARGIN)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.returned.get() >= before + BETWEEN);
	}

	/**
	 * Remembers what comes.
	 */
	static class Handlers {

		final Set<String> handled = ConcurrentHashMap.newKeySet();

		final Set<String> received = ConcurrentHashMap.newKeySet();

		@QueueListener("${test.queues}")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@QueueListener(topic = "${test.queue}-topic", group = "all")
		void receive(String payload) {
			this.received.add(payload);
		}

	}

}
