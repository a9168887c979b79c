package io.redelay.queue.invariant;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link Invariants}.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvariantsTests {

	@Test
	void anErrorOfTheListenerDoesNotReachTheCheckThatFoundTheViolation(CapturedOutput output) {
		AtomicInteger reported = new AtomicInteger();
		Invariants invariants = new Invariants((queue, invariant) -> {
			reported.incrementAndGet();
			throw new LinkageError("thrown by a test");
		});
		assertThatNoException().isThrownBy(() -> invariants.violated("orders", Invariant.LOOP_STATE, "a state"));
		assertThat(reported).hasValue(1);
		assertThat(output).contains("ERROR").contains("'loop-state' is violated for the queue 'orders': a state");
	}

}
