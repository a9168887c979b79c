package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.List;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.observation.MicrometerQueueListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LoopStatus}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LoopStatusTests {

	private static final String QUEUE = "status";

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final LoopStatus status = new LoopStatus(QUEUE, new Invariants(new MicrometerQueueListener(this.meters)));

	@Test
	void aTransitionThatTheTableDoesNotAllowIsReportedAndCounted(CapturedOutput output) {
		this.status.enter(LoopState.IDLE, 0);
		assertThat(output).contains("'loop-state'", "'" + QUEUE + "'", "IDLE is followed by IDLE", "ERROR");
		assertThat(this.meters.get("redelay.queue.invariant.violations")
			.tags("messaging.destination.name", QUEUE, "what", "loop-state")
			.counter()
			.count()).isEqualTo(1);
		this.status.enter(LoopState.REQUESTING, 0);
		assertThat(this.status.state()).as("goes on").isEqualTo(LoopState.REQUESTING);
	}

	@Test
	void whatFollowsAChangeRunsOnceAndWithoutTheLock() {
		List<Boolean> locked = new ArrayList<>();
		Runnable look = () -> locked.add(Thread.holdsLock(this.status));
		this.status.change(() -> {
			this.status.afterwards(look);
			look.run();
		});
		assertThat(locked).containsExactly(true, false);
		assertThat(this.status.change(() -> "changed")).isEqualTo("changed");
		assertThat(locked).hasSize(2);
	}

	@Test
	void whatFollowsAChangeWithinAnotherOneRunsAfterBoth() {
		List<String> run = new ArrayList<>();
		this.status.change(() -> {
			this.status.afterwards(() -> run.add("outer " + Thread.holdsLock(this.status)));
			this.status.change(() -> this.status.afterwards(() -> run.add("inner " + Thread.holdsLock(this.status))));
			run.add("changed");
		});
		assertThat(run).containsExactly("changed", "outer false", "inner false");
	}

	@Test
	void aChangeThatFailsWithinAnotherOneKeepsNothingFromRunning() {
		List<String> run = new ArrayList<>();
		this.status.change(() -> {
			this.status.afterwards(() -> run.add("outer"));
			assertThatIllegalStateException().isThrownBy(() -> this.status.change(() -> {
				throw new IllegalStateException();
			}));
		});
		assertThat(run).containsExactly("outer");
	}

	@Test
	void aStoppedLoopIsNotResumed() {
		this.status.pause();
		assertThat(this.status.isClaiming()).isFalse();
		this.status.resume();
		assertThat(this.status.isClaiming()).isTrue();
		this.status.stop();
		this.status.pause();
		this.status.resume();
		assertThat(this.status.isClaiming()).isFalse();
		assertThat(this.status.isStopping()).isTrue();
	}

	@Test
	void aClosedGateKeepsALoopFromClaiming() {
		assertThat(this.status.gate(true)).isFalse();
		assertThat(this.status.gate(false)).isTrue();
		assertThat(this.status.isClaiming()).isFalse();
		assertThat(this.status.gate(false)).isFalse();
		assertThat(this.status.gate(true)).isTrue();
		assertThat(this.status.isClaiming()).isTrue();
	}

}
