package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Packs scheduled messages that are due much later into chunks, brings them near again,
 * and reads them where they are.
 *
 * @param runner runs the scripts
 * @param wakePrefix gives the wake channel, without the instance
 * @param maxBytes how many bytes one request reads at most, not counting its last message
 * @param cold has the bytes that are not in Redis
 * @since 0.1.0
 */
public record FarScript(ScriptRunner runner, Supplier<String> wakePrefix, int maxBytes, ColdTier cold) {

	/**
	 * How many chunks are shown at once without their messages.
	 */
	public static final int MAX_SPANS = 1000;

	/**
	 * How many messages one step looks at.
	 */
	public static final int MAX_LOOK = 500;

	/**
	 * How many chunks are read at once by their numbers.
	 */
	private static final int MAX_CHUNKS = 8;

	private static final Log logger = PlainLog.of(FarScript.class);

	/**
	 * Looks for messages that may be packed, one step.
	 * @param place where to go on, or {@code null} to begin
	 * @param beyond how far away the due time must be
	 */
	public CompletableFuture<Look> look(String queue, @Nullable Place place, Duration beyond) {
		String from = (place != null) ? place.due() : ScriptTime.millis(beyond);
		return this.runner.run(Script.FAR_LOOK, queue, "Looking for messages of the far future in", (reply) -> {
			Instant time = reply.timeAfterStatus();
			Instant first = reply.timeOrNull();
			boolean hasNext = reply.flag();
			Place next = new Place(reply.text(), (int) reply.number());
			return new Look(time, first, hasNext ? next : null, reply
				.list((each) -> new PackedMessages.Entry(each.text(), each.number(), each.text(), each.bytes())));
		}, from, (place != null) ? place.passed() : "", MAX_LOOK, this.maxBytes);
	}

	/**
	 * Packs messages.
	 * @param messages the messages in the order of their due times, at most
	 * {@value PackedMessages#MAX_MESSAGES}
	 * @return whether they were packed; none is if one has changed meanwhile
	 */
	public CompletableFuture<Boolean> pack(String queue, List<PackedMessages.Entry> messages) {
		List<Object> args = new ArrayList<>(2 + 2 * messages.size());
		args.add(PackedMessages.pack(messages));
		MessageDigest digest = sha1();
		messages.forEach((each) -> digest.update(each.envelope()));
		args.add(HexFormat.of().formatHex(digest.digest()));
		messages.forEach((each) -> args.addAll(List.of(each.uid(), each.dueMillis())));
		return this.runner.run(Script.PACK, queue, "Packing messages of", (reply) -> reply.text().equals("OK"),
				args.toArray());
	}

	/**
	 * Shows chunks in the order of their earliest due times.
	 * @param packed whether to read their messages, too
	 * @param most how many to show
	 * @param until up to which earliest due time, or {@code null} for any
	 * @param after the chunk behind which to begin, or {@code null} to begin
	 */
	public CompletableFuture<Chunks> chunks(String queue, boolean packed, int most, @Nullable Instant until,
			@Nullable Chunk after) {
		return read(queue, packed, "ALL", most, (until != null) ? until.toEpochMilli() : "+inf",
				(after != null) ? after.dueMillis() : "", (after != null) ? after.number() : "");
	}

	private CompletableFuture<Chunks> named(String queue, List<String> numbers) {
		List<Object> args = new ArrayList<>(List.of("NAMED"));
		args.addAll(numbers);
		return read(queue, true, args.toArray());
	}

	private CompletableFuture<Chunks> read(String queue, boolean packed, Object... which) {
		List<Object> args = new ArrayList<>(List.of(packed ? "PACKED" : "SPANS", this.maxBytes));
		args.addAll(List.of(which));
		CompletableFuture<Chunks> reading = this.runner.run(Script.FAR_CHUNKS, queue, "Reading packed messages of",
				(reply) -> {
					Instant time = reply.timeAfterStatus();
					boolean hasNext = reply.flag();
					return new Chunks(time, hasNext, reply.list((each) -> Chunk.read(each)));
				}, args.toArray());
		return packed ? reading.thenCompose((found) -> this.cold.fill(queue, found.chunks())
			.thenApply((chunks) -> new Chunks(found.time(), found.hasNext(), chunks))) : reading;
	}

