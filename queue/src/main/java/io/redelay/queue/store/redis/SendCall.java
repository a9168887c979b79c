package io.redelay.queue.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.redelay.queue.Deduplication;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.store.BundleMembership;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.MessageKeys;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.SenderMemory;
import org.jspecify.annotations.Nullable;

/**
 * The keys, the arguments and the reply of the script that sends messages. A request
 * names only the keys that it needs.
 */
final class SendCall {

	/**
	 * The outcome of a message, by the mark before its position in the reply.
	 */
	private static final Map<Character, SendOutcome> OUTCOMES = Map.of('=', SendOutcome.DUPLICATE, '<',
			SendOutcome.REPLACED, '>', SendOutcome.GATHERED, '+', SendOutcome.ADDED);

	private static final String SEPARATOR = "\0";

	private final QueueKeys keys;

	private final SendRequest request;

	private final @Nullable LengthLimit limit;

	private final String wakePrefix;

	SendCall(QueueKeys keys, SendRequest request, String wakePrefix) {
		this.keys = keys;
		this.request = request;
		this.limit = limit(request);
		this.wakePrefix = wakePrefix;
	}

	/**
	 * Returns the limit that these messages can meet: a message without an ordering key
	 * is in no line.
	 */
	private static @Nullable LengthLimit limit(SendRequest request) {
		LengthLimit limit = request.limit();
		boolean matters = limit != null && (!limit.isOfLinesOnly() || request.messages()
			.stream()
			.anyMatch((message) -> message.keys() != null && message.keys().orderingKey() != null));
		return matters ? limit : null;
	}

