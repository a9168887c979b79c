package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.work.MessageDelivery;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many commands the client sends; those that scripts call inside Redis are counted
 * apart by their names.
 */
class CommandCountIntegrationTests extends FaultTests {

	private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	/**
	 * What only scripts call.
	 */
	private static final List<String> INNER = List.of("time", "hget", "hmget", "hset", "hsetnx", "hdel", "hlen",
			"hexists", "hstrlen", "hscan", "hgetall", "lpop", "lpush", "del", "zcount", "rpush", "lrange", "ltrim",
			"llen", "zadd", "zrem", "zrange", "zrangebyscore", "zremrangebyscore", "zcard", "zscore", "zpopmax",
			"persist", "pexpire", "pexpireat", "exists", "get", "set", "smembers", "publish", "info",
			"config|resetstat");

	@ParameterizedTest
	@CsvSource({ "NoOpListener, 20000", "SilentListener, 5000", "TellingListener, 5000" })
	@Execution(ExecutionMode.CONCURRENT)
	void aFullQueueCostsLittleMoreThanABatchEach(String name, int messages) throws ClassNotFoundException {
		Class<?> type = Class.forName(CommandCountIntegrationTests.class.getName() + "$" + name);
		ConfigurableApplicationContext application = instance(type, "redelay.queue.listener.lease-time=30s");
		Counting listener = (Counting) application.getBean(type);
		QueueListenerContainer container = application.getBean(QueueListenerEndpointRegistry.class)
			.getContainers()
			.iterator()
			.next();
		container.stop(Duration.ofSeconds(10)).join();
		for (int i = 0; i < messages / 1000; i++) {
			queue(application).sendAll(IntStream.range(0, 1000)
				.mapToObj((number) -> OutboundMessage.to(this.queue, Map.of("number", number)))
				.toList());
		}
		this.redis.command("CONFIG", "RESETSTAT");
		container.start();
		Awaitility.await().until(() -> listener.handled().sum() >= messages);
		container.stop(Duration.ofSeconds(10)).join();
		assertThat(commands()).isLessThanOrEqualTo(messages / 10);
		assertThat(this.redis.command("EXISTS", "redelay:{" + this.queue + "}:work")).as("something is kept")
			.isEqualTo(0L);
		assertThat(this.redis.command("HEXISTS", "redelay:{" + this.queue + "}:meta", "keyed")).isEqualTo(0L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anIdleListenerCostsAtMostACommandASecond() {
		instance(NoOpListener.class);
		Awaitility.await().until(() -> this.redis.command("ZCARD", "redelay:{" + this.queue + "}:sleepers").equals(1L));
		Duration idle = Duration.ofSeconds(6);
		this.redis.command("CONFIG", "RESETSTAT");
		long start = System.nanoTime();
		Awaitility.await()
			.pollDelay(idle)
			.atMost(idle.plusMinutes(2))
			.untilAsserted(() -> assertThat(commands())
				.isLessThanOrEqualTo(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatBecomesOfTheMessagesOfABatchGoesWithOneRequest() throws Exception {
		ConfigurableApplicationContext application = instance(BatchListener.class,
				"redelay.queue.listener.lease-time=10m");
		BatchListener listener = application.getBean(BatchListener.class);
		this.redis.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
		List<BiFunction<BatchResult, BatchAcknowledgment, @Nullable BatchResult>> forms = List
			.of((result, acknowledgment) -> result, (result, acknowledgment) -> {
				acknowledgment.settle(result);
				return null;
			}, (result, acknowledgment) -> {
				throw new BatchFailedException(result);
			});
		for (int i = 0; i < forms.size(); i++) {
			queue(application).sendAll(IntStream.range(0, BatchListener.SIZE)
				.mapToObj((number) -> OutboundMessage.to(this.queue, "m" + number))
				.toList());
			listener.begun.acquire();
			this.redis.command("SLOWLOG", "RESET");
			listener.forms.put(forms.get(i));
			long retried = 2L * (i + 1);
			String key = "redelay:{" + this.queue + "}:scheduled";
			Awaitility.await().until(() -> this.redis.command("ZCARD", key).equals(retried));
			assertThat(requests()).isEqualTo(1);
			assertThat(this.redis.command("HLEN", "redelay:{" + this.queue + "}:messages")).isEqualTo(retried);
		}
	}

	/**
	 * Those for messages of the queue; what the instance announces now and then is none.
	 */
	private long requests() {
		String held = "redelay:{" + this.queue + "}:held";
		return ((List<?>) this.redis.command("SLOWLOG", "GET", "-1")).stream()
			.map((entry) -> (List<?>) ((List<?>) entry).get(3))
			.filter((words) -> words.get(0).toString().startsWith("EVAL") && words.contains(held))
			.count();
	}

	private long commands() {
		Matcher calls = CALLS.matcher(String.valueOf(this.redis.command("INFO", "commandstats")));
		long commands = 0;
		while (calls.find()) {
			if (!INNER.contains(calls.group(1))) {
				commands += Integer.parseInt(calls.group(2));
			}
		}
		return commands;
	}

	/**
	 * Does nothing.
	 */
	static class NoOpListener implements Counting {

		private final LongAdder handled = new LongAdder();

		@QueueListener(queues = "${test.queue}", concurrency = "16")
		void handle(Map<String, Object> payload) {
			this.handled.increment();
		}

		@Override
		public LongAdder handled() {
			return this.handled;
		}

	}

	/**
	 * Ends a batch when the test has set how.
	 */
	static class BatchListener {

		static final int SIZE = 50;

		final Semaphore begun = new Semaphore(0);

		final BlockingQueue<BiFunction<BatchResult, BatchAcknowledgment, @Nullable BatchResult>> forms = new LinkedBlockingQueue<>();

		@QueueListener(queues = "${test.queue}", concurrency = "1", prefetch = "0", batchSize = SIZE + "",
				batchTimeout = "1m")
		@Nullable BatchResult handle(List<String> batch, BatchAcknowledgment acknowledgment) throws InterruptedException {
			this.begun.release();
			return this.forms.take()
				.apply(BatchResult.create().retriedAt(0, Duration.ofHours(1)).retriedAt(SIZE - 1, Duration.ofHours(2)),
						acknowledgment);
		}

	}

	/**
	 * Gets the object to report progress to, and reports none.
	 */
	static class SilentListener implements Counting {

		private final LongAdder handled = new LongAdder();

		@QueueListener(queues = "${test.queue}", concurrency = "16")
		void handle(Map<String, Object> payload, MessageDelivery delivery) {
			this.handled.increment();
		}

		@Override
		public LongAdder handled() {
			return this.handled;
		}

	}

	/**
	 * Reports, and ends long before that is written.
	 */
	static class TellingListener implements Counting {

		private final LongAdder handled = new LongAdder();

		@QueueListener(queues = "${test.queue}", concurrency = "16")
		void handle(Map<String, Object> payload, MessageDelivery delivery) {
			delivery.progress(0.5);
			delivery.log("half of it");
			this.handled.increment();
		}

		@Override
		public LongAdder handled() {
			return this.handled;
		}

	}

	/**
	 * Counts what it handles.
	 */
	interface Counting {

		LongAdder handled();

	}

}
