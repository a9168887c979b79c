package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.lock.LockRequest;
import io.redelay.lock.LockThreads;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link QuorumLockProvider}.
 */
class QuorumLockProviderTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	/**
	 * A thread may find the provider closed, and go on when it has been opened again.
	 */
	@Test
	void aRequestThatComesAfterTheCloseFailsAndClosesNothing() {
		Map<String, RedissonClient> clients = Stream.of("a", "b", "c")
			.collect(Collectors.toMap((name) -> name, (name) -> mock(RedissonClient.class)));
		Map<String, Supplier<RedissonClient>> connectors = clients.keySet()
			.stream()
			.collect(Collectors.toMap((name) -> name, (name) -> () -> clients.get(name)));
		try (LockThreads threads = LockThreads.platform()) {
			QuorumLockProvider provider = new QuorumLockProvider(connectors,
					new QuorumSettings(Duration.ofSeconds(10), Duration.ofSeconds(1)), threads, "client");
			provider.close();
			clients.values().forEach((client) -> then(client).should(timeout(LONG.toMillis())).shutdown());
			assertThat(provider.acquire(new LockRequest("lock", null, null))).failsWithin(LONG)
				.withThrowableThat()
				.withMessageContaining("was closed while a lock was waited for");
			clients.values().forEach((client) -> then(client).should(times(1)).shutdown());
		}
	}

}
