package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.queue.SendOutcome;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Adds messages to a queue, all or none, and wakes a listener that sleeps.
 *
 * @param context what all scripts that add messages share
 * @param ticksGone called with a queue when a send has dropped the message of a tick
 */
public record SendScript(SendingContext context, Consumer<String> ticksGone) {

	/**
	 * The outcome of a message, by the mark before its position in the reply.
	 */
	private static final Map<Character, SendOutcome> OUTCOMES = Map.of('=', SendOutcome.DUPLICATE, '<',
			SendOutcome.REPLACED, '>', SendOutcome.GATHERED, '+', SendOutcome.ADDED);

	/**
	 * The last keys of requests, in the order of the keys.
	 */
	private static final List<ScriptKey> LAST_KEYS = List.of(ScriptKey.EXPIRIES, ScriptKey.DEAD_IDS, ScriptKey.TAGS,
			ScriptKey.OUTBOX, ScriptKey.BUSY, ScriptKey.PAST, ScriptKey.FAR_CHUNKS);

	/**
	 * How many arguments there are before the bodies that are arguments of their own.
	 */
	private static final int FIXED_ARGS = 8;

	/**
	 * Adds messages.
	 * @param queue the queue
	 * @param request the messages to add
	 * @return what became of it
	 */
	public CompletableFuture<SendReply> run(String queue, SendRequest request) {
		ScriptObservers.Call observed = this.context.observers().get().beginSend();
		if (observed != null) {
			observed.sending(queue, request);
		}
		CompletableFuture<SendReply> sent = SendingContext.expires(request.messages())
				? this.context.announceExpiry(queue).thenCompose((announced) -> add(queue, request))
				: add(queue, request);
		return (observed == null) ? sent : sent.whenComplete(
				(reply, failure) -> observed.ended(new ScriptCall.Send(queue, request, reply, observed.nanos())));
	}

	private CompletableFuture<SendReply> add(String queue, SendRequest request) {
		String what = "Sending to the queue '" + queue + "'";
		ScriptRunner runner = this.context.runner();
		List<Object> keys = keys(runner.keys(queue), request);
		Object[] args = args(request, this.context.wakePrefix().get(), request.copies() == null);
		CopiesRequest copies = request.copies();
		if (copies == null) {
			return runner.run(what, Script.SEND, keys, args, (reply) -> reply(queue, request, reply));
		}
		return runner.runAndCopy(what, Script.SEND, keys, args, SenderMemory.MILLIS, copies,
				(reply, there) -> reply(queue, request, reply).withCopies(there));
	}

	private SendReply reply(String queue, SendRequest request, ReplyReader words) {
		SendReply reply = reply(request.messages(), words);
		if (!reply.dropped().isEmpty() && reply.dropped().stream().anyMatch((uid) -> uid.endsWith(Uids.TICK_SUFFIX))) {
			this.ticksGone.accept(queue);
		}
		return reply;
	}

	/**
	 * Returns the keys. A request names only those that it needs.
	 */
	static List<Object> keys(QueueKeys keys, SendRequest request) {
		return keys.of(Script.SEND, lastKey(request), request.lane());
	}

	private static ScriptKey lastKey(SendRequest request) {
		if (isPlain(request)) {
			return ScriptKey.META;
		}
		if (request.handedOver() != null) {
			return ScriptKey.HANDED;
		}
		LengthLimit limit = limitMet(request);
		ScriptKey last = (request.again() || (limit != null && limit.dropsOldest())) ? ScriptKey.PAST
				: (limit != null) ? ScriptKey.DEAD_IDS : ScriptKey.EXPIRIES;
		for (NewMessage message : request.messages()) {
			ScriptKey own = lastKey(message);
			last = (LAST_KEYS.indexOf(own) > LAST_KEYS.indexOf(last)) ? own : last;
		}
		return last;
	}

	private static ScriptKey lastKey(NewMessage message) {
		MessageKeys keys = message.keys();
		if (message.deduplication() != null) {
			return ScriptKey.FAR_CHUNKS;
		}
		if (keys != null && waitsInTurn(keys)) {
			return ScriptKey.BUSY;
		}
		if (message.bundle() != null) {
			return ScriptKey.OUTBOX;
		}
		return (keys != null && !keys.arePlain()) ? ScriptKey.TAGS
				: (message.id() != null) ? ScriptKey.DEAD_IDS : ScriptKey.EXPIRIES;
	}

	/**
	 * Returns whether a message that is ready waits elsewhere than plain ones.
	 */
	private static boolean waitsInTurn(MessageKeys keys) {
		Integer priority = keys.priority();
		return keys.orderingKey() != null || keys.fairnessKey() != null || keys.ageing() != null
				|| (priority != null && priority != MessageKeys.DEFAULT_PRIORITY);
	}

	/**
	 * Returns whether the messages and what they meet have nothing but the bodies.
	 */
	private static boolean isPlain(SendRequest request) {
		if (request.again() || request.handedOver() != null || limitMet(request) != null) {
			return false;
		}
		for (NewMessage message : request.messages()) {
			if (message.id() != null || message.delay() != null || message.dueAt() != null || isKeyed(message)
					|| EnvelopeCodec.expires(message.envelope())) {
				return false;
			}
		}
		return true;
	}

