package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Reads packed messages where they are: step by step, as pages, and by their names.
 *
 * @param far reads their chunks
 */
record PackedReader(FarScript far) {

	/**
	 * Goes through packed messages, one step.
	 * @param at where to go on
	 * @param since the number of the first chunk that is shown, 0 for all. With a number
	 * chunks are shown whole: if the rest of one came near, nothing would look for it
	 * @param count how many are wanted; there may be fewer, or some more of whole chunks
	 */
	CompletableFuture<Scan> scan(String queue, At at, long since, int count) {
		if (at.passed() == 0) {
			return scanBehind(queue, at, since, count);
		}
		return this.far.named(queue, List.of(at.number()))
			.thenApply(FarScript::complete)
			.thenCompose((found) -> found.chunks().isEmpty() ? scanBehind(queue, at, since, count)
					: show(queue, found, at.passed(), count, true));
	}

	private CompletableFuture<Scan> scanBehind(String queue, At at, long since, int count) {
		FarScript.Chunk after = at.number().isEmpty() ? null
				: new FarScript.Chunk(at.number(), at.dueMillis(), 0, 0, new byte[0]);
		int most = Math.max(1, Math.min(count / PackedMessages.MAX_MESSAGES, FarScript.MAX_CHUNKS));
		return (since == 0)
				? this.far.chunks(queue, true, most, null, after)
					.thenApply(FarScript::complete)
					.thenCompose((found) -> show(queue, found, 0, count, found.hasNext()))
				: this.far.chunks(queue, false, FarScript.MAX_SPANS, null, after).thenCompose((found) -> {
					List<FarScript.Chunk> wanted = found.chunks()
						.stream()
						.filter((each) -> each.isSince(since))
						.limit(most)
						.toList();
					if (!wanted.isEmpty()) {
						return this.far.named(queue, wanted.stream().map(FarScript.Chunk::number).toList())
							.thenApply(FarScript::complete)
							.thenCompose((read) -> read.chunks().isEmpty()
									? scanBehind(queue, At.behind(wanted.get(wanted.size() - 1)), since, count)
									: show(queue, read, 0, Integer.MAX_VALUE, true));
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
	private CompletableFuture<Scan> show(String queue, FarScript.Chunks found, int skip, int count, boolean hasNext) {
		List<PackedMessages.Entry> shown = new ArrayList<>();
		Map<PackedMessages.Entry, String> doubtful = new LinkedHashMap<>();
		At last = At.BEGINNING;
		boolean more = hasNext;
		int from = skip;
		for (FarScript.Chunk chunk : found.chunks()) {
			List<PackedMessages.Entry> all = this.far.messages(queue, chunk);
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
			.thenApply((living) -> new Scan(living.stream().map(PackedReader::stored).toList(), shown.size(), next,
					goesOn, found.next()));
	}

	/**
	 * The messages of a chunk without those that were removed since they were packed.
	 */
	private CompletableFuture<List<PackedMessages.Entry>> living(String queue, FarScript.Chunk chunk) {
		List<PackedMessages.Entry> messages = this.far.messages(queue, chunk);
		Map<PackedMessages.Entry, String> doubtful = new LinkedHashMap<>();
		if (chunk.left() < messages.size()) {
			messages.forEach((each) -> doubtful.put(each, chunk.number()));
		}
		return living(queue, messages, doubtful);
	}

	/**
	 * Counts the messages of a chunk that are still there: by their lines, as what is
	 * recorded of the chunk may be wrong.
	 */
	CompletableFuture<Integer> count(String queue, FarScript.Chunk chunk) {
		List<PackedMessages.Entry> messages = this.far.messages(queue, chunk);
		Map<PackedMessages.Entry, String> doubtful = new LinkedHashMap<>();
		messages.forEach((each) -> doubtful.put(each, chunk.number()));
		return living(queue, messages, doubtful).thenApply(List::size);
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
		List<Object> args = new ArrayList<>(List.of(this.far.maxBytes()));
		some.forEach((each) -> args.add(each.getKey().uid()));
		return this.far.runner().run(Script.OUTCOMES, queue, "Looking which packed messages are there in", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> {
				boolean scheduled = each.text().equals(MessageState.SCHEDULED.name());
				// Its chunk, or what became of it.
				String chunk = new String(each.bytes(), StandardCharsets.UTF_8);
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

	private CompletableFuture<MessagePage> page(String queue, long skip, Room room, FarScript.@Nullable Chunk after) {
		return this.far.chunks(queue, false, FarScript.MAX_SPANS, null, after).thenCompose((found) -> {
			long left = skip;
			FarScript.Chunk before = after;
			for (FarScript.Chunk chunk : found.chunks()) {
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
			FarScript.@Nullable Chunk after) {
		int most = 1 + room.count() / PackedMessages.MAX_MESSAGES;
		return this.far.chunks(queue, true, most, null, after)
			.thenApply(FarScript::complete)
			.thenCompose((found) -> page(queue, found.chunks(), skip, room).thenCompose((page) -> {
				boolean full = page.passed() >= room.count() || page.left() <= 0;
				boolean over = !found.hasNext() || found.chunks().isEmpty();
				MessagePage shown = new MessagePage(time, page.messages(), page.passed(), page.isCut() || !over);
				if (full || over) {
					return CompletableFuture.completedFuture(shown);
				}
				FarScript.Chunk last = found.chunks().get(found.chunks().size() - 1);
				return page(queue, 0, new Room(room.count() - page.passed(), page.left()), time, last)
					.thenApply((rest) -> {
						List<StoredMessage> all = new ArrayList<>(page.messages());
						all.addAll(rest.messages());
						return new MessagePage(time, all, page.passed() + rest.passed(), rest.hasNext());
					});
			}));
	}

	private CompletableFuture<PagePart> page(String queue, List<FarScript.Chunk> chunks, int skip, Room room) {
		PagePart part = new PagePart(new ArrayList<>(), 0, room.bytes(), false);
		if (chunks.isEmpty()) {
			return CompletableFuture.completedFuture(part);
		}
		FarScript.Chunk chunk = chunks.get(0);
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
					.map(PackedReader::stored)
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
		int next = Math.min(numbers.size(), from + FarScript.MAX_CHUNKS);
		return this.far.named(queue, numbers.subList(from, next))
			.thenApply(FarScript::complete)
			.thenCompose((found) -> {
				found.chunks()
					.forEach((chunk) -> this.far.messages(queue, chunk)
						.stream()
						.filter((each) -> uids.contains(each.uid()))
						.forEach((each) -> to.put(each.uid(), stored(each))));
				// A reply that would be too large ends before the last one.
				List<FarScript.Chunk> chunks = found.chunks();
				boolean isCut = found.hasNext() && !chunks.isEmpty();
				return read(queue, numbers, isCut ? numbers.indexOf(chunks.get(chunks.size() - 1).number()) + 1 : next,
						uids, to);
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

		static At behind(FarScript.Chunk chunk) {
			return new At(chunk.dueMillis(), chunk.number(), 0);
		}

	}

}
