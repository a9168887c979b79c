package io.redelay.queue.handle;

import io.redelay.queue.observation.GuardedObservation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link FailedHandling.HandlerThread}.
 */
class HandlerThreadTests {

	private final FailedHandling.HandlerThread thread = new FailedHandling.HandlerThread();

	private final GuardedObservation observation = mock(GuardedObservation.class);

	@Test
	void aThreadWhoseScopeDoesNotOpenIsNotInterruptedLater() {
		given(this.observation.openScope()).willThrow(new OutOfMemoryError());
		assertThatThrownBy(() -> this.thread.enter(this.observation, null)).isInstanceOf(OutOfMemoryError.class);
		this.thread.interrupt();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void aThreadWhoseScopeDoesNotCloseIsNotInterruptedLater() {
		given(this.observation.openScope()).willReturn(() -> {
			throw new OutOfMemoryError();
		});
		FailedHandling.HandlerThread.Call call = this.thread.enter(this.observation, null);
		this.thread.interrupt();
		assertThatThrownBy(call::close).isInstanceOf(OutOfMemoryError.class);
		assertThat(Thread.interrupted()).as("cleared").isFalse();
		this.thread.interrupt();
		assertThat(Thread.interrupted()).isFalse();
	}

}
