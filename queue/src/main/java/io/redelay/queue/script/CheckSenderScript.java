package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.SenderState;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Asks which request of a lane to send on is the last one that Redis remembers.
 */
public final class CheckSenderScript {

	private final ScriptRunner runner;

	public CheckSenderScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Asks for the last request of a lane.
	 * @param queue the queue
	 * @param lane the lane
	 * @return what is remembered
	 */
	public CompletableFuture<SenderState> run(String queue, String lane) {
		return this.runner.run("Checking a sender of the queue '" + queue + "'", Script.CHECK_SENDER,
				this.runner.keys(queue).sentBy(lane).of(Script.CHECK_SENDER), new Object[0],
				(reply) -> new SenderState(reply.status(), reply.time(), reply.hasNext() ? reply.number() : 0));
	}

}
