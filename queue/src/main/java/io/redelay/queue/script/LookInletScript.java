package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Shows the next entries of an inlet; changes nothing.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record LookInletScript(ScriptRunner runner) {

	/**
	 * Shows the next entries.
	 * @param queue the queue
	 * @param most how many entries at most
	 * @param maxBytes how large they are together, which the last one may exceed
	 * @param longest how many bytes of an entry are read at most
	 * @return the entries
	 */
	public CompletableFuture<Page> run(String queue, int most, long maxBytes, long longest) {
		return this.runner.run(Script.LOOK_INLET, queue, "Looking at the inlet of", LookInletScript::page, most,
				maxBytes, longest);
	}

	private static Page page(ReplyReader reply) {
		boolean foreign = reply.text().equals(ScriptWords.FOREIGN);
		Instant time = reply.time();
		if (foreign) {
			return new Page(time, true, 0, false, List.of());
		}
		long length = reply.number();
		boolean closed = reply.flag();
		return new Page(time, false, length, closed, reply.list((each) -> {
			long size = each.number();
			return new Entry(each.bytes(), size);
		}));
	}

	/**
	 * The next entries of an inlet.
	 *
	 * @param time the store's clock
	 * @param foreign whether the key is not a list; nothing is read then
	 * @param length how many entries there are
	 * @param closed whether the queue takes no new messages
	 * @param entries the first of them
	 */
	public record Page(Instant time, boolean foreign, long length, boolean closed, List<Entry> entries) {

	}

	/**
	 * An entry of an inlet, as it was read.
	 *
	 * @param text its bytes, as far as they were asked for
	 * @param length how many bytes it has
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or
												// changed
	public record Entry(byte[] text, long length) {

		/**
		 * Returns whether it has more bytes than were read.
		 * @return whether it is longer
		 */
		public boolean isCut() {
			return this.length > this.text.length;
		}

	}

}
