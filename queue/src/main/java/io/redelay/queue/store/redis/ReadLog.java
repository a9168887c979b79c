package io.redelay.queue.store.redis;

import java.nio.ByteBuffer;

import io.redelay.queue.GroupFilter;
import org.jspecify.annotations.Nullable;

/**
 * A step through the kept messages of a topic, as the filter of a group sees them.
 *
 * @param last the last entry to give
 * @param reached the last entry of the step, or {@code null} if there is none
 * @param leftOut the entries of the step that the filter leaves out, with a blank before
 * and behind each
 */
record ReadLog(String last, @Nullable String reached, String leftOut) {

	static ReadLog of(Reply reply, GroupFilter filter) {
		String last = reply.text();
		String reached = null;
		StringBuilder leftOut = new StringBuilder(" ");
		while (reply.hasNext()) {
			reached = reply.text();
			if (!CopyFilter.accepts(filter, envelope(reply.bytes()))) {
				leftOut.append(reached).append(' ');
			}
		}
		return new ReadLog(last, reached, leftOut.toString());
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

}
