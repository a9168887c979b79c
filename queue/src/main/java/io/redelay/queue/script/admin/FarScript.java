package io.redelay.queue.script.admin;

import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.log.PlainLog;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Sha1;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Packs scheduled messages that are due much later into chunks, and brings them near
 * again.
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
	public static final int MAX_SPANS = 250;

	/**
	 * How many messages one step looks at.
	 */
	public static final int MAX_LOOK = 100;

	/**
	 * How many bytes of envelopes or of packed messages one step reads at most, not
	 * counting its last message or chunk, so that it takes Redis a few milliseconds.
	 */
	private static final int MAX_STEP_BYTES = 256 * 1024;

	/**
	 * How many chunks are read at once by their numbers.
	 */
	static final int MAX_CHUNKS = 8;

	/**
	 * The status of a reply if it cannot be read how many messages are packed.
	 */
	private static final String LOST = "LOST";

	/**
	 * The status of a reply if a chunk has no messages but some that were named.
	 */
	private static final String WHOLE = "WHOLE";

	/**
	 * How often packed messages are counted for one request.
	 */
	private static final int MAX_RECOUNTS = 3;

	/**
	 * How many messages a chunk has, the latest due time, and how many it had.
	 */
	private static final Pattern COUNTS = Pattern.compile("(\\d{1,9}) (\\d{1,18})(?: (\\d{1,9}))?");

	private static final Log logger = PlainLog.of(FarScript.class);

	/**
	 * Looks for messages that may be packed, one step.
	 * @param queue the queue, as the store knows it
	 * @param place where to go on, or {@code null} to begin
	 * @param beyond how far away the due time must be
	 */
	public CompletableFuture<Look> look(String queue, @Nullable Place place, Duration beyond) {
		return this.runner.run(Script.FAR_LOOK, queue, "Looking for messages of the far future in", (reply) -> {
			Instant time = reply.timeAfterStatus();
			Instant first = reply.timeOrNull();
			boolean hasNext = reply.flag();
			Place next = new Place(reply.text(), (int) reply.number());
			return new Look(time, first, hasNext ? next : null, reply
				.list((each) -> new PackedMessages.Entry(each.text(), each.number(), each.text(), each.bytes())));
		}, ScriptTime.millis(beyond), (place != null) ? place.due() : "", (place != null) ? place.passed() : "",
				MAX_LOOK, stepBytes(), PackedMessages.MAX_ENVELOPE);
	}

	/**
	 * Packs messages, as many of the first ones as take the least memory each.
	 * @param queue the queue, as the store knows it
	 * @param first the messages in the order of their due times, at most
	 * {@value PackedMessages#MAX_MESSAGES}
	 * @param lead how long before their time they come near
	 * @return how many were packed; none is if one of them has changed meanwhile, or is
	 * due sooner than that. Fails if what Redis has of their number stays unreadable
	 */
	public CompletableFuture<Integer> pack(String queue, List<PackedMessages.Entry> first, Duration lead) {
		byte[] packed = PackedMessages.packFirst(first);
		List<PackedMessages.Entry> messages = first.subList(0, PackedMessages.count(packed));
		if (!PackedMessages.areIn(packed, messages)) {
			logger.error("Messages of the queue '" + queue + "' are not packed, as they would not be the same: "
					+ messages.get(0).uid() + " and " + (messages.size() - 1) + " others");
			return CompletableFuture.completedFuture(0);
		}
		List<Object> args = new ArrayList<>(3 + 2 * messages.size());
		args.add(packed);
		MessageDigest digest = Sha1.begin();
		messages.forEach((each) -> digest.update(each.envelope()));
		args.addAll(List.of(HexFormat.of().formatHex(digest.digest()), ScriptTime.millis(lead)));
		messages.forEach((each) -> args.addAll(List.of(each.uid(), each.dueMillis())));
		return pack(queue, args.toArray(), MAX_RECOUNTS).thenApply((done) -> done ? messages.size() : 0);
	}

	private CompletableFuture<Boolean> pack(String queue, Object[] args, int recounts) {
		return this.runner.run(Script.PACK, queue, "Packing messages of", ReplyReader::text, args)
			.thenCompose((reply) -> !reply.equals(LOST) ? CompletableFuture.completedFuture(reply.equals("OK"))
					: recounted(queue, recounts, (left) -> pack(queue, args, left)));
	}

	/**
	 * Counts the packed messages, and makes a request again that needs their number.
	 * Another instance may have counted them at the same time.
	 * @param recounts how often they are counted at most
	 * @param request makes the request, given how often they may be counted after it: not
	 * if their number was right
	 */
	private <T> CompletableFuture<T> recounted(String queue, int recounts, IntFunction<CompletableFuture<T>> request) {
		return (recounts > 0) ? recount(queue).thenCompose((wrong) -> request.apply(wrong ? recounts - 1 : 0))
				: CompletableFuture.failedFuture(new StoreException("It cannot be read how many messages of the queue '"
						+ queue + "' are packed, so none is packed now or comes near", null));
	}

	/**
	 * Returns whether a queue has packed messages.
	 * @param queue the queue, as the store knows it
	 */
	public CompletableFuture<Boolean> hasAny(String queue) {
		return chunks(queue, false, 1, null, null).thenApply((found) -> !found.chunks().isEmpty());
	}

	/**
	 * Shows chunks in the order of their earliest due times.
	 * @param queue the queue, as the store knows it
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

	/**
	 * Reads chunks that are to come near now, in the order of their earliest due times.
	 * @param queue the queue, as the store knows it
	 * @param most how many
	 * @param after the chunk behind which to begin, or {@code null} to begin
	 */
	public CompletableFuture<Chunks> near(String queue, int most, @Nullable Chunk after) {
		return read(queue, true, "ALL", most, "NEAR", (after != null) ? after.dueMillis() : "",
				(after != null) ? after.number() : "");
	}

	/**
	 * Reads chunks by their numbers, {@value #MAX_CHUNKS} at most.
	 */
	CompletableFuture<Chunks> named(String queue, List<String> numbers) {
		List<Object> args = new ArrayList<>(List.of("NAMED"));
		args.addAll(numbers);
		return read(queue, true, args.toArray()).thenCompose((found) -> {
			List<Chunk> chunks = found.chunks();
			return (found.hasNext() && !chunks.isEmpty()) ? named(queue,
					numbers.subList(numbers.indexOf(chunks.get(chunks.size() - 1).number()) + 1, numbers.size()))
				.thenApply(found::and) : CompletableFuture.completedFuture(found);
		});
	}

	private CompletableFuture<Chunks> read(String queue, boolean packed, Object... which) {
		List<Object> args = new ArrayList<>(List.of(packed ? "PACKED" : "SPANS", stepBytes()));
		args.addAll(List.of(which));
		CompletableFuture<Chunks> reading = this.runner.run(Script.FAR_CHUNKS, queue, "Reading packed messages of",
				(reply) -> {
					Instant time = reply.timeAfterStatus();
					boolean hasNext = reply.flag();
					Duration lead = Duration.ofMillis(reply.number());
					String next = reply.text();
					return new Chunks(time, hasNext, lead, next, reply.list((each) -> Chunk.read(each)));
				}, args.toArray());
		return packed ? reading.thenCompose((found) -> this.cold.fill(queue, found.chunks())
			.thenApply((chunks) -> new Chunks(found.time(), found.hasNext(), found.lead(), found.next(), chunks)))
				: reading;
	}

	private int stepBytes() {
		return Math.min(this.maxBytes, MAX_STEP_BYTES);
	}

	/**
	 * Refuses chunks whose bytes are in a database that cannot be asked, where leaving
	 * them out would be a wrong answer.
	 */
	static Chunks complete(Chunks found) {
		found.chunks().stream().filter(ColdTier::isUnasked).findFirst().ifPresent((chunk) -> {
			throw new StoreException("Packed messages cannot be read: " + ColdTier.problem(chunk), null, false);
		});
		return found;
	}

	/**
	 * Brings the messages of a chunk near.
	 * @param queue the queue, as the store knows it
	 * @param chunk the chunk, with its messages
	 * @return whether they are near, as far as they are there still
	 */
	public CompletableFuture<Thawed> thaw(String queue, Chunk chunk) {
		List<PackedMessages.Entry> messages = messages(queue, chunk);
		return messages.isEmpty()
				? CompletableFuture.completedFuture(ColdTier.isUnasked(chunk) ? Thawed.UNASKED : Thawed.UNREADABLE)
				: thaw(queue, chunk, "ALL", messages, MAX_RECOUNTS);
	}

	/**
	 * Brings some messages of a chunk near. The others stay where they are, unless it has
	 * few others or none, or none has such a name.
	 * @param names their ids or uids
	 */
	private CompletableFuture<Thawed> thaw(String queue, Chunk chunk, Set<String> names) {
		List<PackedMessages.Entry> all = messages(queue, chunk);
		List<PackedMessages.Entry> some = all.stream()
			.filter((each) -> names.contains(each.uid()) || names.contains(each.id()))
			.toList();
		return (some.isEmpty() || some.size() >= chunk.left() || chunk.hasFew()) ? thaw(queue, chunk)
				: thaw(queue, chunk, "SOME", some, MAX_RECOUNTS);
	}

	private CompletableFuture<Thawed> thaw(String queue, Chunk chunk, String which, List<PackedMessages.Entry> messages,
			int recounts) {
		List<Object> args = new ArrayList<>(4 + 2 * messages.size());
		args.addAll(List.of(chunk.number(), Sha1.of(chunk.packed()), this.wakePrefix.get(), which));
		messages.forEach((each) -> args.addAll(List.of(each.uid(), each.envelope())));
		return this.runner.run(Script.THAW, queue, "Bringing packed messages near in", (reply) -> {
			String status = reply.text();
			if (status.equals(LOST)) {
				return recounted(queue, recounts, (left) -> thaw(queue, chunk, which, messages, left));
			}
			if (status.equals(WHOLE)) {
				return thaw(queue, chunk);
			}
			if (status.equals("OK")) {
				boolean any = reply.number() > 0;
				long others = reply.number();
				Thawed rest = (others == 0) ? Thawed.NEAR : unreadable(queue, chunk.number(),
						"it says that it has " + others + " others, of which nothing is known");
				return CompletableFuture.completedFuture(any ? Thawed.NEAR : rest);
			}
			return CompletableFuture.completedFuture(Thawed.GONE);
		}, args.toArray()).thenCompose((thawed) -> thawed);
	}

	/**
	 * Brings near what is left of chunks of which most is gone, so that it is packed with
	 * others: one step, through up to {@value #MAX_SPANS} chunks.
	 * @param queue the queue, as the store knows it
	 * @param after the chunk behind which to go on, or {@code null} to begin
	 * @param isOver asked before some are brought near whether to end
	 * @return the chunk behind which the next step goes on, or {@code null} if it begins
	 */
	public CompletableFuture<@Nullable Chunk> compact(String queue, @Nullable Chunk after, BooleanSupplier isOver) {
		return chunks(queue, false, MAX_SPANS, null, after).thenCompose((found) -> {
			List<String> few = found.chunks().stream().filter(Chunk::hasFew).map(Chunk::number).toList();
			Chunk last = found.hasNext() ? found.chunks().get(found.chunks().size() - 1) : null;
			return thawNamed(queue, few, isOver).thenApply((all) -> all ? last : after);
		});
	}

	/**
	 * @return whether it came to the end
	 */
	private CompletableFuture<Boolean> thawNamed(String queue, List<String> numbers, BooleanSupplier isOver) {
		if (numbers.isEmpty() || isOver.getAsBoolean()) {
			return CompletableFuture.completedFuture(numbers.isEmpty());
		}
		int some = Math.min(MAX_CHUNKS, numbers.size());
		return named(queue, numbers.subList(0, some))
			.thenCompose((found) -> thawAll(found.chunks(), (chunk) -> thaw(queue, chunk)))
			.thenCompose((thawed) -> thawNamed(queue, numbers.subList(some, numbers.size()), isOver));
	}

	/**
	 * Counts the packed messages of a queue again, where what Redis has of their number
	 * was lost or is wrong, and writes it.
	 * @param queue the queue, as the store knows it
	 * @return whether it was wrong
	 */
	public CompletableFuture<Boolean> recount(String queue) {
		return new PackedCount(this).recount(queue);
	}

	/**
	 * Counts the messages of a chunk that are still there: by their lines, as what is
	 * recorded of the chunk may be wrong.
	 * @param queue the queue, as the store knows it
	 * @param chunk the chunk, with its messages
	 * @return how many there are
	 */
	public CompletableFuture<Integer> count(String queue, Chunk chunk) {
		return new PackedReader(this).count(queue, chunk);
	}

	/**
	 * Brings messages near.
	 * @param names the ids or uids of the messages, by the numbers of their chunks
	 * @return what became of chunks, by their numbers
	 */
	CompletableFuture<Map<String, Thawed>> thaw(String queue, Map<String, Set<String>> names) {
		return named(queue, names.keySet().stream().limit(MAX_CHUNKS).toList())
			.thenCompose((found) -> thawAll(found.chunks(),
					(chunk) -> thaw(queue, chunk, names.getOrDefault(chunk.number(), Set.of()))));
	}

	/**
	 * Brings the messages of the chunks near that are due first. Those that cannot be
	 * read are passed over.
	 * @return whether any of them did
	 */
	CompletableFuture<Boolean> thawFirst(String queue, int most) {
		return thawNext(queue, most, null);
	}

	private CompletableFuture<Boolean> thawNext(String queue, int most, @Nullable Chunk after) {
		return chunks(queue, true, most, null, after).thenApply(FarScript::complete).thenCompose((found) -> {
			List<Chunk> chunks = found.chunks();
			return thawAll(chunks, (chunk) -> thaw(queue, chunk)).thenCompose((thawed) -> {
				boolean any = thawed.values().stream().anyMatch(Thawed::isNear);
				return (any || !found.hasNext() || chunks.isEmpty()) ? CompletableFuture.completedFuture(any)
						: thawNext(queue, most, chunks.get(chunks.size() - 1));
			});
		});
	}

	private CompletableFuture<Map<String, Thawed>> thawAll(List<Chunk> chunks,
			Function<Chunk, CompletableFuture<Thawed>> thaw) {
		Map<String, Thawed> all = new HashMap<>();
		CompletableFuture<?> thawing = CompletableFuture.completedFuture(null);
		for (Chunk chunk : chunks) {
			thawing = thawing.thenCompose((before) -> thaw.apply(chunk))
				.thenAccept((thawed) -> all.put(chunk.number(), thawed));
		}
		return thawing.thenApply((done) -> all);
	}

	/**
	 * Unpacks the messages of a chunk; none if that is not possible.
	 */
	List<PackedMessages.Entry> messages(String queue, Chunk chunk) {
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

	private Thawed unreadable(String queue, String number, String why) {
		if (this.cold.isToNote(queue + " " + number)) {
			logger.error("The messages in the chunk " + number + " of the queue '" + queue
					+ "' are kept and cannot be delivered or read: " + why);
		}
		return Thawed.UNREADABLE;
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
	 * @param lead how long before their time messages of the queue come near
	 * @param next the number of the next chunk that will be packed, {@code ""} if nothing
	 * is packed
	 * @param chunks the chunks
	 */
	public record Chunks(Instant time, boolean hasNext, Duration lead, String next, List<Chunk> chunks) {

		Chunks and(Chunks more) {
			List<Chunk> all = new ArrayList<>(this.chunks);
			all.addAll(more.chunks);
			return new Chunks(more.time, more.hasNext, more.lead, more.next, all);
		}

	}

	/**
	 * Messages that are packed together.
	 *
	 * @param number its number
	 * @param dueMillis when the first one was due when they were packed
	 * @param left how many of them are there still
	 * @param latestMillis when the last one was due when they were packed
	 * @param packed the messages, if they were read
	 * @param had how many there were when they were packed, 0 if that is not known
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	public record Chunk(String number, long dueMillis, int left, long latestMillis, byte[] packed, int had) {

		/**
		 * What is left of a chunk takes too much room if it is at most such a part.
		 */
		private static final int FEW = 4;

		/**
		 * A chunk of which it is not known how many messages it had.
		 */
		public Chunk(String number, long dueMillis, int left, long latestMillis, byte[] packed) {
			this(number, dueMillis, left, latestMillis, packed, 0);
		}

		/**
		 * Whether it has so few messages still that they should come near, and be packed
		 * with others: three of four are gone, or it is not known how many it has.
		 */
		boolean hasFew() {
			return this.left * FEW <= this.had;
		}

		static Chunk read(ReplyReader reply) {
			String number = reply.text();
			long due = reply.number();
			Matcher counts = COUNTS.matcher(reply.text());
			return counts.lookingAt()
					? new Chunk(number, due, Integer.parseInt(counts.group(1)), Long.parseLong(counts.group(2)),
							reply.bytes(), (counts.group(3) != null) ? Integer.parseInt(counts.group(3)) : 0)
					: new Chunk(number, due, 0, due, reply.bytes());
		}

		Chunk with(byte[] bytes) {
			return new Chunk(this.number, this.dueMillis, this.left, this.latestMillis, bytes, this.had);
		}

		/**
		 * Whether it was packed when a number was the next one, or later.
		 */
		boolean isSince(long first) {
			return this.number.matches("\\d{1,18}") && Long.parseLong(this.number) >= first;
		}

		/**
		 * Returns whether its messages were read, or stand in a database that gave them.
		 * @return whether they were
		 */
		public boolean hasContent() {
			return ColdTier.problem(this) == null;
		}

		/**
		 * Looks whether its messages, which were read, can be unpacked.
		 * @return why they cannot, or {@code null} if they can
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
		 * Returns the part of its messages that is due in a time, if they are due evenly.
		 * @param from the beginning
		 * @param to the end, which is not in it
		 * @return the part, from 0 to 1
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
		UNREADABLE,

		/**
		 * It stays as it is, for its bytes are in a database that did not answer, or that
		 * this application does not have.
		 */
		UNASKED;

		boolean isNear() {
			return this == NEAR || this == GONE;
		}

	}

}
