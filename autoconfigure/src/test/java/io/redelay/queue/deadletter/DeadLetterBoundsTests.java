package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.IdleStore;
import io.redelay.test.TestSettings;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link DeadLetterBounds}.
 */
class DeadLetterBoundsTests {

	private final VirtualTime time = new VirtualTime();

	private final AdminScripts store = IdleStore.admin();

	private final DeadLetterBounds bounds = new DeadLetterBounds(
			new DeadLetterRuntime(this.store, new IdleStore().scripts(), new EnvelopeCodec(), JsonMapper.shared(),
					this.time, new SafetyPoll(Duration.ofSeconds(5)), List.of(), new DeadLetterEvents()));

	@Test
	void theQueueWhereNothingDiedForLongestIsGivenUp() {
		for (int i = 0; i < DeadLetterBounds.MAX_QUEUES; i++) {
			this.bounds.buried("q" + i, TestSettings.DEAD_LETTERS);
		}
		this.bounds.buried("q0", TestSettings.DEAD_LETTERS);
		this.bounds.buried("another", TestSettings.DEAD_LETTERS);
		this.time.advance(Duration.ofMillis(1));
		then(this.store.count()).should().run("q0");
		then(this.store.count()).should(never()).run("q1");
		then(this.store.count()).should().run("another");
	}

	@Test
	void afterAStopNothingIsBoundedUntilItIsStartedAgain() {
		this.bounds.buried("q", TestSettings.DEAD_LETTERS);
		this.bounds.stop();
		this.bounds.buried("q", TestSettings.DEAD_LETTERS);
		this.time.advance(Duration.ofMinutes(1));
		then(this.store.count()).should(never()).run("q");
		this.bounds.start();
		this.bounds.buried("q", TestSettings.DEAD_LETTERS);
		this.time.advance(Duration.ofMillis(1));
		then(this.store.count()).should().run("q");
	}

}
