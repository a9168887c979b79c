package io.redelay.queue.listener;

import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Crew}.
 */
class CrewTests {

	private final Capacity capacity = new Capacity(CapacityTests.settings(8, 8, 0, 1));

	private final Crew crew = new Crew(this.capacity);

	@Test
	void whileNobodyWorksSomebodyIsNeeded() {
		this.capacity.handled(1);
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void whileNothingIsKnownAllAreNeeded() {
		Crew.Member member = this.crew.join();
		member.take();
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void forWhatTakesLongAllAreNeeded() {
		this.capacity.handled(TimeUnit.MILLISECONDS.toNanos(1));
		Crew.Member member = this.crew.join();
		member.take();
		assertThat(this.crew.isEnough(1)).isFalse();
	}

	@Test
	void thereAreAsManyAsAreThroughInAMoment() {
		this.capacity.handled(TimeUnit.MICROSECONDS.toNanos(10));
		Crew.Member first = this.crew.join();
		awaitEnough(10, first);
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		Crew.Member second = this.crew.join();
		awaitEnough(20, first, second);
		this.crew.leave(second);
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		awaitEnough(10, first);
	}

	@Test
	void whileOneIsAtTheSameMessageForTooLongAllAreNeeded() {
		this.capacity.handled(1);
		Crew.Member first = this.crew.join();
		Crew.Member second = this.crew.join();
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
	private void awaitEnough(int waiting, Crew.Member... members) {
		Awaitility.await().until(() -> {
			for (Crew.Member member : members) {
				member.take();
			}
			return this.crew.isEnough(waiting);
		});
	}

}
