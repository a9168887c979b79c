package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Opens a lane to send on.
 */
public final class OpenSenderScript {

	private final ScriptRunner runner;

	private final ExpiryAnnouncements expiries;

	OpenSenderScript(ScriptRunner runner, ExpiryAnnouncements expiries) {
		this.runner = runner;
		this.expiries = expiries;
	}

	/**
	 * Opens a lane to send to a queue on.
	 * @param queue the queue
	 * @param lane a new lane
	 * @return the lane, when it is open
	 */
	public CompletableFuture<String> run(String queue, String lane) {
		this.expiries.forget(queue); // the queue may have been forgotten since
		return run(this.runner, "Opening a sender of the queue '" + queue + "'", queue, lane);
	}

	/**
	 * Opens a lane of a queue.
	 * @param what the action, for the messages of exceptions
	 */
	static CompletableFuture<String> run(ScriptRunner runner, String what, String queue, String lane) {
		QueueKeys keys = runner.keys(queue);
		return run(runner, what, List.of(keys.sent(lane), keys.known(), keys.idle()), lane);
	}

	/**
	 * Opens a lane to publish on.
	 */
	static CompletableFuture<String> run(ScriptRunner runner, TopicKeys keys, String lane) {
		return run(runner, "Opening a sender of the topic '" + keys.topic() + "'",
				List.of(keys.sent(lane), keys.known()), lane);
	}

	private static CompletableFuture<String> run(ScriptRunner runner, String what, List<Object> keys, String lane) {
		return runner.run(what, Script.OPEN_SENDER, keys, new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

}
