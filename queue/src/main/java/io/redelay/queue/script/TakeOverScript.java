package io.redelay.queue.script;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Sha1;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Takes entries out of an inlet, and adds the messages made of them, all or none.
 *
 * @param context what all scripts that add messages share
 * @param sends sends to queues
 */
record TakeOverScript(SendingContext context, SendScripts sends) {

	private static final String NONE = "0";

	/**
	 * Returns how entries are taken out of the inlet of a queue. The batcher gets one
	 * submission at a time: the first entries, all or none.
	 * <p>
	 * If an earlier lane may have taken the entries, others with the same text may be the
	 * first ones by now. So none is taken: the caller reads the inlet again. An entry
	 * that was read in part cannot be found in the inlet by its text. It is taken again
	 * if it is back.
	 * @param queue the queue
	 * @param limit how long the queue may be, if that is limited
	 * @param longest how many bytes of an entry are read at most
	 * @return the protocol of a batcher
	 */
	RequestProtocol<TakenEntry, SendReply> protocol(String queue, @Nullable LengthLimit limit, long longest) {
		return new RequestProtocol<>(
				new RequestProtocol.Settings(queue, Rollback.Lane.SENDER, InletScripts.MAX_ENTRIES,
						InletScripts.MAX_ENTRIES),
				TakenEntry::bytes, () -> open(queue), (lane, seq, renews, entries, attempt) -> {
					if (attempt.wasAnswered()) {
						return run(queue, new Request(lane, seq, renews, entries, null, attempt.holdBack()), longest);
					}
					boolean again = attempt == Attempt.AGAIN;
					return run(queue, new Request(lane, seq, renews, again ? List.of() : entries, limit, null), longest)
						.thenApply((reply) -> (again && reply.status() == LaneStatus.OK)
								? new SendReply(LaneStatus.MOVED, reply.time(), Map.of(), List.of())
								: SendScripts.logDropped(queue, reply));
				}, (lane) -> this.sends.checkSender(queue, lane),
				(entries) -> entries.stream().filter((each) -> !each.entry().isCut()).toList());
	}

	private CompletableFuture<String> open(String queue) {
		String lane = this.context.newLane().get();
		return this.sends.register(queue).thenCompose((registered) -> this.sends.openSender(queue, lane));
	}

	/**
	 * Takes entries out of an inlet.
	 * @param queue the queue
	 * @param request the entries to take
	 * @param longest how many bytes of an entry were read at most
	 * @return the results of the messages; {@link LaneStatus#MOVED} if the entries are no
	 * longer the first ones
	 */
	CompletableFuture<SendReply> run(String queue, Request request, long longest) {
		List<NewMessage> messages = request.messages();
		SendRequest sending = messages.isEmpty() ? null : new SendRequest(request.lane(), request.seq(),
				request.renews(), messages, request.limit(), request.again(), request.again());
		ScriptObservers.Call observed = this.context.observers().get().beginSend();
		if (sending != null && observed != null) {
			observed.sending(queue, sending);
		}
		// Messages may have a time to live by an interceptor.
		CompletableFuture<Void> announced = SendingContext.expires(messages) ? this.context.announceExpiry(queue)
				: CompletableFuture.completedFuture(null);
		CompletableFuture<SendReply> taken = announced.thenCompose((done) -> take(queue, request, messages, longest));
		return (observed == null) ? taken
				: taken.whenComplete((reply, failure) -> taken(queue, request, sending, reply, observed));
	}

	private CompletableFuture<SendReply> take(String queue, Request request, List<NewMessage> messages, long longest) {
		ScriptRunner runner = this.context.runner();
		return runner.run("Taking over what is in the inlet of the queue '" + queue + "'", Script.TAKE_OVER,
				runner.keys(queue).sentBy(request.lane()).of(Script.TAKE_OVER), args(request, messages, longest),
				(reply) -> reply(messages, reply));
	}

	private Object[] args(Request request, List<NewMessage> messages, long longest) {
		boolean again = request.again();
		Duration holdBack = request.holdBack();
		List<Object> args = new ArrayList<>(List.of(Long.toString(request.seq()),
				request.renews() ? SenderMemory.MILLIS : "", this.context.wakePrefix().get(),
				MessageArguments.packed(messages), MessageArguments.limit(request.limit()),
				(holdBack != null) ? ScriptTime.millis(holdBack) + ScriptWords.RETURNED : "",
				MessageArguments.rules(messages), again ? NONE : entries(request.entries()), Long.toString(longest),
				dead(request.dead())));
		if (again) {
			args.add(texts(request.entries()));
		}
		return args.toArray();
	}

