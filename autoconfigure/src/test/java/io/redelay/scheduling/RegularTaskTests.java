package io.redelay.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RegularTask}.
 */
class RegularTaskTests {

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	private final VirtualTime time = new VirtualTime();

	private final List<Throwable> failures = new ArrayList<>();

	private int runs;

	private Supplier<CompletableFuture<?>> task = () -> CompletableFuture.completedFuture(null);

	private final RegularTask regular = new RegularTask(this.time, INTERVAL, () -> {
		this.runs++;
		return this.task.get();
	}, this.failures::add);

	@Test
	void nothingIsDoneBeforeTheStart() {
		this.time.advance(INTERVAL.multipliedBy(3));
		assertThat(this.runs).isZero();
	}

	@Test
	void itIsDoneAtItsIntervalHoweverOftenItIsStarted() {
		this.regular.start();
		this.regular.start();
		assertThat(this.runs).isZero();
		this.time.advance(INTERVAL.multipliedBy(3));
		assertThat(this.runs).isEqualTo(3);
	}

	@Test
	void itIsNotDoneTwiceAtATime() {
		CompletableFuture<Void> slow = new CompletableFuture<>();
		this.task = () -> slow;
		this.regular.start();
		this.time.advance(INTERVAL.multipliedBy(3));
		assertThat(this.runs).isEqualTo(1);
		slow.complete(null);
		this.time.advance(INTERVAL);
		assertThat(this.runs).isEqualTo(2);
	}

	@Test
	void itGoesOnAfterAFailureOrAnError() {
		IllegalStateException later = new IllegalStateException("later");
		this.task = () -> CompletableFuture.failedFuture(later);
		this.regular.start();
		this.time.advance(INTERVAL);
		AssertionError atOnce = new AssertionError("at once");
		this.task = () -> {
			throw atOnce;
		};
		this.time.advance(INTERVAL.multipliedBy(2));
		assertThat(this.runs).isEqualTo(3);
		assertThat(this.failures).containsExactly(later, atOnce, atOnce);
	}

	@Test
	void itEndsAndDoesNotBeginAgain() {
		this.regular.start();
		this.time.advance(INTERVAL);
		this.regular.close();
		this.regular.start();
		this.time.advance(INTERVAL.multipliedBy(2));
		assertThat(this.runs).isEqualTo(1);
	}

}