	private static boolean isKeyed(NewMessage message) {
		MessageKeys keys = message.keys();
		return message.deduplication() != null || message.bundle() != null || (keys != null && !keys.arePlain());
	}

	/**
	 * Returns the arguments.
	 * @param apart whether long bodies of plain messages are arguments of their own, of
	 * which only the script of a send knows
	 */
	static Object[] args(SendRequest request, String wakePrefix, boolean apart) {
		LengthLimit limit = limitMet(request);
		Duration holdBack = request.holdBack();
		List<NewMessage> messages = request.messages();
		List<Object> args = new ArrayList<>(FIXED_ARGS);
		args.add(Long.toString(request.seq()));
		args.add(request.renews() ? SenderMemory.MILLIS : "");
		args.add(wakePrefix);
		if (apart && isPlain(request)) {
			args.add(MessageArguments.packed(messages, MessageArguments.LONG_BODY));
			MessageArguments.addLongBodies(messages, args, FIXED_ARGS);
			return args.toArray();
		}
		args.add(MessageArguments.packed(messages));
		byte[] rules = MessageArguments.rules(request.messages());
		Duration handedOver = request.handedOver();
		boolean ruled = rules.length > 0 || handedOver != null;
		String refusesLate = refusesLate(request);
		if (limit != null || holdBack != null || ruled || !refusesLate.isEmpty()) {
			args.add(MessageArguments.limit(limit) + refusesLate);
		}
		if (holdBack != null) {
			args.add(ScriptTime.millis(holdBack) + (request.returned() ? ScriptWords.RETURNED : ""));
		}
		else if (ruled) {
			args.add("");
		}
		if (ruled) {
			args.add(rules);
		}
		if (handedOver != null) {
			args.add(ScriptTime.millis(handedOver));
		}
		return args.toArray();
	}

	/**
	 * Returns the limit that these messages can meet: a message without an ordering key
	 * is in no line.
	 */
	private static @Nullable LengthLimit limitMet(SendRequest request) {
		LengthLimit limit = request.limit();
		boolean applies = limit != null && (!limit.isOfLinesOnly() || request.messages()
			.stream()
			.anyMatch((message) -> message.keys() != null && message.keys().orderingKey() != null));
		return applies ? limit : null;
	}

	/**
	 * Returns the mark behind the limit for whether messages due after their deadlines
	 * are refused, if there can be any. Messages that were sent before, to this queue or
	 * another, would be lost then.
	 */
	static String refusesLate(SendRequest request) {
		if (!request.again() && request.handedOver() == null) {
			for (NewMessage message : request.messages()) {
				if (EnvelopeCodec.mayBeOverdue(message.envelope(),
						message.delay() != null || message.dueAt() != null)) {
					return ScriptWords.REFUSES_LATE;
				}
			}
		}
		return "";
	}

	/**
	 * Reads the reply.
	 * @param messages the messages of the request
	 */
	static SendReply reply(List<NewMessage> messages, ReplyReader reply) {
		LaneStatus status = reply.status();
		if (!reply.hasNext()) {
			return new SendReply(status, Instant.EPOCH, Map.of(), List.of());
		}
		Instant time = reply.time();
		return (status == LaneStatus.OK) ? fates(time, messages, reply)
				: new SendReply(status, time, Map.of(), List.of(), null,
						(status == LaneStatus.OVERDUE) ? overdue(reply) : null,
						(status == LaneStatus.FULL) ? fullLine(messages, reply) : null);
	}

	/**
	 * Returns the message that does not fit into its line, or {@code null} if the queue
	 * is full.
	 */
	static SendReply.@Nullable FullLine fullLine(List<NewMessage> messages, ReplyReader reply) {
		long length = reply.hasNext() ? reply.number() : 0;
		if (!reply.hasNext()) {
			return null;
		}
		MessageKeys keys = messages.get((int) reply.number()).keys();
		return new SendReply.FullLine(String.valueOf((keys != null) ? keys.orderingKey() : null), length);
	}

	static SendReply.Overdue overdue(ReplyReader reply) {
		return new SendReply.Overdue((int) reply.number(), reply.time(), reply.time());
	}

	/**
	 * Reads the fates of the messages that were not simply added.
	 */
	static SendReply fates(Instant time, List<NewMessage> messages, ReplyReader reply) {
		Map<Integer, SendReply.Fate> fates = new HashMap<>();
		List<String> dropped = new ArrayList<>();
		while (reply.hasNext()) {
			String position = reply.text();
			String uid = reply.text();
			Instant due = reply.time();
			if (position.equals(ScriptWords.DROPPED)) {
				dropped.add(uid);
			}
			else {
				SendOutcome outcome = OUTCOMES.get(position.charAt(0));
				if (outcome != null) {
					fates.put(Integer.parseInt(position, 1, position.length(), 10),
							new SendReply.Fate(outcome, id(uid), due));
				}
				else {
					int twin = Integer.parseInt(position);
					fates.put(twin, new SendReply.Fate(SendOutcome.DUPLICATE,
							Objects.requireNonNullElse(messages.get(twin).id(), uid), due));
				}
			}
		}
		return new SendReply(LaneStatus.OK, time, fates, dropped);
	}

	/**
	 * Returns an id without blanks, for use among words.
	 */
	private static String id(String word) {
		return word.contains("%") ? word.replace("%20", " ").replace("%25", "%") : word;
	}

}