	/**
	 * Refuses chunks whose bytes are in a database that cannot be asked, where leaving
	 * them out would be a wrong answer.
	 */
	private static Chunks complete(Chunks found) {
		found.chunks().stream().filter(ColdTier::isUnasked).findFirst().ifPresent((chunk) -> {
			throw new StoreException("Messages cannot be shown: " + ColdTier.problem(chunk), null, false);
		});
		return found;
	}

	/**
	 * Brings the messages of a chunk near.
	 * @return whether they are near, as far as they are there still
	 */
	public CompletableFuture<Thawed> thaw(String queue, Chunk chunk) {
		List<PackedMessages.Entry> messages = messages(queue, chunk);
		if (messages.isEmpty()) {
			return CompletableFuture.completedFuture(Thawed.UNREADABLE);
		}
		List<Object> args = new ArrayList<>(3 + 2 * messages.size());
		args.addAll(List.of(chunk.number(), HexFormat.of().formatHex(sha1().digest(chunk.packed())),
				this.wakePrefix.get()));
		messages.forEach((each) -> args.addAll(List.of(each.uid(), each.envelope())));
		return this.runner.run(Script.THAW, queue, "Bringing packed messages near in",
				(reply) -> switch (reply.text()) {
					case "OK" -> Thawed.NEAR;
					case "GONE" -> Thawed.GONE;
					default -> unreadable(queue, chunk.number(), "it has messages of which nothing is known");
				}, args.toArray());
	}

	/**
	 * Brings the messages of chunks near.
	 * @param numbers the numbers of the chunks
	 * @return which of them cannot be read
	 */
	CompletableFuture<Set<String>> thaw(String queue, Set<String> numbers) {
		return named(queue, numbers.stream().limit(MAX_CHUNKS).toList())
			.thenCompose((found) -> thawAll(queue, found.chunks()));
	}

	/**
	 * Brings the messages of the chunks near that are due first.
	 * @return whether any of them did
	 */
	CompletableFuture<Boolean> thawFirst(String queue, int most) {
		return chunks(queue, true, most, null, null).thenApply(FarScript::complete)
			.thenCompose((found) -> thawAll(queue, found.chunks())
				.thenApply((unreadable) -> unreadable.size() < found.chunks().size()));
	}

	private CompletableFuture<Set<String>> thawAll(String queue, List<Chunk> chunks) {
		Set<String> unreadable = new HashSet<>();
		CompletableFuture<?> thawing = CompletableFuture.completedFuture(null);
		for (Chunk chunk : chunks) {
			thawing = thawing.thenCompose((before) -> thaw(queue, chunk)).thenAccept((thawed) -> {
				if (thawed == Thawed.UNREADABLE) {
					unreadable.add(chunk.number());
				}
			});
		}
		return thawing.thenApply((done) -> unreadable);
	}

	/**
	 * Unpacks the messages of a chunk; none if that is not possible.
	 */
	private static List<PackedMessages.Entry> messages(String queue, Chunk chunk) {
		if (ColdTier.problem(chunk) != null) {
			return List.of(); // which is logged
		}
		try {
			return PackedMessages.unpack(chunk.packed());
		}
		catch (IllegalArgumentException ex) {
			unreadable(queue, chunk.number(), String.valueOf(ex.getMessage()));
			return List.of();
		}
	}

	private static Thawed unreadable(String queue, String number, String why) {
		logger.error("The messages in the chunk " + number + " of the queue '" + queue
				+ "' are kept and cannot be delivered or read: " + why);
		return Thawed.UNREADABLE;
	}

	/**
	 * Goes through packed messages, one step. A chunk is shown as a whole, as a command
	 * on one of its messages brings all of them near.
	 * @param after the chunk behind which to go on, or {@code null} to begin
	 * @param count how many are wanted; there may be more or fewer
	 */
	CompletableFuture<Scan> scan(String queue, @Nullable Chunk after, int count) {
		int most = Math.max(1, count / PackedMessages.MAX_MESSAGES);
		return chunks(queue, true, most, null, after).thenApply(FarScript::complete).thenCompose((found) -> {
			List<Chunk> chunks = found.chunks();
			Chunk last = chunks.isEmpty() ? null : chunks.get(chunks.size() - 1);
			return living(queue, chunks).thenApply((living) -> new Scan(living.stream().map(FarScript::stored).toList(),
					last, found.hasNext() && last != null));
		});
	}

