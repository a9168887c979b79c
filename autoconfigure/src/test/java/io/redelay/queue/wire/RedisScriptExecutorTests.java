package io.redelay.queue.wire;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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
	void aRequestThatWaitsForTheGateIsNotRepeatedForTwiceAsLong() {
		LuaScripts all = LuaScripts.load();
		AtomicInteger counted = new AtomicInteger();
		RScript runner = mock(RScript.class, (call) -> {
			if (Arrays.asList(call.getArguments()).contains(all.text(Script.COUNT))) {
				counted.incrementAndGet();
			}
			return new CompletableFutureWrapper<>(
					CompletableFuture.failedFuture(new RedisConnectionException("refused by a test")));
		});
		RedissonClient redisson = mock(RedissonClient.class);
		given(redisson.getConfig()).willReturn(new Config());
		given(redisson.getScript(any(OptionalOptions.class))).willReturn(runner);
		AtomicLong nanos = new AtomicLong();
		WireGate gate = new WireGate(1, 1, 1, "idle", nanos::get);
		gate.pass("redelay", (key, args) -> CompletableFuture.completedFuture(new ReplyReader(List.of("OK"))));
		nanos.addAndGet(Duration.ofMinutes(3).toNanos());
		try (QueueThreads threads = QueueThreads.platform();
				ScriptRunner scripts = new ScriptRunner("redelay", new RedisScriptExecutor(redisson,
						Duration.ofMillis(700), threads.scheduler(), all, new RedisAvailability(threads.timer())),
						() -> gate)) {
			assertThat(scripts.run("Counting", Script.COUNT, List.of("key"), new Object[] { "" }, (reply) -> reply))
				.failsWithin(Duration.ofMinutes(1));
			assertThat(counted.get()).as("within the rest of the time; there are six attempts in the whole of it")
				.isBetween(1, 4);
		}
	}

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
