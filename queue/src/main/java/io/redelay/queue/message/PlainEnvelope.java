package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Reads an envelope of nothing but its times and a JSON payload, as most are, by the
 * positions of its bytes.
 */
final class PlainEnvelope {

	private static final byte[] SENT_AT = bytes("{\"sentAt\":");

	private static final byte[] DUE_AT = bytes(",\"dueAt\":");

	/**
	 * What is behind the times.
	 */
	private static final byte[] PAYLOAD = bytes(
			"," + new String(EnvelopeFormat.PLAIN, StandardCharsets.UTF_8).substring(1));

	/**
	 * How many digits a time has at most: enough for 30,000 years.
	 */
	private static final int MOST_DIGITS = 15;

	private PlainEnvelope() {
	}

	/**
	 * Reads an envelope.
	 * @return the envelope, or {@code null} if it has another layout, or is none
	 */
	static @Nullable Envelope read(byte[] bytes) {
		if (!isAt(bytes, 0, SENT_AT)) {
			return null;
		}
		int sentAt = SENT_AT.length;
		int endOfTimes = endOfDigits(bytes, sentAt);
		int endOfSentAt = endOfTimes;
		int dueAt = 0;
		if (isAt(bytes, endOfTimes, DUE_AT)) {
			dueAt = endOfTimes + DUE_AT.length;
			endOfTimes = endOfDigits(bytes, dueAt);
		}
		if (!isTime(bytes, sentAt, endOfSentAt) || (dueAt > 0 && !isTime(bytes, dueAt, endOfTimes))
				|| !isAt(bytes, endOfTimes, PAYLOAD)) {
			return null;
		}
		int start = endOfTimes + PAYLOAD.length;
		while (start < bytes.length && LastValue.isBlank(bytes[start])) {
			start++;
		}
		int end = LastValue.end(bytes, start);
		if (end < 0) {
			return null;
		}
		Instant sent = time(bytes, sentAt, endOfSentAt);
		return new Envelope(Envelope.Options.NONE, EnvelopeFormat.JSON, bytes, start, end, sent,
				(dueAt > 0) ? time(bytes, dueAt, endOfTimes) : sent);
	}

	private static boolean isAt(byte[] bytes, int at, byte[] wanted) {
		return at + wanted.length <= bytes.length
				&& Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length);
	}

	private static int endOfDigits(byte[] bytes, int from) {
		int at = from;
		while (at < bytes.length && bytes[at] >= '0' && bytes[at] <= '9') {
			at++;
		}
		return at;
	}

	private static boolean isTime(byte[] bytes, int from, int to) {
		return to > from && to - from <= MOST_DIGITS && bytes[from] != '0';
	}

	private static Instant time(byte[] bytes, int from, int to) {
		long millis = 0;
		for (int at = from; at < to; at++) {
			millis = millis * 10 + (bytes[at] - '0');
		}
		return Instant.ofEpochMilli(millis);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
