package io.redelay.queue.listener;

import java.util.concurrent.TimeUnit;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerDemand}.
 */
class WorkerDemandTests {

	private final VirtualTime time = new VirtualTime();

	private final Pace pace = new Pace(0);

	private final WorkerDemand crew = new WorkerDemand(this.pace, this.time);

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
		assertThat(this.crew.isEnough(10)).isTrue();
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		WorkerDemand.Member second = this.crew.join();
		assertThat(this.crew.isEnough(20)).isTrue();
		this.crew.leave(second);
		first.take();
		assertThat(this.crew.isEnough(11)).isFalse();
		assertThat(this.crew.isEnough(10)).isTrue();
	}

	@Test
	void whileOneIsAtTheSameMessageForTooLongAllAreNeeded() {
		this.pace.handled(1);
		WorkerDemand.Member first = this.crew.join();
		WorkerDemand.Member second = this.crew.join();
		assertThat(this.crew.isEnough(1)).isTrue();
		this.time.advance(WorkerDemand.PATIENCE.plusNanos(1));
		second.take();
		assertThat(this.crew.isEnough(1)).isFalse();
		first.take();
		assertThat(this.crew.isEnough(1)).isTrue();
	}

}
