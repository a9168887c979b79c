package io.redelay.migration;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RQueue;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.handler.State;

/**
 * Moves the messages of Redisson's {@link org.redisson.api.RDelayedQueue} to a queue of
 * Redelay: those that are delayed, with what is left of their delay, and those that are
 * due and wait in the queue behind it. Instances that still send and receive by Redisson
 * may go on meanwhile.
 * <p>
 * A message is first put aside in the Redis of the old queue, in the same script that
 * takes it out of that queue, under the key <code>redelay:migration:{name}</code>. It
 * stays there until Redelay has it. So a crash loses no message, and the next call of
 * {@link #drain()}, by any instance, goes on. A message that is sent a second time is
 * recognised for a day and dropped.
 * <p>
 * Safe for use by many threads and instances, though one at a time is enough.
 *
 * @param <V> the type of the values in the old queue
 * @since 0.1.0
 */
public final class DelayedQueueDrain<V> {

	/**
	 * How long a message that was sent is recognised if it is sent again.
	 */
	private static final Duration WINDOW = Duration.ofDays(1);

	private static final int BATCH = 100;

	private static final int MAX_BATCHES = 1000;

	/**
	 * The keys that belong to that of the queue behind, in its slot of a cluster. They
	 * are built here as Redisson builds them, which puts a mapped name between braces.
	 */
	private static final String NAMES = """
			local function named(prefix)
				return prefix .. ':' .. (string.find(KEYS[1], '{', 1, true) and KEYS[1] or '{' .. KEYS[1] .. '}')
			end
			local due, order = named('redisson_delay_queue_timeout'), named('redisson_delay_queue')
			local aside = named('redelay:migration')
			""";

	/**
	 * Puts messages aside until there are enough, those that are due first, and reads
	 * what is aside. An element is packed as Redisson packs it, with an id before the
	 * value. All is read before the first write, and what can be refused for lack of
	 * memory is written first.
	 * <p>
	 * KEYS[1] the queue behind; ARGV[1] how many entries to pass over, ARGV[2] how many
	 * to read, ARGV[3] random bytes. Replies with three values for each: the element,
	 * when it is due, the size of the value.
	 */
	private static final String TAKE = NAMES + """
			local from, size = tonumber(ARGV[1]), tonumber(ARGV[2])
			local room = math.max(0, from + size - redis.call('zcard', aside))
			local ready = room > 0 and redis.call('lrange', KEYS[1], 0, room - 1) or {}
			local left = room - #ready
			local delayed = left > 0 and redis.call('lrange', order, 0, left - 1) or {}
			local now = redis.call('time')
			local moved = {}
			for i, value in ipairs(ready) do
				-- The time makes the id another one if this script is sent a second time.
				local id = ARGV[3] .. now[1] .. '.' .. now[2] .. '.' .. i
				moved[#moved + 1] = i
				moved[#moved + 1] = struct.pack('Bc0Lc0', #id, id, #value, value)
			end
			for _, element in ipairs(delayed) do
				moved[#moved + 1] = redis.call('zscore', due, element) or 1
				moved[#moved + 1] = element
			end
			if #moved > 0 then
				redis.call('zadd', aside, unpack(moved))
				redis.call('ltrim', KEYS[1], #ready, -1)
			end
			if #delayed > 0 then
				redis.call('ltrim', order, #delayed, -1)
				redis.call('zrem', due, unpack(delayed))
			end
			local reply = {}
			local entries = redis.call('zrange', aside, from, from + size - 1, 'withscores')
			for i = 1, #entries, 2 do
				local _, value = struct.unpack('Bc0Lc0', entries[i])
				reply[#reply + 1] = entries[i]
				reply[#reply + 1] = entries[i + 1]
				reply[#reply + 1] = tostring(#value)
			end
			return reply
			""";

	private static final String REMOVE = NAMES + "return redis.call('zrem', aside, unpack(ARGV))";

	private static final String COUNT = NAMES
			+ "return redis.call('llen', KEYS[1]) + redis.call('zcard', due) + redis.call('zcard', aside)";

	private final SecureRandom random = new SecureRandom();

	private final RScript scripts;

	private final RQueue<V> from;

	private final QueueOperations to;

	private final Function<V, OutboundMessage> message;

