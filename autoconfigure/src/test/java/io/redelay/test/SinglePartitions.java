package io.redelay.test;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.ScriptRunner;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Partitions for tests without a server: each queue has one, and that is known.
 */
public final class SinglePartitions {

	private SinglePartitions() {
	}

	public static QueuePartitions create() {
		AdminScripts store = IdleStore.admin();
		given(store.runner())
			.willReturn(mock(ScriptRunner.class, (invocation) -> CompletableFuture.completedFuture(Map.of())));
		QueuePartitions partitions = new QueuePartitions(store, Map.of(), new VirtualTime(), Duration.ofDays(1));
		partitions.ready().join();
		return partitions;
	}

}
