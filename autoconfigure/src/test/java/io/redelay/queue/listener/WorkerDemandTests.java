package io.redelay.queue.listener;

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerDemand}.
 */
class WorkerDemandTests {

	private final Pace pace = new Pace(0);

	private final WorkerDemand crew = new WorkerDemand(this.pace);

	@Test
	void whileNobodyWorksSomebodyIsNeeded() {
		this.pace.handled(1);
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void whileNothingIsKnownAllAreNeeded() {
		WorkerDemand.Member member = this.crew.join();
		member.take();
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void forWhatTakesLongAllAreNeeded() {
		this.pace.handled(TimeUnit.MILLISECONDS.toNanos(1));
		WorkerDemand.Member member = this.crew.join();
		member.take();
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void thereAreAsManyAsAreThroughInAMoment() {
		this.pace.handled(TimeUnit.MICROSECONDS.toNanos(10));
		WorkerDemand.Member first = this.crew.join();
		awaitEnough(10, first);
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		WorkerDemand.Member second = this.crew.join();
		awaitEnough(20, first, second);
		this.crew.leave(second);
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		awaitEnough(10, first);
	}

	@Test
	void whileOneIsAtTheSameMessageForTooLongAllAreNeeded() {
		this.pace.handled(1);
		WorkerDemand.Member first = this.crew.join();
		WorkerDemand.Member second = this.crew.join();
		awaitEnough(1, first, second);
		Awaitility.await().until(() -> {
			second.take();
			return !this.crew.isEnough(1);
		});
		awaitEnough(1, first, second);
	}

	/**
	 * At any moment this thread may be held up for so long that nobody is counted on.
	 */
	private void awaitEnough(int waiting, WorkerDemand.Member... members) {
		Awaitility.await().until(() -> {
			for (WorkerDemand.Member member : members) {
				member.take();
			}
			return this.crew.isEnough(waiting);
		});
	}

}