	/**
	 * Returns what identifies the entries to the script: their number, their size and
	 * their digest.
	 */
	private static String entries(List<TakenEntry> entries) {
		if (entries.isEmpty()) {
			return NONE;
		}
		MessageDigest digest = Sha1.begin();
		long bytes = 0;
		for (TakenEntry taken : entries) {
			LookInletScript.Entry entry = taken.entry();
			bytes += entry.length();
			digest.update((entry.length() + ":").getBytes(StandardCharsets.US_ASCII));
			digest.update(entry.text());
		}
		return entries.size() + " " + bytes + " " + HexFormat.of().formatHex(digest.digest());
	}

	private static byte[] dead(List<TakenEntry.Dead> all) {
		ByteArrayOutputStream packed = new ByteArrayOutputStream();
		for (TakenEntry.Dead dead : all) {
			byte[] uid = dead.uid().getBytes(StandardCharsets.UTF_8);
			byte[] cause = dead.cause().getBytes(StandardCharsets.UTF_8);
			byte[] envelope = dead.envelope();
			packed.writeBytes(ByteBuffer
				.allocate(Short.BYTES + uid.length + 2 * Integer.BYTES + envelope.length - 1 + cause.length)
				.putShort((short) uid.length)
				.put(uid)
				.putInt(envelope.length - 1)
				.put(envelope, 1, envelope.length - 1)
				.putInt(cause.length)
				.put(cause)
				.array());
		}
		return packed.toByteArray();
	}

	private static byte[] texts(List<TakenEntry> entries) {
		ByteArrayOutputStream packed = new ByteArrayOutputStream();
		for (TakenEntry taken : entries) {
			byte[] text = taken.entry().text();
			packed.writeBytes(ByteBuffer.allocate(Integer.BYTES + text.length).putInt(text.length).put(text).array());
		}
		return packed.toByteArray();
	}

	private static SendReply reply(List<NewMessage> messages, ReplyReader reply) {
		if (!messages.isEmpty()) {
			return SendScript.reply(messages, reply);
		}
		LaneStatus status = reply.status();
		return new SendReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, Map.of(), List.of());
	}

	private static void taken(String queue, Request request, @Nullable SendRequest sending, @Nullable SendReply reply,
			ScriptObservers.Call observed) {
		if (sending != null) {
			observed.ended(new ScriptCall.Send(queue, sending, reply, observed.nanos()));
		}
		if (reply != null && reply.status() == LaneStatus.OK && !request.again() && !request.dead().isEmpty()) {
			observed.ended(new ScriptCall.Refusal(queue, request.dead(), reply.time()));
		}
	}

	/**
	 * A request to take entries out of an inlet, and to add the messages made of them.
	 *
	 * @param lane the lane
	 * @param seq the number of the request in that lane
	 * @param renews whether the lane's memory is to be renewed
	 * @param entries the first entries of the inlet, in their order; none of them is
	 * taken if the inlet begins otherwise
	 * @param limit how long the queue may be, if that is limited
	 * @param holdBack for how long to hold back the added messages, if this request was
	 * carried out before and is forgotten; else {@code null}. The entries need not be
	 * there then, and messages that are there, or done, are ignored
	 */
	record Request(String lane, long seq, boolean renews, List<TakenEntry> entries, @Nullable LengthLimit limit,
			@Nullable Duration holdBack) {

		/**
		 * Returns whether the request was carried out before and is forgotten.
		 * @return whether it was
		 */
		public boolean again() {
			return this.holdBack != null;
		}

		/**
		 * Returns the messages to add.
		 * @return the messages, in the order of their entries
		 */
		public List<NewMessage> messages() {
			return this.entries.stream().map(TakenEntry::message).filter(Objects::nonNull).toList();
		}

		/**
		 * Returns the messages to keep as dead.
		 * @return the dead messages, in the order of their entries
		 */
		public List<TakenEntry.Dead> dead() {
			return this.entries.stream().map(TakenEntry::dead).filter(Objects::nonNull).toList();
		}

	}

}
