package io.redelay.outbox.jdbc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RelayWorker}. Its first pause is its longest one here, half a minute.
 */
class RelayWorkerTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final AtomicInteger rounds = new AtomicInteger();

	private volatile boolean away = true;

	private volatile boolean returns;

	private final RelayWorker worker = new RelayWorker(this::round, LONG, LONG);

	private final Thread thread = new Thread(this.worker, "relay of a test");

	@AfterEach
	void stop() throws InterruptedException {
		this.worker.stop();
		this.thread.join();
	}

	@Test
	void aRelayThatWaitsForRedisGoesOnWhenItIsBack() {
		this.thread.start();
		awaitPauseAfter(1);
		this.away = false;
		this.worker.redisIsBack();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.rounds.get() == 2);
	}

	@Test
	void aRedisThatComesBackDuringARoundIsNotMissed() {
		this.away = false;
		this.returns = true;
		this.thread.start();
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.rounds.get() == 2);
	}

	@Test
	void aCommitIsNoSignThatRedisIsBack() {
		this.thread.start();
		awaitPauseAfter(1);
		this.worker.wake();
		awaitPauseAfter(1);
		assertThat(this.rounds).hasValue(1);
	}

	private void awaitPauseAfter(int count) {
		Awaitility.await()
			.until(() -> this.rounds.get() == count && this.thread.getState() == Thread.State.TIMED_WAITING);
	}

	private RelayRound.Result round() {
		if (this.rounds.incrementAndGet() == 1 && this.returns) {
			this.worker.redisIsBack();
			return new RelayRound.Result(1, true, null);
		}
		return new RelayRound.Result(0, this.away, null);
	}

}
