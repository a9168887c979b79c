package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link QueueThreads}.
 */
class QueueThreadsTests {

	private static final Duration LONG = Duration.ofMinutes(2);

	@Test
	void handlersInheritNothingOfTheThreadThatNeedsOneFirst() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			Thread handler = Elsewhere.run(threads.handlers(), null);
			assertThat(handler.getName()).isEqualTo("redelay-handler-1");
			assertThat(handler.isDaemon()).isTrue();
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void virtualHandlersHaveTheClassLoaderOfTheApplication() throws Exception {
		try (QueueThreads threads = QueueThreads.virtual()) {
			assertThat(Elsewhere.run(threads.handlers(), "of a request").getName()).startsWith("redelay-handler-");
		}
	}

	@Test
	void theTimerIsOfTheApplicationToo() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			assertThat(Elsewhere.run(threads.timer(), null).getName()).isEqualTo("redelay-timer-1");
		}
	}

	@Test
	void dropsWhatIsToBeDoneLaterAtItsEnd() {
		QueueThreads threads = QueueThreads.platform();
		AtomicBoolean ran = new AtomicBoolean();
		threads.scheduler().schedule(() -> ran.set(true), Duration.ofMinutes(10));
		threads.close();
		assertThat(threads.scheduler().schedule(() -> ran.set(true), Duration.ZERO)).isNull();
		await().atMost(LONG).until(threads.timer()::isTerminated);
		assertThat(ran).isFalse();
	}

	@Test
	void stillDoesWhatIsDueWithinAMomentOfItsEnd() {
		QueueThreads threads = QueueThreads.platform();
		CompletableFuture<String> left = new CompletableFuture<>();
		threads.scheduler().schedule(() -> left.complete("left"), Duration.ofMillis(20));
		threads.close();
		assertThat(left).succeedsWithin(LONG);
	}

	@Test
	void suspendedThreadsEndAndTheTasksOfTheTimerWait() throws Exception {
		try (QueueThreads threads = QueueThreads.platform()) {
			ScheduledThreadPoolExecutor timer = (ScheduledThreadPoolExecutor) threads.timer();
			Thread handler = Elsewhere.run(threads.handlers(), null);
			CompletableFuture<String> held = new CompletableFuture<>();
			ScheduledTask cancelled = threads.scheduler()
				.schedule(() -> held.complete("cancelled"), Duration.ofMinutes(10));
			threads.scheduler().schedule(() -> held.complete("later"), Duration.ofMinutes(20));
			threads.suspend().join();
			await().atMost(LONG).until(() -> !handler.isAlive() && timer.getPoolSize() == 0);
			assertThat(timer.getQueue()).isEmpty();
			cancelled.cancel();
			threads.resume();
			assertThat(timer.getQueue()).hasSize(2);
			assertThat(timer.getPoolSize()).isEqualTo(1);
			assertThat(held).isNotDone();
		}
	}

	@Test
	void whatWasDueWhileThreadsWereSuspendedIsDoneAfterwards() {
		try (QueueThreads threads = QueueThreads.platform()) {
			CompletableFuture<String> due = new CompletableFuture<>();
			threads.scheduler().schedule(() -> due.complete("done"), Duration.ofMillis(200));
			threads.suspend().join();
			CompletableFuture<String> later = new CompletableFuture<>();
			threads.scheduler().schedule(() -> later.complete("done"), Duration.ofMillis(300));
			assertThat(later).as("of a task that came later").succeedsWithin(LONG);
			assertThat(due).isNotDone();
			threads.resume();
			assertThat(due).succeedsWithin(LONG);
		}
	}

	@Test
	void aBusyTimerThatIsResumedBeforeItIsSuspendedGoesOn() {
		try (QueueThreads threads = QueueThreads.platform()) {
			ScheduledThreadPoolExecutor timer = (ScheduledThreadPoolExecutor) threads.timer();
			CompletableFuture<Void> busy = new CompletableFuture<>();
			timer.execute(busy::join);
			threads.scheduler().schedule(() -> {
			}, Duration.ofMinutes(10));
			CompletableFuture<Void> suspended = threads.suspend();
			threads.resume();
			busy.complete(null);
			assertThat(suspended).succeedsWithin(LONG);
			assertThat(timer.getCorePoolSize()).isOne();
			assertThat(timer.getQueue()).hasSize(1);
		}
	}

	@Test
	void aBusyTimerThatIsSuspendedTwiceIsSuspended() {
		try (QueueThreads threads = QueueThreads.platform()) {
			CompletableFuture<Void> busy = new CompletableFuture<>();
			threads.timer().execute(busy::join);
			CompletableFuture<Void> first = threads.suspend();
			threads.resume();
			CompletableFuture<Void> second = threads.suspend();
			busy.complete(null);
			assertThat(first).succeedsWithin(LONG);
			assertThat(second).succeedsWithin(LONG);
			assertThat(((ScheduledThreadPoolExecutor) threads.timer()).getCorePoolSize()).isZero();
		}
	}

	@Test
	void suspendedThreadsCanBeClosed() {
		QueueThreads threads = QueueThreads.platform();
		threads.scheduler().schedule(() -> {
		}, Duration.ofMinutes(10));
		threads.suspend().join();
		threads.close();
		await().atMost(LONG).until(threads.timer()::isTerminated);
	}

}