	/**
	 * Creates a drain.
	 * @param redisson the client of the old queue
	 * @param from the queue behind the {@code RDelayedQueue}: the one that
	 * {@code getDelayedQueue} was given
	 * @param to sends the messages
	 * @param message makes the message of a value: its queue, its payload and, if it is
	 * to have one, its id. When it is due is set here, and by what it is recognised
	 */
	public DelayedQueueDrain(RedissonClient redisson, RQueue<V> from, QueueOperations to,
			Function<V, OutboundMessage> message) {
		this.scripts = redisson.getScript(ByteArrayCodec.INSTANCE);
		this.from = from;
		this.to = to;
		this.message = message;
	}

	/**
	 * Moves the messages that are in the old queue, at most 100,000 of them. Does not
	 * take part in a transaction.
	 * @return how many left it
	 * @throws IllegalStateException if some could not be moved, because their value
	 * cannot be read, no message can be made of it, or it was not sent. They are kept,
	 * and the next call tries them again
	 */
	public int drain() {
		int moved = 0;
		int failed = 0;
		Throwable first = null;
		for (int batch = 0; batch < MAX_BATCHES; batch++) {
			List<Element> elements = take(failed);
			List<CompletableFuture<SendResult>> sends = elements.stream().map(this::send).toList();
			List<byte[]> sent = new ArrayList<>();
			boolean refused = elements.isEmpty();
			for (int i = 0; i < sends.size(); i++) {
				Throwable failure = failure(sends.get(i));
				if (failure == null) {
					sent.add(elements.get(i).packed());
				}
				else {
					failed++;
					first = (first != null) ? first : failure;
					refused |= failure instanceof MessageSendException;
				}
			}
			if (!sent.isEmpty()) {
				moved += remove(sent);
			}
			else if (refused) {
				// The rest stays with those that still receive by Redisson.
				break;
			}
		}
		if (first != null) {
			throw new IllegalStateException(
					"%d messages of '%s' cannot be moved. They are kept in 'redelay:migration', and the next call tries"
						.formatted(failed, this.from.getName()) + " them again. The first failed with: " + first,
					first);
		}
		return moved;
	}

	/**
	 * Counts the messages that are not moved yet: in the old queue, and put aside.
	 * @return their number. Once it is 0 and no instance sends by Redisson any more, the
	 * drain can be removed
	 */
	public long remaining() {
		return this.scripts.<Long>eval(RScript.Mode.READ_WRITE, COUNT, RScript.ReturnType.LONG, keys());
	}

	private List<Element> take(int pass) {
		byte[] id = new byte[8];
		this.random.nextBytes(id);
		List<byte[]> reply = this.scripts.eval(RScript.Mode.READ_WRITE, TAKE, RScript.ReturnType.LIST, keys(),
				bytes(pass), bytes(BATCH), id);
		List<Element> elements = new ArrayList<>();
		for (int i = 0; i < reply.size(); i += 3) {
			elements.add(new Element(reply.get(i), (long) number(reply.get(i + 1)), (int) number(reply.get(i + 2))));
		}
		return elements;
	}

	private CompletableFuture<SendResult> send(Element element) {
		try {
			OutboundMessage outbound = this.message.apply(value(element));
			String id = "redisson:" + element.id();
			return this.to.sendAsync(
					((outbound.id() != null) ? outbound : outbound.id(id)).dueAt(Instant.ofEpochMilli(element.due()))
						.deduplicate(Deduplication.firstWins(id, WINDOW))
						.inTransaction(false));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private V value(Element element) throws IOException {
		ByteBuf buffer = Unpooled.wrappedBuffer(element.value());
		return (V) this.from.getCodec().getValueDecoder().decode(buffer, new State());
	}

	private static @Nullable Throwable failure(CompletableFuture<SendResult> send) {
		try {
			send.join();
			return null;
		}
		catch (CompletionException ex) {
			return (ex.getCause() != null) ? ex.getCause() : ex;
		}
		catch (CancellationException ex) {
			return ex;
		}
	}

	private int remove(List<byte[]> elements) {
		return this.scripts
			.<Long>eval(RScript.Mode.READ_WRITE, REMOVE, RScript.ReturnType.LONG, keys(), elements.toArray())
			.intValue();
	}

	private List<Object> keys() {
		return List.of(this.from.getName());
	}

	private static byte[] bytes(int number) {
		return String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
	}

	private static double number(byte[] text) {
		return Double.parseDouble(new String(text, StandardCharsets.US_ASCII));
	}

	/**
	 * A message that is put aside.
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Element(byte[] packed, long due, int valueSize) {

		String id() {
			return HexFormat.of().formatHex(this.packed, 1, 1 + Byte.toUnsignedInt(this.packed[0]));
		}

		byte[] value() {
			return Arrays.copyOfRange(this.packed, this.packed.length - this.valueSize, this.packed.length);
		}

	}

}
