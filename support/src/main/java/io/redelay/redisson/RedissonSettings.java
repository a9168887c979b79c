package io.redelay.redisson;

import java.time.Duration;

/**
 * The threads and connections of a Redisson client.
 *
 * @param threads the number of threads that call topic listeners and run executor tasks
 * @param nettyThreads the number of threads that read and write the connections
 * @param connectionPoolSize the highest number of connections to a Redis node, those of
 * subscriptions not counted
 * @param connectionMinimumIdleSize the number of connections to a Redis node that are
 * kept open while there is nothing to do
 * @param lazyInitialization whether to connect at the first use instead of at start
 * @param checkSyncedReplicas whether a lock that no replica has received in time is
 * released and fails
 * @param replicaSyncTimeout how long a lock waits until the replicas have received it
 * @since 0.1.0
 */
public record RedissonSettings(int threads, int nettyThreads, int connectionPoolSize, int connectionMinimumIdleSize,
		boolean lazyInitialization, boolean checkSyncedReplicas, Duration replicaSyncTimeout) {

}
