package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that dies, forgets its scripts, or does not answer in time, while applications
 * use it.
 */
class RedisFaultIntegrationTests extends FaultTests {

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().appendOnly(this.folder).config("appendfsync always").start();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void everySendThatReturnedIsHandledAlthoughRedisIsKilled() throws Exception {
		ConfigurableApplicationContext application = instance(CountingListener.class, "spring.data.redis.timeout=1s");
		CountingListener listener = application.getBean(CountingListener.class);
		Set<String> returned = ConcurrentHashMap.newKeySet();
		AtomicBoolean sending = new AtomicBoolean(true);
		List<Future<?>> senders = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(4);
		for (int i = 0; i < 4; i++) {
			String name = "sender" + i + "-";
			senders.add(threads.submit(() -> send(application, name, sending, returned)));
		}
		for (int round = 0; round < 2; round++) {
			int before = returned.size();
			Awaitility.await().until(() -> returned.size() > before + 300);
			this.redis.kill();
			this.redis.restart();
		}
		int before = returned.size();
		Awaitility.await().until(() -> returned.size() > before + 300);
		sending.set(false);
		for (Future<?> sender : senders) {
			sender.get(2, TimeUnit.MINUTES);
		}
		threads.shutdown();
		Awaitility.await().untilAsserted(() -> assertThat(listener.handled.keySet()).containsAll(returned));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushedScriptsAreNotNoticed() {
		ConfigurableApplicationContext application = instance(CountingListener.class);
		CountingListener listener = application.getBean(CountingListener.class);
		QueueOperations queue = queue(application);
		List<String> numbers = IntStream.range(0, 300).mapToObj(String::valueOf).toList();
		for (String number : numbers) {
			this.redis.command("SCRIPT", "FLUSH");
			queue.send(this.queue, number, Duration.ofMillis(number.length()));
		}
		Awaitility.await().untilAsserted(() -> assertThat(listener.handled.keySet()).containsAll(numbers));
		assertThat(listener.handled.values()).allSatisfy((times) -> assertThat(times).hasValue(1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aReplyThatIsHeldBackPastTheTimeoutMakesNoSecondMessage() throws Exception {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			ConfigurableApplicationContext application = instance(CountingListener.class,
					"spring.data.redis.url=" + proxy.uri(), "spring.data.redis.timeout=300ms");
			CountingListener listener = application.getBean(CountingListener.class);
			QueueOperations queue = queue(application);
			queue.send(this.queue, "first");
			Awaitility.await().until(() -> listener.handled.containsKey("first"));
			proxy.hold(TcpFaultProxy.Direction.TO_CLIENT, Duration.ofSeconds(1));
			assertThat(queue.send(this.queue, "second").duplicate()).isFalse();
			queue.send(this.queue, "third");
			Awaitility.await().untilAsserted(() -> assertThat(listener.handled.keySet()).contains("second", "third"));
			Awaitility.await()
				.during(LEASE)
				.until(() -> listener.handled.values().stream().allMatch((times) -> times.get() == 1));
		}
	}

	private void send(ConfigurableApplicationContext application, String name, AtomicBoolean sending,
			Set<String> returned) {
		for (int i = 0; sending.get(); i++) {
			try {
				queue(application).send(this.queue, name + i);
				returned.add(name + i);
			}
			catch (MessageSendException ex) {
				// What did not return is promised nothing.
			}
		}
	}

	/**
	 * Counts.
	 */
	static class CountingListener {

		final ConcurrentHashMap<String, AtomicInteger> handled = new ConcurrentHashMap<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.computeIfAbsent(payload, (key) -> new AtomicInteger()).incrementAndGet();
		}

	}

}
