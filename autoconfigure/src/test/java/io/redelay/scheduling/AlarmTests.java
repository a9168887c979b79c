package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Alarm}.
 */
class AlarmTests {

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

	private final Alarm alarm = new Alarm(this.timer);

	private final AtomicLong rang = new AtomicLong();

	private final long start = System.nanoTime();

	@AfterEach
	void close() {
		this.timer.shutdownNow();
	}

	@Test
	void ringsWhenItsTimeHasComeAndOnce() {
		assertThat(set(100)).isTrue();
		awaitRing();
		assertThat(millis()).isGreaterThanOrEqualTo(100);
		assertThat(this.timer.getQueue()).isEmpty();
	}

	@Test
	void ringsLaterIfItIsPutOff() {
		inOneGo(() -> {
			set(50);
			set(400);
		});
		awaitRing();
		assertThat(millis()).isGreaterThanOrEqualTo(400);
	}

	@Test
	void ringsSoonerIfItIsBroughtForward() {
		set(60_000);
		set(50);
		awaitRing();
		assertThat(millis()).isLessThan(50_000);
	}

	@Test
	void doesNotRingIfItIsCancelled() {
		inOneGo(() -> {
			set(50);
			this.alarm.cancel();
		});
		Awaitility.await().until(() -> this.timer.getQueue().isEmpty());
		Awaitility.await().during(Duration.ofMillis(100)).until(() -> this.rang.get() == 0);
	}

	@Test
	void ringsIfItIsSetAgainAfterThat() {
		set(50);
		this.alarm.cancel();
		set(60);
		awaitRing();
	}

	@Test
	void disturbsTheTimerOnceHoweverOftenItIsPutOff() {
		for (int i = 0; i < 1_000; i++) {
			set(60_000 + i);
			this.alarm.cancel();
		}
		assertThat(this.timer.getQueue()).hasSize(1);
	}

	@Test
	void leavesNothingBehindWhenItIsClosed() {
		this.timer.setRemoveOnCancelPolicy(true);
		set(60_000);
		this.alarm.close();
		assertThat(this.timer.getQueue()).isEmpty();
	}

	@Test
	void saysThatItWillNotRingWhenTheTimerIsClosed() {
		this.timer.shutdownNow();
		assertThat(set(10)).isFalse();
	}

	/**
	 * Does something while the timer's only thread is busy, so that nothing rings.
	 */
	private void inOneGo(Runnable steps) {
		CountDownLatch done = new CountDownLatch(1);
		this.timer.execute(() -> {
			try {
				done.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		steps.run();
		done.countDown();
	}

	private boolean set(long millis) {
		return this.alarm.set(() -> this.rang.set(System.nanoTime()), Duration.ofMillis(millis));
	}

	private void awaitRing() {
		Awaitility.await().until(() -> this.rang.get() != 0);
	}

	private long millis() {
		return Duration.ofNanos(this.rang.get() - this.start).toMillis();
	}

}