	/**
	 * The messages of chunks without those that were removed since they were packed.
	 */
	private CompletableFuture<List<PackedMessages.Entry>> living(String queue, List<Chunk> chunks) {
		List<PackedMessages.Entry> messages = new ArrayList<>();
		List<String> doubtful = new ArrayList<>();
		for (Chunk chunk : chunks) {
			List<PackedMessages.Entry> some = messages(queue, chunk);
			messages.addAll(some);
			if (chunk.left() < some.size()) {
				some.forEach((each) -> doubtful.add(each.uid()));
			}
		}
		Set<String> gone = new HashSet<>(doubtful);
		return living(queue, doubtful, 0, gone)
			.thenApply((asked) -> messages.stream().filter((each) -> !gone.contains(each.uid())).toList());
	}

	private CompletableFuture<Void> living(String queue, List<String> names, int from, Set<String> gone) {
		if (from >= names.size()) {
			return CompletableFuture.completedFuture(null);
		}
		List<String> some = names.subList(from, Math.min(names.size(), from + AdminScripts.MAX_PAGE));
		List<Object> args = new ArrayList<>(List.of(this.maxBytes));
		args.addAll(some);
		return this.runner.run(Script.OUTCOMES, queue, "Looking which packed messages are there in", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> {
				MessageState state = MessageState.valueOf(each.text());
				each.bytes(); // what became of it
				return state;
			});
		}, args.toArray()).thenCompose((states) -> {
			for (int i = 0; i < states.size(); i++) {
				if (states.get(i) == MessageState.SCHEDULED) {
					gone.remove(some.get(i));
				}
			}
			return living(queue, names, from + Math.max(1, states.size()), gone);
		});
	}

	private static StoredMessage stored(PackedMessages.Entry message) {
		return new StoredMessage(message.uid(), message.id().isEmpty() ? message.uid() : message.id(),
				MessageState.SCHEDULED, Instant.ofEpochMilli(message.dueMillis()), 0, 0, null, false,
				message.envelope(), null, List.of(), null, null, null);
	}

	/**
	 * Shows a page of packed messages.
	 * @param skip how many to pass over
	 * @param bytes how many bytes it may have, not counting its last message
	 */
	CompletableFuture<MessagePage> page(String queue, long skip, int count, long bytes) {
		return page(queue, skip, new Room(count, bytes), null);
	}

	private CompletableFuture<MessagePage> page(String queue, long skip, Room room, @Nullable Chunk after) {
		return chunks(queue, false, MAX_SPANS, null, after).thenCompose((found) -> {
			long left = skip;
			Chunk before = after;
			for (Chunk chunk : found.chunks()) {
				if (left < chunk.left()) {
					return page(queue, (int) left, room, found.time(), before);
				}
				left -= chunk.left();
				before = chunk;
			}
			return found.hasNext() ? page(queue, left, room, before)
					: CompletableFuture.completedFuture(new MessagePage(found.time(), List.of(), 0, false));
		});
	}

	private CompletableFuture<MessagePage> page(String queue, int skip, Room room, Instant time,
			@Nullable Chunk after) {
		int most = 1 + room.count() / PackedMessages.MAX_MESSAGES;
		return chunks(queue, true, most, null, after).thenApply(FarScript::complete)
			.thenCompose((found) -> living(queue, found.chunks()).thenApply((living) -> {
				int from = Math.min(skip, living.size());
				int to = from;
				long left = room.bytes();
				while (to < Math.min(living.size(), from + room.count()) && left > 0) {
					left -= living.get(to).envelope().length;
					to++;
				}
				List<StoredMessage> shown = living.subList(from, to).stream().map(FarScript::stored).toList();
				boolean more = found.hasNext() || to < living.size();
				return new MessagePage(time, shown, shown.size(), more && !shown.isEmpty());
			}));
	}

	/**
	 * Reads those of several messages that are packed.
	 * @param messages the messages, as scripts show them
	 * @return by their uids, those whose chunks are there still
	 */
	CompletableFuture<Map<String, StoredMessage>> read(String queue, List<StoredMessage> messages) {
		Map<String, String> chunks = new LinkedHashMap<>();
		messages.stream()
			.filter((each) -> !chunk(each).isEmpty())
			.forEach((each) -> chunks.put(each.uid(), chunk(each)));
		Map<String, StoredMessage> packed = new HashMap<>();
		List<String> numbers = chunks.values().stream().distinct().toList();
		return read(queue, numbers, 0, chunks.keySet(), packed).thenApply((read) -> packed);
	}

	private CompletableFuture<Void> read(String queue, List<String> numbers, int from, Set<String> uids,
			Map<String, StoredMessage> to) {
		if (from >= numbers.size()) {
			return CompletableFuture.completedFuture(null);
		}
		int next = Math.min(numbers.size(), from + MAX_CHUNKS);
		return named(queue, numbers.subList(from, next)).thenApply(FarScript::complete).thenCompose((found) -> {
			found.chunks()
				.forEach((chunk) -> messages(queue, chunk).stream()
					.filter((each) -> uids.contains(each.uid()))
					.forEach((each) -> to.put(each.uid(), stored(each))));
			return read(queue, numbers, next, uids, to);
		});
	}

	/**
	 * The number of the chunk that has a message, {@code ""} if none has.
	 */
	static String chunk(StoredMessage message) {
		byte[] envelope = message.envelope();
		return (envelope.length > 0 && envelope[0] == ScriptWords.CHUNK)
				? new String(envelope, 1, envelope.length - 1, StandardCharsets.UTF_8) : "";
	}

	private static MessageDigest sha1() {
		try {
			return MessageDigest.getInstance("SHA-1");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // each JVM has it
		}
	}

	/**
	 * How many messages and bytes a page may have.
	 */
	private record Room(int count, long bytes) {

	}

	/**
	 * What a step found that may be packed.
	 *
	 * @param time the store's clock
	 * @param first when the first packed message is due, if there is one
	 * @param next where the next step goes on, if there is more to look at
	 * @param messages the messages, in the order of their due times
	 */
	public record Look(Instant time, @Nullable Instant first, @Nullable Place next,
			List<PackedMessages.Entry> messages) {

	}

	/**
	 * Where a step goes on.
	 *
	 * @param due the due time of the last message
	 * @param passed how many with this due time were looked at
	 */
	public record Place(String due, int passed) {

	}

	/**
	 * Chunks of packed messages.
	 *
	 * @param time the store's clock
	 * @param hasNext whether there are more
	 * @param chunks the chunks
	 */
	public record Chunks(Instant time, boolean hasNext, List<Chunk> chunks) {

	}

	/**
	 * The packed messages of some chunks.
	 *
	 * @param messages the messages
	 * @param last the last of the chunks, or {@code null} if there was none
	 * @param hasNext whether there are more chunks
	 */
	record Scan(List<StoredMessage> messages, @Nullable Chunk last, boolean hasNext) {

	}

	/**
	 * Messages that are packed together.
	 *
	 * @param number its number
	 * @param dueMillis when the first one was due when they were packed
	 * @param left how many of them are there still
	 * @param latestMillis when the last one was due when they were packed
	 * @param packed the messages, if they were read
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	public record Chunk(String number, long dueMillis, int left, long latestMillis, byte[] packed) {

		static Chunk read(ReplyReader reply) {
			String number = reply.text();
			long due = reply.number();
			String[] words = reply.text().split(" ");
			return new Chunk(number, due, Integer.parseInt(words[0]), Long.parseLong(words[1]), reply.bytes());
		}

		Chunk with(byte[] bytes) {
			return new Chunk(this.number, this.dueMillis, this.left, this.latestMillis, bytes);
		}

		/**
		 * Why its messages, which were read, cannot be unpacked, or {@code null} if they
		 * can.
		 */
		public @Nullable String problem() {
			String cold = ColdTier.problem(this);
			if (cold != null) {
				return cold;
			}
			try {
				PackedMessages.unpack(this.packed);
				return null;
			}
			catch (IllegalArgumentException ex) {
				return ex.getMessage();
			}
		}

		/**
		 * The part of its messages that is due in a time, if they are due evenly.
		 * @param from the beginning
		 * @param to the end, which is not in it
		 */
		public double share(long from, long to) {
			long length = this.latestMillis - this.dueMillis + 1;
			long common = Math.min(to, this.latestMillis + 1) - Math.max(from, this.dueMillis);
			return Math.max(0, common) / (double) length;
		}

	}

	/**
	 * What became of a chunk.
	 */
	public enum Thawed {

		/**
		 * Its messages are near.
		 */
		NEAR,

		/**
		 * They were near before.
		 */
		GONE,

		/**
		 * It stays as it is, for it cannot be read.
		 */
		UNREADABLE

	}

}
