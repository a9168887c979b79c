package io.redelay.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of Redelay's Redisson client; {@code spring.data.redis} has the location of
 * Redis.
 *
 * @param threads Number of threads that call topic listeners and run executor tasks. Each
 * starts when it is first needed. Lock wake-ups pass through them, so a listener that
 * blocks must leave some free.
 * @param nettyThreads Number of threads that read and write the connections. They never
 * block, so a few serve thousands of requests.
 * @param connectionPoolSize Highest number of connections to a Redis node, those of
 * subscriptions not counted. A request has a connection to itself until it is answered.
 * @param connectionMinimumIdleSize Number of connections to a Redis node that stay open
 * while there is nothing to do.
 * @param lazyInitialization Whether to connect at the first use instead of at start, so
 * that the application starts without Redis.
 * @param checkSyncedReplicas Whether a lock is released and fails if there are replicas
 * and none has received it in time.
 * @param replicaSyncTimeout How long a lock waits until the replicas have received it.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.redisson")
record RedelayRedissonProperties(@DefaultValue("4") int threads, @DefaultValue("4") int nettyThreads,
		@DefaultValue("32") int connectionPoolSize, @DefaultValue("1") int connectionMinimumIdleSize,
		@DefaultValue("false") boolean lazyInitialization, @DefaultValue("true") boolean checkSyncedReplicas,
		@DefaultValue("1s") Duration replicaSyncTimeout) {

	public RedelayRedissonProperties {
		assertPositive(threads, "threads");
		assertPositive(nettyThreads, "nettyThreads");
		assertPositive(connectionPoolSize, "connectionPoolSize");
		assertPositive(connectionMinimumIdleSize, "connectionMinimumIdleSize");
		if (connectionMinimumIdleSize > connectionPoolSize) {
			throw new IllegalArgumentException(
					"'connectionMinimumIdleSize' must not exceed 'connectionPoolSize', but %d is more than %d"
						.formatted(connectionMinimumIdleSize, connectionPoolSize));
		}
		if (replicaSyncTimeout.compareTo(Duration.ofMillis(1)) < 0) {
			throw new IllegalArgumentException(
					"'replicaSyncTimeout' must be at least 1ms, but is %s".formatted(replicaSyncTimeout));
		}
	}

	private static void assertPositive(int value, String name) {
		if (value <= 0) {
			throw new IllegalArgumentException("'%s' must be positive, but is %d".formatted(name, value));
		}
	}

}
