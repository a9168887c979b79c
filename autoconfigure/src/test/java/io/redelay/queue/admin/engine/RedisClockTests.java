package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link RedisClock}.
 */
class RedisClockTests {

	private static final Instant THERE = Instant.parse("2026-01-01T10:00:00Z");

	private final VirtualTime time = new VirtualTime();

	private final RedisClock clock = new RedisClock(this::ask, this.time);

	private Duration trip = Duration.ZERO;

	private boolean away;

	private boolean silent;

	private int asked;

	/**
	 * Which part of a trip the time is of.
	 */
	private double answeredAt = 0.5;

	private Runnable meanwhile = () -> {
	};

	@Test
	void itHasTheTimeOfRedisAndAsksForItOnceInTenSeconds() {
		for (int second = 0; second < 100; second++) {
			assertThat(this.clock.now()).isEqualTo(there());
			this.time.advance(Duration.ofSeconds(1));
		}
		assertThat(this.asked).isEqualTo(10);
	}

	@Test
	void anAnswerIsOfTheMiddleOfItsTrip() {
		this.trip = Duration.ofMillis(200);
		assertThat(this.clock.now()).isEqualTo(there());
	}

	@Test
	void itGoesOnWhileRedisGivesNoAnswer() {
		this.clock.now();
		this.away = true;
		for (int second = 0; second < 100; second++) {
			this.time.advance(Duration.ofSeconds(1));
			assertThat(this.clock.now()).isEqualTo(there());
		}
		assertThat(this.asked).isEqualTo(1 + 10);
	}

	@Test
	void beforeTheFirstAnswerItHasTheTimeOfTheJvm() {
		this.away = true;
		assertThat(this.clock.now()).isAfter(THERE.plus(Duration.ofDays(1)));
		this.away = false;
		this.clock.now();
		assertThat(this.asked).as("no caller after another one waits").isOne();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.clock.now()).isEqualTo(there());
	}

	/**
	 * Redis came back late, and says what time it is at the end.
	 */
	@Test
	void anAnswerThatComesLateIsNotTaken() {
		this.clock.now();
		this.time.advance(Duration.ofSeconds(10));
		this.trip = Duration.ofSeconds(20);
		this.answeredAt = 1;
		assertThat(this.clock.now()).isEqualTo(there());
		assertThat(this.asked).isEqualTo(2);
	}

	@Test
	void anAnswerDoesNotReplaceThatOfALaterQuestion() {
		this.meanwhile = () -> {
			this.time.advance(Duration.ofMillis(1));
			this.trip = Duration.ZERO;
			this.clock.now();
			this.trip = Duration.ofMillis(800);
			this.answeredAt = 1;
		};
		assertThat(this.clock.now()).isEqualTo(there());
		assertThat(this.asked).isEqualTo(2);
	}

	@Test
	void anAnswerIsWaitedForForASecondAtMost() {
		this.clock.now();
		this.time.advance(Duration.ofSeconds(10));
		this.silent = true;
		assertTimeoutPreemptively(Duration.ofSeconds(60), () -> assertThat(this.clock.now()).isEqualTo(there()));
	}

	private CompletableFuture<Instant> ask() {
		this.asked++;
		if (this.away) {
			return CompletableFuture.failedFuture(new IllegalStateException("away"));
		}
		if (this.silent) {
			return new CompletableFuture<>();
		}
		Runnable other = this.meanwhile;
		this.meanwhile = () -> {
		};
		other.run();
		Duration there = Duration.ofNanos((long) (this.trip.toNanos() * this.answeredAt));
		this.time.advance(there);
		Instant answer = there();
		this.time.advance(this.trip.minus(there));
		return CompletableFuture.completedFuture(answer);
	}

	private Instant there() {
		return THERE.plus(this.time.elapsed());
	}

}
