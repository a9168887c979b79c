package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
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
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Sha1;
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
	public static final int MAX_LOOK = 250;

	/**
	 * How many bytes of envelopes one step reads at most, not counting its last message:
	 * it takes Redis some milliseconds.
	 */
	private static final int MAX_LOOK_BYTES = 1024 * 1024;

	/**
	 * How many chunks are read at once by their numbers.
	 */
	private static final int MAX_CHUNKS = 8;

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

	private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

	/**
	 * How many messages a chunk has, the latest due time, and how many it had.
	 */
	private static final Pattern COUNTS = Pattern.compile("(\\d{1,9}) (\\d{1,18})(?: (\\d{1,9}))?");

	/**
	 * What Redis has of the number of packed messages: how many, the number of the next
	 * chunk, how many buckets there may be, how many are there.
	 */
	private static final Pattern HEAD = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,18}) (\\d{1,18})(?: .*)?$");

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
				MAX_LOOK, Math.min(this.maxBytes, MAX_LOOK_BYTES), PackedMessages.MAX_ENVELOPE);
	}

	/**
	 * Packs messages.
	 * @param queue the queue, as the store knows it
	 * @param messages the messages in the order of their due times, at most
	 * {@value PackedMessages#MAX_MESSAGES}
	 * @param lead how long before their time they come near
	 * @return whether they were packed; none is if one has changed meanwhile, or is due
	 * sooner than that. Fails if what Redis has of their number stays unreadable
	 */
	public CompletableFuture<Boolean> pack(String queue, List<PackedMessages.Entry> messages, Duration lead) {
		byte[] packed = PackedMessages.pack(messages);
		if (!PackedMessages.areIn(packed, messages)) {
			logger.error("Messages of the queue '" + queue + "' are not packed, as they would not be the same: "
					+ messages.get(0).uid() + " and " + (messages.size() - 1) + " others");
			return CompletableFuture.completedFuture(false);
		}
		List<Object> args = new ArrayList<>(3 + 2 * messages.size());
		args.add(packed);
		MessageDigest digest = Sha1.begin();
		messages.forEach((each) -> digest.update(each.envelope()));
		args.addAll(List.of(HexFormat.of().formatHex(digest.digest()), ScriptTime.millis(lead)));
		messages.forEach((each) -> args.addAll(List.of(each.uid(), each.dueMillis())));
		return pack(queue, args.toArray(), MAX_RECOUNTS);
	}

	private CompletableFuture<Boolean> pack(String queue, Object[] args, int recounts) {
		return this.runner.run(Script.PACK, queue, "Packing messages of", ReplyReader::text, args)
			.thenCompose((reply) -> !reply.equals(LOST) ? CompletableFuture.completedFuture(reply.equals("OK"))
					: recounted(queue, recounts, () -> pack(queue, args, recounts - 1)));
	}

	/**
	 * Counts the packed messages, and makes a request again that needs their number.
	 * Another instance may have counted them at the same time.
	 * @param recounts how often they are counted at most
	 */
	private <T> CompletableFuture<T> recounted(String queue, int recounts, Supplier<CompletableFuture<T>> request) {
		return (recounts > 0) ? recount(queue).thenCompose((wrong) -> request.get())
				: CompletableFuture
					.failedFuture(new StoreException("It cannot be read how many messages of the queue '" + queue
							+ "' are packed, so none is packed now or comes near", null));
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
					Duration lead = Duration.ofMillis(reply.number());
					String next = reply.text();
					return new Chunks(time, hasNext, lead, next, reply.list((each) -> Chunk.read(each)));
				}, args.toArray());
		return packed ? reading.thenCompose((found) -> this.cold.fill(queue, found.chunks())
			.thenApply((chunks) -> new Chunks(found.time(), found.hasNext(), found.lead(), found.next(), chunks)))
				: reading;
	}

	/**
	 * Refuses chunks whose bytes are in a database that cannot be asked, where leaving
	 * them out would be a wrong answer.
	 */
	private static Chunks complete(Chunks found) {
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
	 * Brings some messages of a chunk near. The others stay where they are, unless few or
	 * none are left, or none has such a name.
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
				return recounted(queue, recounts, () -> thaw(queue, chunk, which, messages, recounts - 1));
			}
			if (status.equals(WHOLE)) {
				return thaw(queue, chunk);
			}
			if (status.equals("OK")) {
				reply.number(); // how many came near
				long others = reply.number();
				return CompletableFuture.completedFuture((others == 0) ? Thawed.NEAR : unreadable(queue, chunk.number(),
						"it says that it has " + others + " others, of which nothing is known"));
			}
			return CompletableFuture.completedFuture(Thawed.GONE);
		}, args.toArray()).thenCompose((thawed) -> thawed);
	}

	/**
	 * Brings near what is left of chunks of which most is gone, so that it is packed with
	 * others: one step, through up to {@value #MAX_SPANS} chunks.
	 * @param queue the queue, as the store knows it
	 * @param after the chunk behind which to go on, or {@code null} to begin
	 * @return the chunk behind which the next step goes on, or {@code null} if it begins
	 */
	public CompletableFuture<@Nullable Chunk> compact(String queue, @Nullable Chunk after) {
		return chunks(queue, false, MAX_SPANS, null, after).thenCompose((found) -> {
			List<String> few = found.chunks().stream().filter(Chunk::hasFew).map(Chunk::number).toList();
			Chunk last = found.hasNext() ? found.chunks().get(found.chunks().size() - 1) : null;
			return thawNamed(queue, few).thenApply((thawed) -> last);
		});
	}

	private CompletableFuture<Void> thawNamed(String queue, List<String> numbers) {
		if (numbers.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		int some = Math.min(MAX_CHUNKS, numbers.size());
		return named(queue, numbers.subList(0, some))
			.thenCompose((found) -> thawAll(found.chunks(), (chunk) -> thaw(queue, chunk)))
			.thenCompose((thawed) -> thawNamed(queue, numbers.subList(some, numbers.size())));
	}

	/**
	 * Counts the packed messages of a queue again, where what Redis has of their number
	 * was lost or is wrong, and writes it.
	 * @param queue the queue, as the store knows it
	 * @return whether it was wrong
	 */
	public CompletableFuture<Boolean> recount(String queue) {
		return highest(queue, null, 0).thenCompose((highest) -> recount(queue, "0", null, new HashMap<>(), highest));
	}

	/**
	 * The highest number of a chunk.
	 */
	private CompletableFuture<Long> highest(String queue, @Nullable Chunk after, long before) {
		return chunks(queue, false, MAX_SPANS, null, after).thenCompose((found) -> {
			List<Chunk> chunks = found.chunks();
			long highest = chunks.stream()
				.map(Chunk::number)
				.filter((number) -> NUMBER.matcher(number).matches())
				.mapToLong(Long::parseLong)
				.reduce(before, Math::max);
			return found.hasNext() ? highest(queue, chunks.get(chunks.size() - 1), highest)
					: CompletableFuture.completedFuture(highest);
		});
	}

	/**
	 * @param first what the first step found that Redis has of the number
	 * @param counted by the number of a bucket, how many messages it has
	 */
	private CompletableFuture<Boolean> recount(String queue, String place, @Nullable String first,
			Map<Long, Long> counted, long highest) {
		return this.runner.run(Script.FAR_RECOUNT, queue, "Counting packed messages of", (reply) -> {
			reply.text(); // its status
			String next = reply.text();
			String found = reply.text();
			reply.list((each) -> counted.put(each.number(), each.number()));
			String before = (first != null) ? first : found;
			return next.isEmpty() ? write(queue, before, counted, highest)
					: recount(queue, next, before, counted, highest);
		}, place).thenCompose((step) -> step);
	}

	private CompletableFuture<Boolean> write(String queue, String found, Map<Long, Long> counted, long highest) {
		long buckets = 1 + counted.keySet().stream().reduce(0L, Math::max);
		long messages = counted.values().stream().mapToLong(Long::longValue).sum();
		long next = highest + 1;
		Matcher head = HEAD.matcher(found);
		if (head.lookingAt()) {
			buckets = Math.max(buckets, Long.parseLong(head.group(3)));
			next = Math.max(next, Long.parseLong(head.group(2)));
			if (head.group(1).equals(Long.toString(messages)) && head.group(4).equals(Long.toString(counted.size()))
					&& head.group(3).equals(Long.toString(buckets)) && head.group(2).equals(Long.toString(next))) {
				return CompletableFuture.completedFuture(false);
			}
		}
		return this.runner.run(Script.FAR_RECOUNT, queue, "Counting packed messages of", (reply) -> {
			boolean written = reply.text().equals("OK");
			if (written) {
				logger.error("What Redis had of the number of packed messages of the queue '" + queue
						+ "' was lost or wrong. They were counted again: " + messages + " messages");
			}
			return written;
		}, "WRITE", found, messages, next, buckets, counted.size());
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
	private List<PackedMessages.Entry> messages(String queue, Chunk chunk) {
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
	 * Goes through packed messages, one step.
	 * @param at where to go on
	 * @param since the number of the first chunk that is shown, 0 for all
	 * @param count how many are wanted; there may be fewer
	 */
	CompletableFuture<Scan> scan(String queue, At at, long since, int count) {
		if (at.passed() == 0) {
			return scanBehind(queue, at, since, count);
		}
		return named(queue, List.of(at.number())).thenApply(FarScript::complete)
			.thenCompose((found) -> found.chunks().isEmpty() ? scanBehind(queue, at, since, count)
					: show(queue, found, at.passed(), count, true));
	}

	private CompletableFuture<Scan> scanBehind(String queue, At at, long since, int count) {
		Chunk after = at.number().isEmpty() ? null : new Chunk(at.number(), at.dueMillis(), 0, 0, new byte[0]);
		int most = Math.max(1, count / PackedMessages.MAX_MESSAGES);
		return (since == 0)
				? chunks(queue, true, most, null, after).thenApply(FarScript::complete)
					.thenCompose((found) -> show(queue, found, 0, count, found.hasNext()))
				: chunks(queue, false, MAX_SPANS, null, after).thenCompose((found) -> {
					List<Chunk> wanted = found.chunks()
						.stream()
						.filter((each) -> each.isSince(since))
						.limit(most)
						.toList();
					if (!wanted.isEmpty()) {
						return named(queue, wanted.stream().map(Chunk::number).toList()).thenApply(FarScript::complete)
							.thenCompose((read) -> read.chunks().isEmpty()
									? scanBehind(queue, At.behind(wanted.get(wanted.size() - 1)), since, count)
									: show(queue, read, 0, count, true));
					}
					At last = found.chunks().isEmpty() ? at : At.behind(found.chunks().get(found.chunks().size() - 1));
					return found.hasNext() ? scanBehind(queue, last, since, count)
							: CompletableFuture.completedFuture(new Scan(List.of(), 0, at, false, found.next()));
				});
	}

	/**
	 * Shows some of the messages of chunks.
	 * @param skip how many of the first chunk to pass over
	 */
	private CompletableFuture<Scan> show(String queue, Chunks found, int skip, int count, boolean hasNext) {
		List<PackedMessages.Entry> shown = new ArrayList<>();
		Map<PackedMessages.Entry, String> doubtful = new LinkedHashMap<>();
		At last = At.BEGINNING;
		boolean more = hasNext;
		int from = skip;
		for (Chunk chunk : found.chunks()) {
			List<PackedMessages.Entry> all = messages(queue, chunk);
			int to = (int) Math.min(all.size(), (long) from + count - shown.size());
			if (from >= to && !all.isEmpty() && from < all.size()) {
				more = true;
				break;
			}
			List<PackedMessages.Entry> some = all.subList(Math.min(from, to), to);
			shown.addAll(some);
			if (chunk.left() < all.size()) {
				some.forEach((each) -> doubtful.put(each, chunk.number()));
			}
			boolean whole = to == all.size();
			last = whole ? At.behind(chunk) : new At(chunk.dueMillis(), chunk.number(), to);
			if (!whole) {
				more = true;
				break;
			}
			from = 0;
		}
		At next = last;
		boolean goesOn = more && !found.chunks().isEmpty();
		return living(queue, shown, doubtful)
			.thenApply((living) -> new Scan(living.stream().map(FarScript::stored).toList(), shown.size(), next, goesOn,
					found.next()));
	}

	/**
	 * The messages of a chunk without those that were removed since they were packed.
	 */
	private CompletableFuture<List<PackedMessages.Entry>> living(String queue, Chunk chunk) {
		List<PackedMessages.Entry> messages = messages(queue, chunk);
		Map<PackedMessages.Entry, String> doubtful = new LinkedHashMap<>();
		if (chunk.left() < messages.size()) {
			messages.forEach((each) -> doubtful.put(each, chunk.number()));
		}
		return living(queue, messages, doubtful);
	}

	/**
	 * @param doubtful those that may be gone or near, with the numbers of their chunks
	 */
	private CompletableFuture<List<PackedMessages.Entry>> living(String queue, List<PackedMessages.Entry> messages,
			Map<PackedMessages.Entry, String> doubtful) {
		Set<PackedMessages.Entry> gone = new HashSet<>(doubtful.keySet());
		return living(queue, List.copyOf(doubtful.entrySet()), 0, gone)
			.thenApply((asked) -> messages.stream().filter((each) -> !gone.contains(each)).toList());
	}

	private CompletableFuture<Void> living(String queue, List<Map.Entry<PackedMessages.Entry, String>> doubtful,
			int from, Set<PackedMessages.Entry> gone) {
		if (from >= doubtful.size()) {
			return CompletableFuture.completedFuture(null);
		}
		List<Map.Entry<PackedMessages.Entry, String>> some = doubtful.subList(from,
				Math.min(doubtful.size(), from + AdminScripts.MAX_PAGE));
		List<Object> args = new ArrayList<>(List.of(this.maxBytes));
		some.forEach((each) -> args.add(each.getKey().uid()));
		return this.runner.run(Script.OUTCOMES, queue, "Looking which packed messages are there in", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> {
				boolean scheduled = each.text().equals(MessageState.SCHEDULED.name());
				String chunk = new String(each.bytes(), StandardCharsets.UTF_8); // or
																					// what
																					// became
																					// of
																					// it
				return (scheduled && !chunk.isEmpty()) ? chunk.substring(1) : "";
			});
		}, args.toArray()).thenCompose((chunks) -> {
			for (int i = 0; i < chunks.size(); i++) {
				if (chunks.get(i).equals(some.get(i).getValue())) {
					gone.remove(some.get(i).getKey());
				}
			}
			return living(queue, doubtful, from + Math.max(1, chunks.size()), gone);
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

	/**
	 * Shows the messages behind a chunk. One that cannot be read is passed over.
	 */
	private CompletableFuture<MessagePage> page(String queue, int skip, Room room, Instant time,
			@Nullable Chunk after) {
		int most = 1 + room.count() / PackedMessages.MAX_MESSAGES;
		return chunks(queue, true, most, null, after).thenApply(FarScript::complete)
			.thenCompose((found) -> page(queue, found.chunks(), skip, room).thenCompose((page) -> {
				boolean full = page.passed() >= room.count() || page.left() <= 0;
				boolean over = !found.hasNext() || found.chunks().isEmpty();
				MessagePage shown = new MessagePage(time, page.messages(), page.passed(), page.isCut() || !over);
				if (full || over) {
					return CompletableFuture.completedFuture(shown);
				}
				Chunk last = found.chunks().get(found.chunks().size() - 1);
				return page(queue, 0, new Room(room.count() - page.passed(), page.left()), time, last)
					.thenApply((rest) -> {
						List<StoredMessage> all = new ArrayList<>(page.messages());
						all.addAll(rest.messages());
						return new MessagePage(time, all, page.passed() + rest.passed(), rest.hasNext());
					});
			}));
	}

	private CompletableFuture<PagePart> page(String queue, List<Chunk> chunks, int skip, Room room) {
		PagePart part = new PagePart(new ArrayList<>(), 0, room.bytes(), false);
		if (chunks.isEmpty()) {
			return CompletableFuture.completedFuture(part);
		}
		Chunk chunk = chunks.get(0);
		return living(queue, chunk).thenCompose((living) -> {
			int there = Math.max(chunk.left(), living.size());
			int from = Math.min(skip, there);
			int to = from;
			long left = room.bytes();
			while (to < there && to < from + room.count() && left > 0) {
				if (to < living.size()) {
					left -= living.get(to).envelope().length;
				}
				to++;
			}
			part.messages()
				.addAll(living.subList(Math.min(from, living.size()), Math.min(to, living.size()))
					.stream()
					.map(FarScript::stored)
					.toList());
			int passed = to - from;
			boolean cut = to < there;
			boolean ends = cut || passed >= room.count() || left <= 0 || chunks.size() == 1;
			PagePart first = new PagePart(part.messages(), passed, left,
					cut || (chunks.size() > 1 && (passed >= room.count() || left <= 0)));
			return ends ? CompletableFuture.completedFuture(first)
					: page(queue, chunks.subList(1, chunks.size()), 0, new Room(room.count() - passed, left))
						.thenApply(first::and);
		});
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

	/**
	 * A part of a page.
	 *
	 * @param messages the messages
	 * @param passed how many were gone through, those of chunks that cannot be read too
	 * @param left how many bytes the page may have still
	 * @param isCut whether there are more of those that were read
	 */
	private record PagePart(List<StoredMessage> messages, int passed, long left, boolean isCut) {

		PagePart and(PagePart next) {
			this.messages.addAll(next.messages);
			return new PagePart(this.messages, this.passed + next.passed, next.left, next.isCut);
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
	 * @param lead how long before their time messages of the queue come near
	 * @param next the number of the next chunk that will be packed, {@code ""} if nothing
	 * is packed
	 * @param chunks the chunks
	 */
	public record Chunks(Instant time, boolean hasNext, Duration lead, String next, List<Chunk> chunks) {

	}

	/**
	 * A step through packed messages.
	 *
	 * @param messages the messages that are there
	 * @param examined how many were looked at
	 * @param last where the next step goes on
	 * @param hasNext whether there is more to look at
	 * @param next the number of the next chunk that will be packed, {@code ""} if nothing
	 * is packed
	 */
	record Scan(List<StoredMessage> messages, int examined, At last, boolean hasNext, String next) {

	}

	/**
	 * Where a step through packed messages goes on.
	 *
	 * @param dueMillis the earliest due time of a chunk
	 * @param number its number, {@code ""} at first
	 * @param passed how many of its messages were looked at, 0 for all
	 */
	record At(long dueMillis, String number, int passed) {

		static final At BEGINNING = new At(0, "", 0);

		static At behind(Chunk chunk) {
			return new At(chunk.dueMillis(), chunk.number(), 0);
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
		 * with others: three of four are gone.
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
