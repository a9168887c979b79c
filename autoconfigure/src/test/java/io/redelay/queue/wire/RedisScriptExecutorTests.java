package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.QueueThreads;
import org.junit.jupiter.api.Test;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.RedisConnectionException;
import org.redisson.config.Config;
import org.redisson.misc.CompletableFutureWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisScriptExecutor}.
 */
class RedisScriptExecutorTests {

	@Test
	void aRequestThatWaitsToBeSentAgainWhenThreadsAreSuspendedFailsWhenItsTimeIsOver() {
		RScript runner = mock(RScript.class, (call) -> new CompletableFutureWrapper<>(
				CompletableFuture.failedFuture(new RedisConnectionException("refused by a test"))));
		RedissonClient redisson = mock(RedissonClient.class);
		given(redisson.getConfig()).willReturn(new Config());
		given(redisson.getScript(any(OptionalOptions.class))).willReturn(runner);
		try (QueueThreads threads = QueueThreads.platform();
				RedisScriptExecutor executor = new RedisScriptExecutor(redisson, Duration.ofMillis(700),
						threads.scheduler(), LuaScripts.load(), new RedisAvailability(threads.timer()))) {
			CompletableFuture<?> reply = executor.run("Counting", Script.COUNT, List.of("key"), new Object[] { "" });
			threads.suspend().join();
			assertThat(reply).failsWithin(Duration.ofMinutes(1))
				.withThrowableThat()
				.havingCause()
				.isInstanceOfAny(StoreException.class, OutcomeUnknownException.class);
		}
	}

}
