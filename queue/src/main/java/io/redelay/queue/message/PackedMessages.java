package io.redelay.queue.message;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * How scheduled messages that are due much later are packed: a byte for the format, the
 * number of messages, the length and the check sum of what is deflated, each in four
 * bytes, and that. Deflated are all uids, then all due times, ids and lengths of
 * envelopes, and then the envelopes, as equal parts of texts that stand close to each
 * other need the least room. A length is doubled, and odd if the due time was taken out
 * of the envelope.
 *
 * @since 0.1.0
 */
public final class PackedMessages {

	/**
	 * How many messages are packed together at most: to pack them or to bring them near
	 * takes Redis some two milliseconds on a slow machine.
	 */
	public static final int MAX_MESSAGES = 50;

	/**
	 * How many are read, as another version may pack more.
	 */
	private static final int MOST_READ = 1000;

	/**
	 * The largest envelope that is packed.
	 */
	public static final int MAX_ENVELOPE = 64 * 1024;

	private static final int FORMAT = 1;

	private static final byte[] SENT_AT = "{\"sentAt\":".getBytes(StandardCharsets.US_ASCII);

	private static final int HEAD = 1 + 3 * Integer.BYTES;

	/**
	 * How long a chunk may be when it is inflated, so that a damaged one does not take
	 * all memory. Four times what this version packs.
	 */
	private static final int MAX_LENGTH = 200 * (MAX_ENVELOPE + 2048);

	/**
	 * How much longer the allocation of a chunk in Redis is than its bytes at least.
	 */
	private static final int AROUND = 16;

	/**
	 * What else a chunk takes: its names, counts and due time.
	 */
	private static final int BESIDES = 250;

	/**
	 * For chunks that are no longer, it does not matter how much Redis allocates.
	 */
	private static final int SHORT = 2 * 1024;

	private static final double WORTH = 0.97;

	private PackedMessages() {
	}

	/**
	 * Packs the first of some messages: all, or fewer if each takes less of Redis' memory
	 * then. The allocator of Redis rounds up to one of four sizes for each doubling, so a
	 * chunk that is a little longer than one of them would take a quarter more.
	 * @param messages the messages in the order of their due times, at most
	 * {@value #MAX_MESSAGES}
	 * @return the packed messages, see {@link #count}
	 */
	public static byte[] packFirst(List<Entry> messages) {
		byte[] all = pack(messages);
		if (all.length <= SHORT) {
			return all;
		}
		long smaller = allocated(all.length) - step(all.length);
		int fewer = (int) (messages.size() * (smaller - AROUND) / all.length);
		if (fewer == 0 || bytesEach(smaller, fewer) > WORTH * bytesEach(allocated(all.length), messages.size())) {
			return all;
		}
		byte[] some = pack(messages.subList(0, fewer));
		return (allocated(some.length) <= smaller) ? some : all;
	}

	private static double bytesEach(long allocated, int count) {
		return (double) (allocated + BESIDES) / count;
	}

	private static long allocated(int length) {
		long step = step(length);
		return (length + AROUND + step - 1) / step * step;
	}

	private static long step(int length) {
		return Integer.highestOneBit(length + AROUND - 1) / 4;
	}

	/**
	 * Returns how many messages were packed.
	 * @param packed packed messages, which are not damaged
	 * @return how many
	 */
	public static int count(byte[] packed) {
		return ByteBuffer.wrap(packed).getInt(1);
	}

