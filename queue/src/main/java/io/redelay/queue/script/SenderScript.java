package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Opens lanes to send on, and asks for their last requests.
 *
 * @param runner runs the scripts
 */
public record SenderScript(ScriptRunner runner) {

	/**
	 * Opens a lane of a queue.
	 * @param what the action, for the messages of exceptions
	 * @return the lane, when it is open
	 */
	public CompletableFuture<String> open(String what, String queue, String lane) {
		return open(what, this.runner.keys(queue).sentBy(lane).of(Script.OPEN_SENDER), lane);
	}

	/**
	 * Opens a lane to publish on.
	 */
	CompletableFuture<String> open(TopicKeys keys, String lane) {
		return open("Opening a sender of the topic '" + keys.topic() + "'", List.of(keys.sent(lane), keys.known()),
				lane);
	}

	private CompletableFuture<String> open(String what, List<Object> keys, String lane) {
		return this.runner.run(what, Script.OPEN_SENDER, keys, new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

	/**
	 * Asks which request of a lane is the last one that Redis remembers.
	 * @param queue the queue
	 * @param lane the lane
	 * @return what is remembered
	 */
	public CompletableFuture<SenderState> check(String queue, String lane) {
		return this.runner.run("Checking a sender of the queue '" + queue + "'", Script.CHECK_SENDER,
				this.runner.keys(queue).sentBy(lane).of(Script.CHECK_SENDER), new Object[0],
				(reply) -> new SenderState(reply.status(), reply.time(), reply.hasNext() ? reply.number() : 0));
	}

}
