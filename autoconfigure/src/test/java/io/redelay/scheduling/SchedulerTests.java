package io.redelay.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Scheduler}.
 */
class SchedulerTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

	private final VirtualTime time = new VirtualTime();

	private final List<Long> runs = new ArrayList<>();

	@AfterEach
	void close() {
		this.timer.shutdownNow();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void runsATaskAfterItsDelay(boolean unclosed) {
		Scheduler scheduler = unclosed ? Scheduler.unclosed(Runnable::run) : Scheduler.of(this.timer, Runnable::run);
		CompletableFuture<Long> ran = new CompletableFuture<>();
		long start = scheduler.nanoTime();
		assertThat(scheduler.schedule(() -> ran.complete(scheduler.nanoTime()), Duration.ofMillis(50))).isNotNull();
		assertThat(ran).succeedsWithin(LONG)
			.satisfies((end) -> assertThat(end - start).isGreaterThanOrEqualTo(Duration.ofMillis(50).toNanos()));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void doesNotRunATaskThatIsCancelled(boolean unclosed) {
		Scheduler scheduler = unclosed ? Scheduler.unclosed(Runnable::run) : Scheduler.of(this.timer, Runnable::run);
		CompletableFuture<Void> ran = new CompletableFuture<>();
		CompletableFuture<Void> later = new CompletableFuture<>();
		ScheduledTask task = scheduler.schedule(() -> ran.complete(null), Duration.ofSeconds(1));
		scheduler.schedule(() -> later.complete(null), Duration.ofMillis(1100));
		assertThat(task).isNotNull();
		task.cancel();
		assertThat(later).succeedsWithin(LONG);
		assertThat(ran).isNotDone();
	}

	@Test
	void saysThatATaskWillNotRunInsteadOfThrowing() {
		this.timer.shutdownNow();
		Scheduler scheduler = Scheduler.of(this.timer, this.timer);
		assertThat(scheduler.schedule(() -> {
		}, Duration.ofMillis(1))).isNull();
		assertThat(scheduler.repeat(() -> {
		}, Duration.ZERO, Duration.ofMillis(1))).isNull();
		assertThat(scheduler.execute(() -> {
		})).isFalse();
	}

	@Test
	void theUnclosedOneGoesOnWhenTheTimerIsClosed() {
		Scheduler unclosed = Scheduler.of(this.timer, Runnable::run).unclosed();
		CompletableFuture<Void> ran = new CompletableFuture<>();
		assertThat(unclosed.schedule(() -> ran.complete(null), Duration.ofMillis(50))).isNotNull();
		this.timer.shutdownNow();
		assertThat(ran).succeedsWithin(LONG);
		assertThat(this.time.unclosed()).isSameAs(this.time);
	}

	@Test
	void saysThatATaskWillNotRunWhenThereIsNoThread() {
		assertThat(Scheduler.unclosed((task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		}).execute(() -> {
		})).isFalse();
		assertThat(Scheduler.unclosed((task) -> {
			throw new RejectedExecutionException();
		}).execute(() -> {
		})).isFalse();
	}

	@Test
	void aTaskForWhichTheTimerHasNoThreadRunsOnceOnTheOneOfTheJvm() {
		AtomicBoolean threads = new AtomicBoolean();
		this.timer.setThreadFactory((task) -> {
			if (!threads.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return new Thread(task);
		});
		Scheduler scheduler = Scheduler.of(this.timer, Runnable::run);
		AtomicInteger runs = new AtomicInteger();
		CompletableFuture<Void> ran = new CompletableFuture<>();
		CompletableFuture<Void> later = new CompletableFuture<>();
		assertThat(scheduler.schedule(() -> {
			runs.incrementAndGet();
			ran.complete(null);
		}, Duration.ZERO)).isNotNull();
		assertThat(ran).succeedsWithin(LONG);
		threads.set(true);
		assertThat(scheduler.schedule(() -> later.complete(null), Duration.ofMillis(50))).isNotNull();
		assertThat(later).succeedsWithin(LONG);
		assertThat(runs).as("not on the timer, too, which has a thread now").hasValue(1);
	}

	@Test
	void aTaskOnTheTimerOfTheJvmDoesNotRunWhenItsOwnIsClosedByThen() {
		ScheduledExecutorService closing = mock(ScheduledExecutorService.class);
		given(closing.schedule(any(Runnable.class), anyLong(), any()))
			.willThrow(new OutOfMemoryError("unable to create native thread"));
		CompletableFuture<Void> asked = new CompletableFuture<>();
		given(closing.isShutdown()).willAnswer((call) -> {
			asked.complete(null);
			return true;
		});
		AtomicInteger runs = new AtomicInteger();
		assertThat(Scheduler.of(closing, Runnable::run).schedule(runs::incrementAndGet, Duration.ZERO)).isNotNull();
		assertThat(asked).succeedsWithin(LONG);
		assertThat(runs).hasValue(0);
	}

	@Test
	void repeatsATaskThoughItThrows() {
		ScheduledTask task = this.time.repeat(() -> {
			this.runs.add(this.time.elapsed().toMillis());
			throw new IllegalStateException("thrown by a test");
		}, Duration.ofMillis(10), Duration.ofMillis(100));
		this.time.advance(Duration.ofMillis(250));
		assertThat(this.runs).containsExactly(10L, 110L, 210L);
		assertThat(task).isNotNull();
		task.cancel();
		this.time.advance(LONG);
		assertThat(this.runs).hasSize(3);
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void doesNotRepeatATaskThatCancelsItself() {
		ScheduledTask[] task = new ScheduledTask[1];
		task[0] = this.time.repeat(() -> {
			this.runs.add(0L);
			task[0].cancel();
		}, Duration.ZERO, Duration.ofMillis(1));
		this.time.advance(LONG);
		assertThat(this.runs).hasSize(1);
	}

	@Test
	void limitsTheTimeOfAFuture() {
		CompletableFuture<String> late = this.time.limit(new CompletableFuture<>(), Duration.ofMillis(100));
		CompletableFuture<String> timely = this.time.limit(new CompletableFuture<>(), Duration.ofMillis(100));
		this.time.advance(Duration.ofMillis(99));
		assertThat(late).isNotDone();
		timely.complete("timely");
		this.time.advance(Duration.ofMillis(1));
		assertThat(late).isCompletedExceptionally()
			.satisfies((future) -> assertThat(future.handle((none, ex) -> ex).join())
				.isInstanceOf(TimeoutException.class));
		assertThat(timely).isCompletedWithValue("timely");
		assertThat(this.time.scheduled()).isZero();
	}

}
