package io.redelay.queue.store.redis;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.store.StoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.client.RedisException;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisAvailability}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisAvailabilityTests {

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final RedisAvailability availability = new RedisAvailability(this.timer, Duration.ofMillis(50),
			Duration.ofMillis(100));

	@BeforeEach
	void logWhatIsTold() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel(RedisAvailability.class.getName(), LogLevel.INFO);
	}

	@AfterEach
	void shutDown() {
		this.timer.shutdownNow();
	}

	@Test
	void remindsWhileRedisIsAwayAndTellsOnceThatItIsBack(CapturedOutput output) {
		fail();
		await().until(() -> count(output, "Redis has been away") >= 3);
		this.availability.answered();
		this.availability.answered();
		assertThat(count(output, "Redis is back after")).isOne();
		int told = count(output, "Redis has been away");
		await().during(Duration.ofMillis(300)).until(() -> count(output, "Redis has been away") == told);
	}

	@Test
	void asksAgainWhileNothingElseDoes() {
		AtomicInteger asked = new AtomicInteger();
		this.availability.probeBy(() -> {
			asked.incrementAndGet();
			return CompletableFuture.failedFuture(new StoreException("away", null));
		});
		fail();
		await().until(() -> asked.get() >= 3);
		this.availability.probeBy(() -> {
			this.availability.answered();
			return CompletableFuture.completedFuture(null);
		});
		await().until(() -> {
			int before = asked.get();
			await().during(Duration.ofMillis(300)).until(() -> true);
			return asked.get() == before;
		});
	}

	@Test
	void tellsNothingOfWhatPasses(CapturedOutput output) {
		fail();
		this.availability.answered();
		this.availability.silent(System.nanoTime() - 1_000_000_000L);
		await().during(Duration.ofMillis(300)).until(() -> count(output, "Redis") == 0);
	}

	@Test
	void quotesNoCommand(CapturedOutput output) {
		this.availability.failed(new RedisException(
				"LOADING Redis is loading the dataset in memory. channel: [id: 0x1] command: (EVAL), params: [secret]"),
				System.nanoTime());
		await().until(() -> count(output, "LOADING Redis is loading the dataset in memory)") == 1);
		assertThat(output).doesNotContain("secret");
	}

	@Test
	void tellsNothingWhileTheApplicationCloses(CapturedOutput output) {
		fail();
		this.availability.close();
		await().during(Duration.ofMillis(300)).until(() -> count(output, "Redis has been away") == 0);
	}

	private void fail() {
		this.availability.failed(new RedisException("no", new ConnectException("Connection refused")),
				System.nanoTime());
	}

	private static int count(CapturedOutput output, String words) {
		return (int) output.getAll().lines().filter((line) -> line.contains(words)).count();
	}

}