	/**
	 * Packs messages.
	 * @param messages the messages in the order of their due times, at most
	 * {@value #MAX_MESSAGES}
	 * @return the packed messages
	 */
	public static byte[] pack(List<Entry> messages) {
		Writer writer = new Writer();
		messages.forEach((each) -> writer.text(each.uid()));
		long before = 0;
		for (Entry each : messages) {
			writer.number(each.dueMillis() - before);
			before = each.dueMillis();
		}
		messages.forEach((each) -> writer.text(each.id()));
		List<byte[]> envelopes = messages.stream().map(PackedMessages::withoutDue).toList();
		for (int i = 0; i < envelopes.size(); i++) {
			boolean isShort = envelopes.get(i) != messages.get(i).envelope();
			writer.number(2L * envelopes.get(i).length + (isShort ? 1 : 0));
		}
		envelopes.forEach(writer.bytes::writeBytes);
		byte[] content = writer.bytes.toByteArray();
		CRC32 sum = new CRC32();
		sum.update(content);
		ByteArrayOutputStream packed = new ByteArrayOutputStream(content.length / 2 + HEAD);
		packed.writeBytes(ByteBuffer.allocate(HEAD)
			.put((byte) FORMAT)
			.putInt(messages.size())
			.putInt(content.length)
			.putInt((int) sum.getValue())
			.array());
		deflate(content, packed);
		return packed.toByteArray();
	}

	/**
	 * The envelope without the due time in it, which is packed anyway; the same envelope
	 * if it has another one or none.
	 */
	private static byte[] withoutDue(Entry message) {
		byte[] envelope = message.envelope();
		byte[] due = dueIn(message.dueMillis());
		int at = behindSentAt(envelope);
		if (at < 0 || at + due.length > envelope.length
				|| !Arrays.equals(envelope, at, at + due.length, due, 0, due.length)) {
			return envelope;
		}
		return ByteBuffer.allocate(envelope.length - due.length)
			.put(envelope, 0, at)
			.put(envelope, at + due.length, envelope.length - at - due.length)
			.array();
	}

	private static byte[] withDue(byte[] envelope, long dueMillis) {
		byte[] due = dueIn(dueMillis);
		int at = behindSentAt(envelope);
		return ByteBuffer.allocate(envelope.length + due.length)
			.put(envelope, 0, at)
			.put(due)
			.put(envelope, at, envelope.length - at)
			.array();
	}

	private static byte[] dueIn(long dueMillis) {
		return ("\"dueAt\":" + dueMillis + ",").getBytes(StandardCharsets.US_ASCII);
	}

	/**
	 * Where the store writes the due time into an envelope, or -1 if it does not begin as
	 * the store writes it.
	 */
	private static int behindSentAt(byte[] envelope) {
		int at = SENT_AT.length;
		if (envelope.length < at || !Arrays.equals(envelope, 0, at, SENT_AT, 0, at)) {
			return -1;
		}
		while (at < envelope.length && envelope[at] >= '0' && envelope[at] <= '9') {
			at++;
		}
		return (at < envelope.length && envelope[at] == ',') ? at + 1 : -1;
	}

	private static void deflate(byte[] content, ByteArrayOutputStream to) {
		Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
		try {
			deflater.setInput(content);
			deflater.finish();
			byte[] buffer = new byte[8192];
			while (!deflater.finished()) {
				to.write(buffer, 0, deflater.deflate(buffer));
			}
		}
		finally {
			deflater.end();
		}
	}

	/**
	 * Unpacks messages.
	 * @param packed the packed messages
	 * @return all of them
	 * @throws IllegalArgumentException if they cannot be unpacked; its message says why
	 */
	public static List<Entry> unpack(byte[] packed) {
		if (packed.length < HEAD) {
			throw new IllegalArgumentException("it has only " + packed.length + " bytes");
		}
		ByteBuffer head = ByteBuffer.wrap(packed);
		int format = head.get();
		if (format != FORMAT) {
			throw new IllegalArgumentException("its format is " + format + ", and this version reads " + FORMAT);
		}
		int count = head.getInt();
		int length = head.getInt();
		int sum = head.getInt();
		if (count < 1 || count > MOST_READ || length < 0 || length > MAX_LENGTH) {
			throw new IllegalArgumentException("it says that it has " + count + " messages of " + length + " bytes");
		}
		byte[] content = inflate(packed, length);
		CRC32 found = new CRC32();
		found.update(content);
		if ((int) found.getValue() != sum) {
			throw new IllegalArgumentException("its check sum is wrong");
		}
		return read(content, count);
	}

