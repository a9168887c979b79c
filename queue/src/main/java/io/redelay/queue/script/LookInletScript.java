package io.redelay.queue.script;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Shows the next entries of an inlet; changes nothing.
 *
 * @since 0.1.0
 */
public final class LookInletScript {

	private final ScriptRunner runner;

	LookInletScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Shows the next entries.
	 * @param queue the queue
	 * @param most how many entries at most
	 * @param maxBytes how large they are together, which the last one may exceed
	 * @param longest how many bytes of an entry are read at most
	 * @return the entries
	 */
	public CompletableFuture<InletPage> run(String queue, int most, long maxBytes, long longest) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking at the inlet of the queue '" + queue + "'", Script.LOOK_INLET,
				keys.of(Script.LOOK_INLET),
				new Object[] { Integer.toString(most), Long.toString(maxBytes), Long.toString(longest) },
				LookInletScript::page);
	}

	private static InletPage page(Reply reply) {
		boolean foreign = reply.text().equals(ScriptWords.FOREIGN);
		Instant time = reply.time();
		if (foreign) {
			return new InletPage(time, true, 0, false, List.of());
		}
		long length = reply.number();
		boolean closed = reply.flag();
		List<InletEntry> entries = new ArrayList<>();
		while (reply.hasNext()) {
			long size = reply.number();
			entries.add(new InletEntry(reply.bytes(), size));
		}
		return new InletPage(time, false, length, closed, entries);
	}

}
