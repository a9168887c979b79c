package io.redelay.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Alarm}.
 */
class AlarmTests {

	private final VirtualTime time = new VirtualTime();

	private final Alarm alarm = new Alarm(this.time);

	private final List<Long> rings = new ArrayList<>();

	@Test
	void ringsWhenItsTimeHasComeAndOnce() {
		assertThat(set(100)).isTrue();
		pass(99);
		assertThat(this.rings).isEmpty();
		pass(10_000);
		assertThat(this.rings).containsExactly(100L);
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void ringsLaterIfItIsPutOff() {
		set(50);
		set(400);
		pass(10_000);
		assertThat(this.rings).containsExactly(400L);
	}

	@Test
	void ringsSoonerIfItIsBroughtForward() {
		set(60_000);
		set(50);
		pass(100_000);
		assertThat(this.rings).containsExactly(50L);
	}

	@Test
	void doesNotRingIfItIsCancelled() {
		set(50);
		this.alarm.cancel();
		pass(10_000);
		assertThat(this.rings).isEmpty();
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void ringsIfItIsSetAgainAfterThat() {
		set(50);
		this.alarm.cancel();
		set(60);
		pass(10_000);
		assertThat(this.rings).containsExactly(60L);
	}

	@Test
	void disturbsTheTimerOnceHoweverOftenItIsPutOff() {
		for (int i = 0; i < 1_000; i++) {
			set(60_000 + i);
			this.alarm.cancel();
		}
		assertThat(this.time.scheduled()).isOne();
	}

	@Test
	void leavesNothingBehindWhenItIsClosed() {
		set(60_000);
		this.alarm.close();
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void saysThatItWillNotRingWhenTheTimerIsClosed() {
		this.time.close();
		assertThat(set(10)).isFalse();
	}

	private boolean set(long millis) {
		return this.alarm.set(() -> this.rings.add(this.time.elapsed().toMillis()), Duration.ofMillis(millis));
	}

	private void pass(long millis) {
		this.time.advance(Duration.ofMillis(millis));
	}

}
