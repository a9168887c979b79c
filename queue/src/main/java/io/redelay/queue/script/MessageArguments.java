package io.redelay.queue.script;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.redelay.queue.Deduplication;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Messages that are added, and the limit that they meet, as the arguments of the scripts
 * that add messages.
 */
public final class MessageArguments {

	/**
	 * From how many bytes on an envelope is an argument of its own: Lua reads and copies
	 * each byte of a string that it takes out of another one, which costs more than the
	 * argument.
	 */
	static final int LONG_BODY = 500;

	private static final String SEPARATOR = "\0";

	private MessageArguments() {
	}

	/**
	 * Returns the messages as one argument, as each argument costs time, in the client as
	 * much as in Redis.
	 */
	static byte[] packed(List<NewMessage> messages) {
		return packed(messages, Integer.MAX_VALUE);
	}

	/**
	 * Returns the messages as one argument, in which the long bodies are empty: those are
	 * arguments of their own.
	 */
	static byte[] packed(List<NewMessage> messages, int longBody) {
		byte[][] heads = new byte[messages.size()][];
		int size = 0;
		for (int i = 0; i < heads.length; i++) {
			NewMessage message = messages.get(i);
			heads[i] = head(message).getBytes(StandardCharsets.UTF_8);
			size += Short.BYTES + heads[i].length + Integer.BYTES
					+ ((message.bytes() < longBody) ? message.bytes() - 1 : 0);
		}
		ByteBuffer packed = ByteBuffer.allocate(size);
		for (int i = 0; i < heads.length; i++) {
			byte[] envelope = messages.get(i).envelope();
			int length = (envelope.length < longBody) ? envelope.length - 1 : 0;
			packed.putShort((short) heads[i].length).put(heads[i]).putInt(length).put(envelope, 1, length);
		}
		return packed.array();
	}

	/**
	 * Adds the long bodies to the arguments of a script, as they are.
	 * @param before how many arguments there are before them, empty ones included
	 */
	static void addLongBodies(List<NewMessage> messages, List<Object> args, int before) {
		for (NewMessage message : messages) {
			if (message.bytes() >= LONG_BODY) {
				while (args.size() < before) {
					args.add("");
				}
				args.add(ByteBuffer.wrap(message.envelope(), 1, message.bytes() - 1));
			}
		}
	}

	/**
	 * Returns the data of a message for the script, besides its envelope: the uid alone
	 * of one that is due now and has neither an id nor keys.
	 */
	static String head(NewMessage message) {
		String attributes = attributes(message);
		if (attributes.isEmpty() && message.id() == null && message.delay() == null && message.dueAt() == null) {
			return message.uid();
		}
		return message.uid() + SEPARATOR + ScriptTime.when(message.delay(), message.dueAt()) + SEPARATOR
				+ ((message.id() != null) ? message.id() : "") + SEPARATOR + attributes;
	}

	private static String attributes(NewMessage message) {
		MessageKeys keys = Objects.requireNonNullElse(message.keys(), MessageKeys.NONE);
		BundleMembership bundle = message.bundle();
		if (bundle != null) {
			return attributes(keys) + (keys.tags().isEmpty() ? SEPARATOR : "") + SEPARATOR
					+ bundle.text(message.uid(), message.id());
		}
		return keys.arePlain() ? "" : attributes(keys);
	}

	/**
	 * Returns the text that the script keeps of the keys of a message. It has the
	 * ordering key, fairness key, weight, level, the head start of its priority in
	 * milliseconds, whether it holds its key when dead, and its tags. A level is 9 less
	 * the priority, so the lowest goes first, or {@code a} for all if priorities age.
	 */
	public static String attributes(MessageKeys keys) {
		int priority = Objects.requireNonNullElse(keys.priority(), MessageKeys.DEFAULT_PRIORITY);
		Duration ageing = keys.ageing();
		String level = (ageing != null) ? "a" : Integer.toString(MessageKeys.MAX_PRIORITY - priority);
		String boost = (ageing != null) ? ScriptTime.millis(ageing.multipliedBy(priority)) : "";
		String order = String.join(SEPARATOR, Objects.requireNonNullElse(keys.orderingKey(), ""),
				Objects.requireNonNullElse(keys.fairnessKey(), ""), Integer.toString(keys.weight()), level, boost,
				keys.deadHoldsKey() ? ScriptWords.YES : "");
		return keys.tags().isEmpty() ? order : order + SEPARATOR + String.join("\n", keys.tags());
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

}
