package io.redelay.queue.wire;

import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.request.StoreException;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.client.RedisException;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisAvailability}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisAvailabilityTests {

	private final VirtualTime time = new VirtualTime();

	private final RedisAvailability availability = new RedisAvailability(this.time, Duration.ofSeconds(1),
			Duration.ofMinutes(1));

	@BeforeEach
	void logWhatIsReported() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel(RedisAvailability.class.getName(), LogLevel.INFO);
	}

	@Test
	void remindsWhileRedisIsAwayAndReportsOnceThatItIsBack(CapturedOutput output) {
		fail();
		pass(Duration.ofSeconds(130));
		assertThat(count(output, "Redis has been away")).isEqualTo(3);
		this.availability.answered(List.of());
		this.availability.answered(List.of());
		assertThat(count(output, "Redis is back after")).isOne();
		pass(Duration.ofMinutes(10));
		assertThat(count(output, "Redis has been away")).isEqualTo(3);
	}

	@Test
	void asksAgainWhileNothingElseDoes() {
		AtomicInteger asked = new AtomicInteger();
		this.availability.probeBy((keys) -> {
			asked.incrementAndGet();
			return CompletableFuture.failedFuture(new StoreException("away", null));
		});
		fail();
		pass(Duration.ofSeconds(10));
		assertThat(asked).hasValue(11);
		this.availability.probeBy((keys) -> {
			this.availability.answered(List.of());
			return CompletableFuture.completedFuture(null);
		});
		pass(Duration.ofSeconds(10));
		assertThat(asked).hasValue(11);
	}

	@Test
	void whatWaitsForRedisGoesOnThoughTheQuestionItselfFailed() {
		AtomicInteger back = new AtomicInteger();
		this.availability.whenBack(back::incrementAndGet);
		CompletableFuture<Void> answer = new CompletableFuture<>();
		this.availability.probeBy((keys) -> answer);
		fail();
		pass(Duration.ofSeconds(10));
		this.availability.answered(List.of());
		assertThat(back).hasValue(0);
		answer.completeExceptionally(new StoreException("away", null));
		assertThat(back).hasValue(1);
	}

	@Test
	void reportsNothingOfWhatPasses(CapturedOutput output) {
		fail();
		this.availability.answered(List.of());
		this.availability.silent(this.time.nanoTime() - 1_000_000_000L);
		pass(Duration.ofMinutes(10));
		assertThat(count(output, "Redis")).isZero();
	}

	@Test
	void takesAnotherNodesAnswerForNoSignOfTheOneThatIsAway(CapturedOutput output) {
		List<List<Object>> asked = new ArrayList<>();
		this.availability.probeBy((keys) -> {
			asked.add(keys);
			return CompletableFuture.failedFuture(new StoreException("away", null));
		});
		List<Object> keys = List.of("redelay:{a}:messages", "redelay:{a}:ready");
		for (int i = 0; i < 10; i++) {
			fail(keys);
			this.availability.answered(List.of("redelay:{b}:held"));
			pass(Duration.ofMillis(300));
		}
		assertThat(count(output, "Redis has been away for 1 s")).isOne();
		assertThat(asked).isNotEmpty().containsOnly(keys);
		this.availability.answered(List.of("redelay:{b}:held"));
		assertThat(count(output, "Redis is back")).isZero();
		this.availability.answered(List.of("redelay:{a}:held"));
		assertThat(count(output, "Redis is back after 3 s")).isOne();
	}

	@Test
	void reportsNothingOfAbsencesThatAreShort(CapturedOutput output) {
		fail();
		pass(Duration.ofMillis(900));
		this.availability.answered(List.of());
		pass(Duration.ofMillis(50));
		fail();
		pass(Duration.ofMillis(100));
		assertThat(count(output, "Redis")).isZero();
		pass(Duration.ofSeconds(1));
		assertThat(count(output, "Redis has been away for 1 s")).isOne();
	}

	@Test
	void quotesNoCommand(CapturedOutput output) {
		this.availability.failed(new RedisException(
				"LOADING Redis is loading the dataset in memory. channel: [id: 0x1] command: (EVAL), params: [secret]"),
				this.time.nanoTime(), List.of());
		pass(Duration.ofSeconds(1));
		assertThat(count(output, "LOADING Redis is loading the dataset in memory)")).isOne();
		assertThat(output).doesNotContain("secret");
	}

	@Test
	void reportsNothingWhileTheApplicationCloses(CapturedOutput output) {
		fail();
		this.availability.close();
		pass(Duration.ofMinutes(10));
		assertThat(count(output, "Redis has been away")).isZero();
	}

	private void pass(Duration duration) {
		this.time.advance(duration);
	}

	private void fail() {
		fail(List.of());
	}

	private void fail(List<Object> keys) {
		this.availability.failed(new RedisException("no", new ConnectException("Connection refused")),
				this.time.nanoTime(), keys);
	}

	private static int count(CapturedOutput output, String words) {
		return (int) output.getAll().lines().filter((line) -> line.contains(words)).count();
	}

}