	Object[] args() {
		LengthLimit limit = this.limit;
		Duration holdBack = this.request.holdBack();
		List<Object> args = new ArrayList<>(List.of(Long.toString(this.request.seq()),
				this.request.renews() ? SenderMemory.MILLIS : "", this.wakePrefix, packed(this.request.messages())));
		byte[] rules = rules(this.request.messages());
		Duration handedOver = this.request.handedOver();
		boolean ruled = rules.length > 0 || handedOver != null;
		String refusesLate = refusesLate();
		if (limit != null || holdBack != null || ruled || !refusesLate.isEmpty()) {
			args.add(limit(limit) + refusesLate);
		}
		if (holdBack != null) {
			args.add(ScriptTime.millis(holdBack) + (this.request.returned() ? ScriptWords.RETURNED : ""));
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
	 * Returns the greatest length of the queue, whether the message that has waited
	 * longest is dropped, and the greatest length of a line; empty for no limit.
	 */
	static String limit(@Nullable LengthLimit limit) {
		if (limit == null) {
			return "";
		}
		String length = limit.isOfLinesOnly() ? ""
				: limit.length() + (limit.dropsOldest() ? ScriptWords.DROPS_OLDEST : "");
		Integer line = limit.lineLength();
		if (line == null) {
			return length;
		}
		return length + ScriptWords.LINE + ((line == LengthLimit.ANY_LINE) ? ScriptWords.ANY_LINE : line.toString());
	}

	/**
	 * Returns the keys of messages that have an id and keys.
	 */
	static List<Object> allKeys(QueueKeys keys, String lane) {
		List<Object> used = new ArrayList<>(List.of(keys.sent(lane), keys.messages(), keys.ready(), keys.sleepers(),
				keys.known(), keys.meta(), keys.scheduled(), keys.ids(), keys.tries(), keys.history(), keys.expiries(),
				keys.dead(), keys.deadIds(), keys.suspects(), keys.held(), keys.lanes(), keys.past()));
		used.addAll(keys.withIndex());
		return used;
	}

	List<Object> keys() {
		List<NewMessage> messages = this.request.messages();
		LengthLimit limit = this.limit;
		boolean again = this.request.again();
		List<Object> used = new ArrayList<>(List.of(this.keys.sent(this.request.lane()), this.keys.messages(),
				this.keys.ready(), this.keys.sleepers(), this.keys.known(), this.keys.meta()));
		boolean keyed = messages.stream().anyMatch(SendCall::isKeyed) || (limit != null && limit.dropsOldest()) || again
				|| this.request.handedOver() != null;
		if (limit != null || keyed || !arePlain(messages)) {
			used.addAll(List.of(this.keys.scheduled(), this.keys.ids(), this.keys.tries(), this.keys.history(),
					this.keys.expiries()));
		}
		if (limit != null || keyed || messages.stream().anyMatch((message) -> message.id() != null)) {
			used.addAll(List.of(this.keys.dead(), this.keys.deadIds()));
		}
		if (keyed) {
			used.addAll(List.of(this.keys.suspects(), this.keys.held(), this.keys.lanes(), this.keys.past()));
			used.addAll(this.keys.withIndex());
		}
		if (this.request.handedOver() != null) {
			used.add(this.keys.handed());
		}
		return used;
	}

	/**
	 * Returns the mark behind the limit for whether messages due after their deadlines
	 * are refused. Messages that were sent before, to this queue or another, would be
	 * lost then.
	 */
	String refusesLate() {
		if (!this.request.again() && this.request.handedOver() == null) {
			for (NewMessage message : this.request.messages()) {
				if (EnvelopeCodec.hasDeadline(message.envelope())) {
					return ScriptWords.REFUSES_LATE;
				}
			}
		}
		return "";
	}

	/**
	 * Returns whether a message has a time to live or a deadline.
	 */
	boolean expires() {
		for (NewMessage message : this.request.messages()) {
			if (EnvelopeCodec.expires(message.envelope())) {
				return true;
			}
		}
		return false;
	}

	private static boolean arePlain(List<NewMessage> messages) {
		for (NewMessage message : messages) {
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

	byte[] rules() {
		return rules(this.request.messages());
	}

	/**
	 * Returns the rules of the messages that have a key to deduplicate by.
	 */
	static byte[] rules(List<NewMessage> messages) {
		ByteArrayOutputStream rules = new ByteArrayOutputStream();
		for (int i = 0; i < messages.size(); i++) {
			Deduplication deduplication = messages.get(i).deduplication();
			if (deduplication != null) {
				byte[] rule = (i + " " + rule(deduplication)).getBytes(StandardCharsets.UTF_8);
				rules.write(rule.length >> Byte.SIZE);
				rules.write(rule.length);
				rules.writeBytes(rule);
			}
		}
		return rules.toByteArray();
	}

	private static String rule(Deduplication deduplication) {
		if (deduplication instanceof Deduplication.FirstWins first) {
			return ScriptTime.millis(first.window()) + (first.extend() ? " 1" : " 0") + " 0 f:" + first.key();
		}
		if (deduplication instanceof Deduplication.Debounce debounce) {
			return ScriptTime.millis(debounce.longestWait()) + " 0 0 d:" + debounce.key();
		}
		Deduplication.Aggregate aggregate = (Deduplication.Aggregate) deduplication;
		String longestWait = (aggregate.gracePeriod() != null) ? ScriptTime.millis(aggregate.maxWait()) : "0";
		return aggregate.maxCount() + " " + aggregate.maxBytes() + " " + longestWait + " a:" + aggregate.key();
	}

	/**
	 * Returns the messages as one argument, as each argument costs time, in the client as
	 * much as in Redis.
	 */
	static byte[] packed(List<NewMessage> messages) {
		byte[][] heads = new byte[messages.size()][];
		int size = 0;
		for (int i = 0; i < heads.length; i++) {
			heads[i] = head(messages.get(i)).getBytes(StandardCharsets.UTF_8);
			size += Short.BYTES + heads[i].length + Integer.BYTES + messages.get(i).envelope().length - 1;
		}
		ByteBuffer packed = ByteBuffer.allocate(size);
		for (int i = 0; i < heads.length; i++) {
			byte[] envelope = messages.get(i).envelope();
			packed.putShort((short) heads[i].length).put(heads[i]);
			packed.putInt(envelope.length - 1).put(envelope, 1, envelope.length - 1);
		}
		return packed.array();
	}

	/**
	 * Returns the data of a message for the script, besides its envelope.
	 */
	static String head(NewMessage message) {
		String head = message.uid() + ScriptTime.when(message.delay(), message.dueAt());
		if (message.id() != null) {
			head += " " + message.id();
		}
		MessageKeys keys = message.keys();
		BundleMembership bundle = message.bundle();
		if (bundle != null) {
			MessageKeys attributed = (keys != null) ? keys : MessageKeys.NONE;
			return head + SEPARATOR + attributes(attributed) + (attributed.tags().isEmpty() ? SEPARATOR : "")
					+ SEPARATOR + bundle.text(message.uid(), message.id());
		}
		return (keys != null && !keys.arePlain()) ? head + SEPARATOR + attributes(keys) : head;
	}

	/**
	 * Returns the text that the script keeps of the keys of a message. It has the
	 * ordering key, fairness key, weight, level, the head start of its priority in
	 * milliseconds, whether it holds its key when dead, and its tags. A level is 9 less
	 * the priority, so the lowest goes first, or {@code a} for all if priorities age.
	 */
	static String attributes(MessageKeys keys) {
		int priority = Objects.requireNonNullElse(keys.priority(), MessageKeys.DEFAULT_PRIORITY);
		Duration ageing = keys.ageing();
		String level = (ageing != null) ? "a" : Integer.toString(MessageKeys.MAX_PRIORITY - priority);
		String boost = (ageing != null) ? ScriptTime.millis(ageing.multipliedBy(priority)) : "";
		String order = String.join(SEPARATOR, Objects.requireNonNullElse(keys.orderingKey(), ""),
				Objects.requireNonNullElse(keys.fairnessKey(), ""), Integer.toString(keys.weight()), level, boost,
				keys.deadHoldsKey() ? ScriptWords.YES : "");
		return keys.tags().isEmpty() ? order : order + SEPARATOR + String.join("\n", keys.tags());
	}

	SendReply reply(Reply reply) {
		LaneStatus status = reply.status();
		if (!reply.hasNext()) {
			return new SendReply(status, Instant.EPOCH, Map.of(), List.of());
		}
		Instant time = reply.time();
		if (status == LaneStatus.OVERDUE) {
			return new SendReply(status, time, Map.of(), List.of(), null, overdue(reply), null);
		}
		if (status == LaneStatus.FULL) {
			return new SendReply(status, time, Map.of(), List.of(), null, null, fullLine(reply));
		}
		if (status != LaneStatus.OK || !reply.hasNext()) {
			return new SendReply(status, time, Map.of(), List.of());
		}
		return fates(status, time, reply);
	}

	/**
	 * Returns the message that does not fit into its line, or {@code null} if the queue
	 * is full.
	 */
	SendReply.@Nullable FullLine fullLine(Reply reply) {
		long length = reply.hasNext() ? reply.number() : 0;
		if (!reply.hasNext()) {
			return null;
		}
		MessageKeys keys = this.request.messages().get((int) reply.number()).keys();
		return new SendReply.FullLine(String.valueOf((keys != null) ? keys.orderingKey() : null), length);
	}

	static SendReply.Overdue overdue(Reply reply) {
		return new SendReply.Overdue((int) reply.number(), reply.time(), reply.time());
	}

	/**
	 * Reads the fates of the messages that were not simply added.
	 */
	SendReply fates(LaneStatus status, Instant time, Reply reply) {
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
							Objects.requireNonNullElse(this.request.messages().get(twin).id(), uid), due));
				}
			}
		}
		return new SendReply(status, time, fates, dropped);
	}

	/**
	 * Returns an id without blanks, for use among words.
	 */
	private static String id(String word) {
		return word.contains("%") ? word.replace("%20", " ").replace("%25", "%") : word;
	}

}
