package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.StoredWork;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Reads stored messages page by page. If they are large, a page ends before it is full.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record StoredMessages(AdminScripts admin) {

	/**
	 * How often messages are looked for again that move meanwhile.
	 */
	private static final int MAX_TRIES = 3;

	private static final Pattern TRIES = Pattern.compile("(\\d{1,9})(?:" + ScriptWords.CRASHES + "(\\d{1,9}))?");

	/**
	 * Looks for messages.
	 * @param names their ids or uids, at most {@value AdminScripts#MAX_PAGE}
	 * @return the messages found, of the names that were gone through
	 */
	public CompletableFuture<MessagePage> find(String queue, List<String> names) {
		return byName(Script.FIND, queue, "Looking for messages of", names, StoredMessages::page)
			.thenCompose((page) -> unpacked(queue, page));
	}

	private CompletableFuture<MessagePage> unpacked(String queue, MessagePage page) {
		return unpacked(queue, page.messages())
			.thenApply((messages) -> new MessagePage(page.time(), messages, page.passed(), page.hasNext()));
	}

	/**
	 * Reads the envelopes of those of several messages that are packed.
	 * @param messages the messages, as scripts show them
	 */
	CompletableFuture<List<StoredMessage>> unpacked(String queue, List<StoredMessage> messages) {
		return unpacked(queue, messages, MAX_TRIES);
	}

	private CompletableFuture<List<StoredMessage>> unpacked(String queue, List<StoredMessage> messages, int tries) {
		List<StoredMessage> near = messages.stream().filter((each) -> PackedReader.chunk(each).isEmpty()).toList();
		if (tries == 0 || near.size() == messages.size()) {
			return CompletableFuture.completedFuture(near); // others cannot be read
		}
		return this.admin.packed().read(queue, messages).thenCompose((packed) -> {
			List<String> moved = messages.stream()
				.filter((each) -> !PackedReader.chunk(each).isEmpty())
				.map(StoredMessage::uid)
				.filter((uid) -> !packed.containsKey(uid))
				.toList();
			return (moved.isEmpty() ? CompletableFuture.completedFuture(packed) : again(queue, moved, packed))
				.thenCompose((known) -> {
					List<StoredMessage> all = new ArrayList<>();
					for (StoredMessage message : messages) {
						StoredMessage present = PackedReader.chunk(message).isEmpty() ? message
								: known.get(message.uid());
						if (present != null) {
							all.add(present);
						}
					}
					return unpacked(queue, all, tries - 1);
				});
		});
	}

	/**
	 * Looks again for messages that have come near meanwhile.
	 */
	private CompletableFuture<Map<String, StoredMessage>> again(String queue, List<String> moved,
			Map<String, StoredMessage> known) {
		return byName(Script.FIND, queue, "Looking for messages of", moved, StoredMessages::page)
			.thenCompose((page) -> {
				Map<String, StoredMessage> all = new HashMap<>(known);
				page.messages().forEach((each) -> all.put(each.uid(), each));
				boolean isCut = page.passed() > 0 && page.passed() < moved.size();
				return isCut ? again(queue, moved.subList(page.passed(), moved.size()), all)
						: CompletableFuture.completedFuture(all);
			});
	}

	/**
	 * Shows messages in a state.
	 * @param offset how many to pass over
	 * @param count how many to show, at most {@value AdminScripts#MAX_PAGE}
	 * @return the messages; the next ones are behind those that were gone through
	 */
	public CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count) {
		return browse(queue, state, offset, count, ScriptWords.BEGINNING);
	}

	/**
	 * Shows scheduled messages that are packed behind those that are not.
	 * @param near those that are not
	 * @param skip how many packed ones to pass over
	 */
	private CompletableFuture<MessagePage> withPacked(String queue, MessagePage near, long skip, int count) {
		long bytes = this.admin.maxBytes() - near.messages().stream().mapToLong((each) -> each.envelope().length).sum();
		return this.admin.packed().page(queue, skip, count - near.passed(), bytes).thenApply((packed) -> {
			List<StoredMessage> all = new ArrayList<>(near.messages());
			all.addAll(packed.messages());
			return new MessagePage(near.time(), all, near.passed() + packed.passed(), packed.hasNext());
		});
	}

	/**
	 * Browses from the place that the step before returned. Messages in flight are
	 * skipped in steps of some 51,200.
	 */
	private CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count,
			String place) {
		return this.admin.runner().run(Script.BROWSE, queue, "Browsing", (reply) -> {
			Instant time = reply.timeAfterStatus();
			boolean hasNext = reply.flag();
			int passed = (int) reply.number();
			String next = reply.text();
			long seen = reply.number();
			if (!next.equals(ScriptWords.BEGINNING)) {
				return browse(queue, state, Math.max(0, offset - seen), count, next);
			}
			MessagePage page = new MessagePage(time, reply.list(StoredMessages::message), passed, hasNext);
			boolean packed = state == MessageState.SCHEDULED && hasNext && passed < count && offset + passed >= seen
					&& page.messages().stream().mapToLong((each) -> each.envelope().length).sum() < this.admin
						.maxBytes();
			return packed ? withPacked(queue, page, Math.max(0, offset - seen), count)
					: CompletableFuture.completedFuture(page);
		}, state.name(), offset, count, this.admin.maxBytes(), place).thenCompose((page) -> page);
	}

	/**
	 * Shows messages that wait although their time to live is over. Each must be
	 * {@linkplain MessageCommand.Action#EXPIRE expired} before the next ones are asked
	 * for.
	 * @return the messages, if there is a next page or none
	 */
	public CompletableFuture<MessagePage> expired(String queue) {
		return this.admin.runner()
			.run(Script.EXPIRED, queue, "Looking for expired messages of", StoredMessages::page, this.admin.maxBytes());
	}

	/**
	 * Asks for the states and results of messages.
	 * @param names their ids or uids, at most {@link AdminScripts#MAX_PAGE}
	 * @return what became of the first ones, in their order: of all, unless the reply
	 * would be too large
	 */
	public CompletableFuture<List<Outcome>> outcomes(String queue, List<String> names) {
		return byName(Script.OUTCOMES, queue, "Asking what became of messages of", names, (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> new Outcome(MessageState.valueOf(each.text()), each.bytes()));
		});
	}

	private <T> CompletableFuture<T> byName(Script script, String queue, String what, List<String> names,
			Function<ReplyReader, T> reader) {
		List<Object> args = new ArrayList<>(1 + names.size());
		args.add(this.admin.maxBytes());
		args.addAll(names);
		return this.admin.runner().run(script, queue, what, reader, args.toArray());
	}

	private static MessagePage page(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		boolean hasNext = reply.flag();
		int passed = (int) reply.number();
		return new MessagePage(time, reply.list(StoredMessages::message), passed, hasNext);
	}

	static StoredMessage message(ReplyReader reply) {
		String uid = reply.text();
		String id = reply.text();
		MessageState state = MessageState.valueOf(reply.text());
		Instant since = reply.timeOrNull();
		Matcher tries = TRIES.matcher(reply.text());
		boolean counted = tries.lookingAt();
		int failures = counted ? Integer.parseInt(tries.group(1)) : 0;
		int crashes = (counted && tries.group(2) != null) ? Integer.parseInt(tries.group(2)) : 0;
		String holder = reply.textOrNull();
		String lane = lane(holder);
		boolean cancelled = reply.flag();
		byte[] stored = reply.bytes();
		// That of a packed message is in its chunk, see PackedReader.
		byte[] envelope = (holder != null && holder.charAt(0) == ScriptWords.CHUNK)
				? holder.getBytes(StandardCharsets.UTF_8) : stored;
		String cause = reply.textOrNull();
		String lines = reply.text();
		String target = reply.textOrNull();
		byte[] result = reply.bytesOrNull();
		return new StoredMessage(uid, id, state, since, failures, crashes, lane, cancelled, envelope, cause,
				lines.isEmpty() ? List.of() : List.of(lines.split("\n")), target, result, work(reply));
	}

	private static @Nullable StoredWork work(ReplyReader reply) {
		byte[] progress = reply.bytesOrNull();
		byte[] log = reply.bytesOrNull();
		byte[] checkpoint = reply.bytesOrNull();
		boolean isNothing = progress == null && log == null && checkpoint == null;
		return isNothing ? null : new StoredWork(progress, log, checkpoint);
	}

	/**
	 * Returns the lane in the holder of a message.
	 */
	static @Nullable String lane(@Nullable String holder) {
		int end = (holder != null) ? holder.lastIndexOf(ScriptWords.CLAIM) : -1;
		return (holder != null && end >= 0) ? holder.substring(0, end) : null;
	}

	/**
	 * The present state of a message, and its result or cause of death.
	 *
	 * @param state its state
	 * @param detail the reason why it is dead, as JSON, or the result of its handler, as
	 * {@link KeptResult} reads it; empty if neither is known
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	public record Outcome(MessageState state, byte[] detail) {

	}

}
