package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisClock}.
 */
class RedisClockTests {

	private static final Instant THERE = Instant.parse("2026-01-01T10:00:00Z");

	private final VirtualTime time = new VirtualTime();

	private final RedisClock clock = new RedisClock(this::ask, this.time);

	private Duration trip = Duration.ZERO;

	private boolean away;

	private int asked;

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
		assertThat(this.clock.now()).isEqualTo(there());
	}

	private CompletableFuture<Instant> ask() {
		this.asked++;
		if (this.away) {
			return CompletableFuture.failedFuture(new IllegalStateException("away"));
		}
		this.time.advance(this.trip.dividedBy(2));
		Instant answer = there();
		this.time.advance(this.trip.dividedBy(2));
		return CompletableFuture.completedFuture(answer);
	}

	private Instant there() {
		return THERE.plus(this.time.elapsed());
	}

}
