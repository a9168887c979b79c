package io.redelay.queue.script;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.wire.CopyFilter;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import org.jspecify.annotations.Nullable;

/**
 * Reads a step of the kept messages of a topic, as the filter of a group sees them.
 *
 * @param topics the topics as the instance knows them
 */
record ReadLogScript(KnownTopics topics) {

	/**
	 * Reads a step.
	 * @param from the first entry, or {@code (} and the entry behind which to begin
	 * @param last the last entry, or {@code +} for the last one that there is
	 */
	CompletableFuture<Read> run(String topic, String from, String last, GroupFilter filter) {
		return this.topics.runner()
			.run("Reading what the topic '" + topic + "' keeps", Script.READ_LOG,
					this.topics.keys(topic).of(Script.READ_LOG), new Object[] { from, last,
							Integer.toString(ReplayScript.MAX_MESSAGES), Integer.toString(ReplayScript.MAX_BYTES) },
					(reply) -> read(reply, filter));
	}

	private static Read read(ReplyReader reply, GroupFilter filter) {
		String last = reply.text();
		String reached = null;
		StringBuilder leftOut = new StringBuilder(" ");
		while (reply.hasNext()) {
			reached = reply.text();
			if (!CopyFilter.accepts(filter, envelope(reply.bytes()))) {
				leftOut.append(reached).append(' ');
			}
		}
		return new Read(last, reached, leftOut.toString());
	}

	/**
	 * Returns the envelope of a message that is packed as for a send: behind its head,
	 * and without its first brace.
	 */
	private static byte[] envelope(byte[] message) {
		ByteBuffer packed = ByteBuffer.wrap(message);
		packed.position(Short.BYTES + Short.toUnsignedInt(packed.getShort()));
		byte[] envelope = new byte[packed.getInt() + 1];
		envelope[0] = '{';
		packed.get(envelope, 1, envelope.length - 1);
		return envelope;
	}

	/**
	 * A step.
	 *
	 * @param last the last entry to give
	 * @param reached the last entry of the step, or {@code null} if there is none
	 * @param leftOut the entries of the step that the filter leaves out, with a blank
	 * before and behind each
	 */
	record Read(String last, @Nullable String reached, String leftOut) {
	}

}
