package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link DeadLetterTrimmer}.
 */
class DeadLetterTrimmerTests {

	private final VirtualTime time = new VirtualTime();

	private final AdminScripts store = IdleStore.admin();

	private final DeadLetterTrimmer trimmer = new DeadLetterTrimmer("orders",
			new DeadLetterSettings(10, Duration.ofDays(1), DeadLetterSettings.ANY_SIZE, null, null, null),
			new DeadLetterRuntime(this.store, new IdleStore().scripts(), new EnvelopeCodec(), JsonMapper.shared(),
					this.time, new SafetyPoll(Duration.ofSeconds(5)), List.of(), new DeadLetterEvents()));

	@Test
	void triesAgainSoonWhileRedisIsAway() {
		AtomicInteger looks = new AtomicInteger();
		given(this.store.count().run("orders")).willAnswer((invocation) -> (looks.incrementAndGet() < 3)
				? CompletableFuture.failedFuture(new StoreException("thrown by a test", null, true))
				: new CompletableFuture<>());
		this.trimmer.start();
		this.time.advance(Duration.ofMinutes(1));
		assertThat(looks).hasValue(3);
	}

}
