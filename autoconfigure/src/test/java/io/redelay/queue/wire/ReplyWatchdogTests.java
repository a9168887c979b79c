package io.redelay.queue.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReplyWatchdog}.
 */
class ReplyWatchdogTests {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final VirtualTime time = new VirtualTime();

	private final List<Long> silent = new ArrayList<>();

	private final ReplyWatchdog watchdog = new ReplyWatchdog(LIMIT, this.silent::add, this.time);

	@Test
	void whatIsNotCompletedInTimeFails() {
		assertFailsInTime();
	}

	@Test
	void theNextOneIsLimitedToo() {
		assertFailsInTime();
		this.time.advance(LIMIT);
		assertFailsInTime();
	}

	@Test
	void whatIsCompletedIsLeftAlone() {
		CompletableFuture<String> answered = this.watchdog.limit(new CompletableFuture<>(), 0);
		CompletableFuture<String> silent = this.watchdog.limit(new CompletableFuture<>(), 0);
		answered.complete("answer");
		this.time.advance(LIMIT.plusSeconds(1));
		assertFailed(silent);
		assertThat(answered).isCompletedWithValue("answer");
	}

	@Test
	void whatMayTakeLongerFailsLater() {
		CompletableFuture<String> copied = this.watchdog.limit(new CompletableFuture<>(), LIMIT.toNanos());
		this.time.advance(LIMIT.plusSeconds(2));
		assertThat(copied).isNotDone();
		this.time.advance(LIMIT);
		assertFailed(copied);
	}

	@Test
	void reportsWhatTakesLongAtEachLook() {
		long start = this.time.nanoTime();
		this.watchdog.limit(new CompletableFuture<>(), 0);
		this.time.advance(Duration.ofMillis(1900));
		assertThat(this.silent).isEmpty();
		this.time.advance(Duration.ofMillis(1200));
		assertThat(this.silent).containsExactly(start, start);
	}

	@Test
	void looksOnlyWhileSomethingIsAwaited() {
		CompletableFuture<String> answered = this.watchdog.limit(new CompletableFuture<>(), 0);
		assertThat(this.time.scheduled()).isOne();
		answered.complete("answer");
		this.time.advance(Duration.ofSeconds(1));
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void looksAgainOnceTheTimerTakesTasks() {
		RefusingTime refusing = new RefusingTime(this.time);
		ReplyWatchdog watchdog = new ReplyWatchdog(LIMIT, this.silent::add, refusing);
		CompletableFuture<String> first = watchdog.limit(new CompletableFuture<>(), 0);
		refusing.refuses = false;
		watchdog.limit(new CompletableFuture<>(), 0).complete("answer");
		this.time.advance(LIMIT.plusSeconds(1));
		assertFailed(first);
	}

	private void assertFailsInTime() {
		CompletableFuture<String> silent = this.watchdog.limit(new CompletableFuture<>(), 0);
		this.time.advance(LIMIT.minusMillis(1));
		assertThat(silent).isNotDone();
		this.time.advance(Duration.ofSeconds(1));
		assertFailed(silent);
	}

	private static void assertFailed(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		assertThat(future.handle((value, failure) -> failure).join()).isInstanceOf(TimeoutException.class);
	}

	/**
	 * A timer that can start no thread at first.
	 */
	private static final class RefusingTime implements Scheduler {

		private final VirtualTime time;

		private boolean refuses = true;

		RefusingTime(VirtualTime time) {
			this.time = time;
		}

		@Override
		public long nanoTime() {
			return this.time.nanoTime();
		}

		@Override
		public ScheduledTask schedule(Runnable task, long delayNanos) {
			return this.refuses ? null : this.time.schedule(task, delayNanos);
		}

		@Override
		public boolean execute(Runnable task) {
			return this.time.execute(task);
		}

	}

}
