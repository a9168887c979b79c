package io.redelay.test;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;

import static org.mockito.BDDMockito.given;

/**
 * Partitions for tests without a server: each queue has one, and that is known.
 */
public final class SinglePartitions {

	private SinglePartitions() {
	}

	public static QueuePartitions create() {
		AdminScripts store = IdleStore.admin();
		given(store.partitions().list()).willReturn(CompletableFuture.completedFuture(Map.of()));
		QueuePartitions partitions = new QueuePartitions(store, Map.of(), new VirtualTime(), Duration.ofDays(1));
		partitions.ready().join();
		return partitions;
	}

}
