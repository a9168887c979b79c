package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Lists the lanes that consume from a queue, at most 1,000.
 *
 * @since 0.1.0
 */
public final class LanesScript {

	private final ScriptRunner runner;

	LanesScript(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<List<StoredLane>> run(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Listing the lanes of the queue '" + queue + "'", Script.LANES, keys.of(Script.LANES),
				new Object[0], (reply) -> {
					reply.text();
					Instant now = reply.time();
					List<StoredLane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new StoredLane(reply.text(), Duration.between(now, reply.time()), reply.number()));
					}
					return lanes;
				});
	}

}
