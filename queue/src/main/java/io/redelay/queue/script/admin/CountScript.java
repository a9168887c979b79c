package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.LimitWords;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Counts the messages of a queue.
 *
 * @since 0.1.0
 */
public final class CountScript {

	private final ScriptRunner runner;

	CountScript(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<StoredCounts> run(String queue) {
		return this.runner.run("Counting the messages of the queue '" + queue + "'", Script.COUNT,
				this.runner.keys(queue).of(Script.COUNT), new Object[0], CountScript::counts);
	}

	static StoredCounts counts(Reply reply) {
		reply.text();
		Instant time = reply.time();
		long scheduled = reply.number();
		long ready = reply.number();
		long inFlight = reply.number();
		long dead = reply.number();
		Instant nextDue = reply.timeOrNull();
		boolean paused = reply.flag();
		boolean closed = reply.flag();
		return new StoredCounts(time, scheduled, ready, inFlight, dead, nextDue, paused, closed, reply.timeOrNull(),
				reply.number(), reply.timeOrNull(), reply.number(), reply.number(), reply.number(),
				LimitWords.read(reply.text(), reply.text(), reply.text()), reply.number());
	}

}
