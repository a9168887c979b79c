package io.redelay.queue.handle;

import java.util.concurrent.TimeUnit;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WorkerDemand}.
 */
class WorkerDemandTests {

	private final VirtualTime time = new VirtualTime();

	private final HandlingTimeEstimate pace = new HandlingTimeEstimate(0);

	private final WorkerDemand demand = new WorkerDemand(this.pace, this.time);

	@Test
	void whileNoThreadWorksOneIsNeeded() {
		this.pace.handled(1);
		assertThat(this.demand.isEnough(1)).isFalse();
	}

	@Test
	void whileNothingIsKnownAllAreNeeded() {
		WorkerDemand.Member member = this.demand.join();
		member.take();
		assertThat(this.demand.isEnough(1)).isFalse();
	}

	@Test
	void forWhatTakesLongAllAreNeeded() {
		this.pace.handled(TimeUnit.MILLISECONDS.toNanos(1));
		WorkerDemand.Member member = this.demand.join();
		member.take();
		assertThat(this.demand.isEnough(1)).isFalse();
	}

	@Test
	void thereAreAsManyAsAreThroughInAMoment() {
		this.pace.handled(TimeUnit.MICROSECONDS.toNanos(10));
		WorkerDemand.Member first = this.demand.join();
		assertThat(this.demand.isEnough(10)).isTrue();
		first.take();
		assertThat(this.demand.isEnough(11)).isFalse();
		WorkerDemand.Member second = this.demand.join();
		assertThat(this.demand.isEnough(20)).isTrue();
		this.demand.leave(second);
		first.take();
		assertThat(this.demand.isEnough(11)).isFalse();
		assertThat(this.demand.isEnough(10)).isTrue();
	}

	@Test
	void whileOneIsAtTheSameMessageForTooLongAllAreNeeded() {
		this.pace.handled(1);
		WorkerDemand.Member first = this.demand.join();
		WorkerDemand.Member second = this.demand.join();
		assertThat(this.demand.isEnough(1)).isTrue();
		this.time.advance(WorkerDemand.CHECK_INTERVAL.plusNanos(1));
		second.take();
		assertThat(this.demand.isEnough(1)).isFalse();
		first.take();
		assertThat(this.demand.isEnough(1)).isTrue();
	}

}
