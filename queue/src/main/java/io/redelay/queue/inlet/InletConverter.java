package io.redelay.queue.inlet;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.redelay.queue.HandlingOptions;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.LookInletScript;
import io.redelay.queue.script.TakenEntry;
import io.redelay.queue.send.PreparedMessage;
import io.redelay.queue.send.QueueTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Converts an entry to a message, as the template would, or to a dead message with what
 * is wrong with the entry.
 * <p>
 * Safe for use by many threads.
 *
 * @param template checks, converts and writes messages
 * @param codec writes what is dead
 * @param causes writes what it died of
 */
record InletConverter(QueueTemplate template, EnvelopeCodec codec, RefusalCauses causes, Uids uids) {

	/**
	 * How much of an entry that cannot be sent is kept, in bytes.
	 */
	static final int KEPT = 64 * 1024;

	private static final int MAX_REASON = 1000;

	private static final InletMessageReader READER = new InletMessageReader();

	/**
	 * Converts an entry. May block, as it calls interceptors.
	 * @param time the clock of Redis when it was read
	 */
	Converted convert(String queue, LookInletScript.Entry entry, Instant time) {
		try {
			PreparedMessage message = prepare(queue, entry);
			return new Converted(new TakenEntry(entry, message.entry(), null), message, null);
		}
		catch (OutOfMemoryError ex) {
			throw ex; // it is not the entry's fault, which is tried again
		}
		catch (Throwable ex) {
			return refused(entry, time, reason(ex));
		}
	}

	private PreparedMessage prepare(String queue, LookInletScript.Entry entry) {
		Assert.isTrue(!entry.isCut(), () -> "it has " + entry.length() + " bytes, and the limit is "
				+ entry.text().length + ": redelay.queue.send.max-message-size");
		String text = text(entry.text());
		Assert.isTrue(text != null, "it is not UTF-8");
		PreparedMessage message = this.template.defer(List.of(READER.read(queue, text))).get(0);
		OutboundMessage intercepted = message.message();
		if (!intercepted.queue().equals(queue)) {
			IllegalArgumentException failure = new IllegalArgumentException(
					"a SendInterceptor sends it to the queue '" + intercepted.queue() + "', which an inlet cannot");
			message.abandon(failure);
			throw failure;
		}
		return message;
	}

	private static String reason(Throwable failure) {
		String text = (failure.getMessage() != null) ? failure.getMessage() : failure.toString();
		return (text.length() > MAX_REASON) ? text.substring(0, MAX_REASON) : text;
	}

	private static @Nullable String text(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private Converted refused(LookInletScript.Entry entry, Instant time, String reason) {
		byte[] kept = kept(entry.text());
		String type = (text(kept) != null) ? "text/plain" : "application/octet-stream";
		byte[] envelope = this.codec.write(new Envelope(Envelope.Options.NONE, type, kept));
		String why = "The entry of the inlet cannot be sent: " + reason
				+ ((kept.length < entry.length()) ? ". Its first " + kept.length + " bytes are kept" : "");
		String cause = this.causes.write(time, why);
		return new Converted(new TakenEntry(entry, null, new TakenEntry.Dead(this.uids.next(), envelope, cause)), null,
				reason);
	}

	/**
	 * The part of an entry that is kept: its beginning, up to the end of a character.
	 */
	private static byte[] kept(byte[] text) {
		if (text.length <= KEPT) {
			return text;
		}
		int end = KEPT;
		while (end > KEPT - 3 && (text[end] & 0xC0) == 0x80) {
			end--;
		}
		return Arrays.copyOf(text, end);
	}

	/**
	 * The result of a conversion.
	 *
	 * @param taken what is sent to the store
	 * @param message the message, if it can be sent
	 * @param reason what is wrong with it, if it cannot
	 */
	record Converted(TakenEntry taken, @Nullable PreparedMessage message, @Nullable String reason) {

	}

}