	private static byte[] inflate(byte[] packed, int length) {
		Inflater inflater = new Inflater(true);
		try {
			// One byte more, which a raw stream needs at its end.
			byte[] input = Arrays.copyOfRange(packed, HEAD, packed.length + 1);
			inflater.setInput(input);
			byte[] content = new byte[length];
			int read = 0;
			while (read < length) {
				int step = inflater.inflate(content, read, length - read);
				if (step == 0) {
					throw new IllegalArgumentException("it ends after " + read + " of " + length + " bytes");
				}
				read += step;
			}
			return content;
		}
		catch (DataFormatException ex) {
			throw new IllegalArgumentException("it cannot be inflated: " + ex.getMessage(), ex);
		}
		finally {
			inflater.end();
		}
	}

	private static List<Entry> read(byte[] content, int count) {
		try {
			Reader reader = new Reader(ByteBuffer.wrap(content));
			String[] uids = reader.texts(count);
			long[] dues = reader.numbers(count);
			for (int i = 1; i < count; i++) {
				dues[i] += dues[i - 1];
			}
			String[] ids = reader.texts(count);
			long[] lengths = reader.numbers(count);
			List<Entry> messages = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				byte[] envelope = reader.bytes((int) (lengths[i] / 2));
				messages.add(new Entry(uids[i], dues[i], ids[i],
						(lengths[i] % 2 == 0) ? envelope : withDue(envelope, dues[i])));
			}
			return messages;
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException("it cannot be read where its messages begin and end: " + ex.getMessage(),
					ex);
		}
	}

	/**
	 * Returns whether packed messages are these, each with all that it has.
	 * @param packed the packed messages
	 * @param messages the messages that should be there, in their order
	 * @return whether they are; not if they cannot be unpacked
	 */
	public static boolean areIn(byte[] packed, List<Entry> messages) {
		List<Entry> found;
		try {
			found = unpack(packed);
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
		if (found.size() != messages.size()) {
			return false;
		}
		for (int i = 0; i < found.size(); i++) {
			Entry one = found.get(i);
			Entry other = messages.get(i);
			if (!one.uid().equals(other.uid()) || one.dueMillis() != other.dueMillis() || !one.id().equals(other.id())
					|| !Arrays.equals(one.envelope(), other.envelope())) {
				return false;
			}
		}
		return true;
	}

	/**
	 * A packed message.
	 *
	 * @param uid its uid
	 * @param dueMillis when it is due
	 * @param id its id, or {@code ""} if it has none
	 * @param envelope its envelope
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	public record Entry(String uid, long dueMillis, String id, byte[] envelope) {

	}

	/**
	 * Writes numbers in as many groups of seven bits as they need, and texts with their
	 * lengths.
	 */
	private static final class Writer {

		private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		void number(long number) {
			long rest = number;
			while ((rest & ~0x7FL) != 0) {
				this.bytes.write((int) (rest & 0x7F) | 0x80);
				rest >>>= 7;
			}
			this.bytes.write((int) rest);
		}

		void text(String text) {
			byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
			number(encoded.length);
			this.bytes.writeBytes(encoded);
		}

	}

	/**
	 * Reads what a {@link Writer} wrote.
	 *
	 * @param bytes what is left to read
	 */
	private record Reader(ByteBuffer bytes) {

		long number() {
			long number = 0;
			for (int shift = 0; shift < Long.SIZE; shift += 7) {
				byte part = this.bytes.get();
				number |= (part & 0x7FL) << shift;
				if (part >= 0) {
					return number;
				}
			}
			throw new IllegalArgumentException("a number is too long");
		}

		byte[] bytes(int length) {
			if (length < 0 || length > this.bytes.remaining()) {
				throw new IllegalArgumentException("a length is " + length);
			}
			byte[] read = new byte[length];
			this.bytes.get(read);
			return read;
		}

		String[] texts(int count) {
			String[] texts = new String[count];
			for (int i = 0; i < count; i++) {
				texts[i] = new String(bytes((int) number()), StandardCharsets.UTF_8);
			}
			return texts;
		}

		long[] numbers(int count) {
			long[] numbers = new long[count];
			for (int i = 0; i < count; i++) {
				numbers[i] = number();
			}
			return numbers;
		}

	}

}
