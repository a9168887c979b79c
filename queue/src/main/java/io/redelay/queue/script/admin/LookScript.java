package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Counts the messages of a queue, and reads the state that shows why they wait.
 *
 * @since 0.1.0
 */
public final class LookScript {

	private final ScriptRunner runner;

	LookScript(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<StoredQueueState> run(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking why the messages of the queue '" + queue + "' wait", Script.LOOK,
				keys.of(Script.LOOK), new Object[0], (reply) -> {
					StoredCounts counts = CountScript.counts(reply);
					long retrying = reply.number();
					long waitingForTurn = reply.number();
					long keysInTurn = reply.number();
					StoredQueueState.Blocked inHand = blocked(reply);
					StoredQueueState.Blocked rated = blocked(reply);
					StoredQueueState.Blocked gated = blocked(reply);
					long closedKeys = reply.number();
					long lostTicks = reply.number();
					List<StoredLane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new StoredLane(reply.text(), Duration.ZERO, reply.number()));
					}
					return new StoredQueueState(counts, retrying, waitingForTurn, keysInTurn, inHand, rated, gated,
							closedKeys, lostTicks, lanes);
				});
	}

	private static StoredQueueState.Blocked blocked(Reply reply) {
		return new StoredQueueState.Blocked(reply.number(), reply.number());
	}

}
