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
	 * Reads what is aside already, and puts more aside until there are enough, those that
	 * are due first. All is read before the first write, and what can be refused for lack
	 * of memory is written first.
	 * <p>
	 * An element is an id and the value, packed as Redisson packs it: up to 3.21.0 the id
	 * has eight bytes, and since then its length is before it. One that is packed in
	 * neither form stays where it is.
	 * <p>
	 * KEYS[1] the queue behind; ARGV[1] how many entries that are aside to pass over,
	 * ARGV[2] how many to read, ARGV[3] random bytes, ARGV[4] how many delayed elements
	 * to pass over. Replies with the number of delayed elements that cannot be unpacked,
	 * the number of entries that were aside already, and three values for each entry: the
	 * element, when it is due, the size of the value, or -1 if it cannot be unpacked.
	 */
	private static final String TAKE = NAMES + """
			local from, size, pass = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
			local function value(element)
				-- An empty value of later versions can look like one of a byte of earlier ones.
				local forms = #element == 17 and { 'Bc0Lc0', 'dLc0' } or { 'dLc0', 'Bc0Lc0' }
				for _, form in ipairs(forms) do
					local done, _, found, ending = pcall(struct.unpack, form, element)
					if done and ending == #element + 1 then
						return found
					end
				end
			end
			local reply = {}
			local function add(element, score, found)
				reply[#reply + 1] = element
				reply[#reply + 1] = tostring(score)
				reply[#reply + 1] = tostring(found and #found or -1)
			end
			local entries = redis.call('zrange', aside, from, from + size - 1, 'withscores')
			for i = 1, #entries, 2 do
				add(entries[i], entries[i + 1], value(entries[i]))
			end
			local room = size - #entries / 2
			local ready = room > 0 and redis.call('lrange', KEYS[1], 0, room - 1) or {}
			local left = room - #ready
			local waiting = left > 0 and redis.call('lrange', order, pass, pass + left - 1) or {}
			local now = redis.call('time')
			local moved, delayed = {}, {}
			local function move(element, score, found)
				moved[#moved + 1] = score
				moved[#moved + 1] = element
				add(element, score, found)
			end
			for i, found in ipairs(ready) do
				-- The time makes the id another one if this script is sent a second time.
				local id = ARGV[3] .. now[1] .. '.' .. now[2] .. '.' .. i
				move(struct.pack('Bc0Lc0', #id, id, #found, found), i, found)
			end
			for _, element in ipairs(waiting) do
				local found = value(element)
				if found then
					delayed[#delayed + 1] = element
					move(element, redis.call('zscore', due, element) or 1, found)
				end
			end
			if #moved > 0 then
				redis.call('zadd', aside, unpack(moved))
				redis.call('ltrim', KEYS[1], #ready, -1)
			end
			if #delayed > 0 then
				redis.call('zrem', due, unpack(delayed))
			end
			for _, element in ipairs(delayed) do
				redis.call('lrem', order, 1, element)
			end
			return { tostring(#waiting - #delayed), tostring(#entries / 2), unpack(reply) }
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
	 * and the next call tries them again. Also if the old queue has elements that are
	 * packed as no version of Redisson packs them, which stay there
	 */
	public int drain() {
		int moved = 0;
		int failed = 0;
		int damaged = 0;
		Throwable first = null;
		int pass = 0;
		for (int batch = 0; batch < MAX_BATCHES; batch++) {
			Batch taken = take(pass, damaged);
			damaged += taken.damaged();
			List<Element> elements = taken.elements();
			List<CompletableFuture<SendResult>> sends = elements.stream().map(this::send).toList();
			List<byte[]> sent = new ArrayList<>();
			boolean refused = elements.isEmpty() && taken.damaged() == 0;
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
			// What is put aside from now on may line up before what failed.
			pass = (taken.kept() == BATCH) ? failed : Integer.MAX_VALUE;
		}
		if (failed > 0 || damaged > 0) {
			throw new IllegalStateException(describe(failed, first, damaged), first);
		}
		return moved;
	}

	private String describe(int failed, @Nullable Throwable first, int damaged) {
		List<String> problems = new ArrayList<>();
		if (failed > 0) {
			problems.add("%d messages of '%s' cannot be moved. They are kept in 'redelay:migration', and the next call"
				.formatted(failed, this.from.getName()) + " tries them again. The first failed with: " + first);
		}
		if (damaged > 0) {
			problems.add("%d elements of 'redisson_delay_queue' of '%s' are packed as no Redisson packs them. They are"
				.formatted(damaged, this.from.getName()) + " left there");
		}
		return String.join(". ", problems);
	}

	/**
	 * Counts the messages that are not moved yet: in the old queue, and put aside.
	 * @return their number. Once it is 0 and no instance sends by Redisson any more, the
	 * drain can be removed
	 */
	public long remaining() {
		return this.scripts.<Long>eval(RScript.Mode.READ_WRITE, COUNT, RScript.ReturnType.LONG, keys());
	}

	private Batch take(int pass, int damaged) {
		byte[] id = new byte[8];
		this.random.nextBytes(id);
		List<byte[]> reply = this.scripts.eval(RScript.Mode.READ_WRITE, TAKE, RScript.ReturnType.LIST, keys(),
				bytes(pass), bytes(BATCH), id, bytes(damaged));
		List<Element> elements = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 3) {
			elements.add(new Element(reply.get(i), (long) number(reply.get(i + 1)), (int) number(reply.get(i + 2))));
		}
		return new Batch((int) number(reply.get(0)), (int) number(reply.get(1)), elements);
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
		if (element.valueSize() < 0) {
			throw new IOException("An element is packed as no Redisson packs it");
		}
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
	 * What a request has taken.
	 *
	 * @param damaged how many elements cannot be unpacked, and stay in the old queue
	 * @param kept how many of the entries were aside already
	 * @param elements the entries
	 */
	private record Batch(int damaged, int kept, List<Element> elements) {

	}

	/**
	 * A message that is put aside.
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Element(byte[] packed, long due, int valueSize) {

		/**
		 * Returns all that is before the value and its size, in either form.
		 */
		String id() {
			return HexFormat.of().formatHex(this.packed, 0, this.packed.length - this.valueSize - Long.BYTES);
		}

		byte[] value() {
			return Arrays.copyOfRange(this.packed, this.packed.length - this.valueSize, this.packed.length);
		}

	}

}
