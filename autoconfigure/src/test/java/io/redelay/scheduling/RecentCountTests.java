package io.redelay.scheduling;

import java.time.Duration;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is counted of the last minute.
 */
class RecentCountTests {

	private final VirtualTime time = new VirtualTime();

	private final RecentCount recent = new RecentCount(this.time);

	@Test
	void countsTheLastMinute() {
		this.recent.add(2, 30);
		this.time.advance(Duration.ofSeconds(50));
		this.recent.add(1);
		assertThat(this.recent.count()).isEqualTo(3);
		assertThat(this.recent.mean()).isEqualTo(10);
		this.time.advance(Duration.ofSeconds(15));
		assertThat(this.recent.count()).isOne();
		assertThat(this.recent.mean()).isZero();
		this.time.advance(Duration.ofHours(3));
		assertThat(this.recent.count()).isZero();
		assertThat(this.recent.mean()).isZero();
	}

}
