package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Reads the part of an envelope before its headers and its payload, without a parser: it
 * is read of each claimed message.
 */
final class EnvelopeHead {

	private static final byte[] FAIRNESS_KEY = bytes("fairnessKey");

	private static final byte[] ID = bytes("id");

	private static final byte[] AGGREGATE = bytes("aggregate");

	private static final byte[] PAYLOAD = bytes("payload");

	private static final byte[] BASE64 = bytes("base64");

	private final byte[] envelope;

	private int position = 1;

	EnvelopeHead(byte[] envelope) {
		this.envelope = envelope;
	}

	/**
	 * Returns the fairness key as it is written, with its escapes, or {@code null} if
	 * there is none.
	 */
	@Nullable String fairnessKey() {
		return text(FAIRNESS_KEY);
	}

	/**
	 * Returns the id as it is written, with its escapes, or {@code null} if there is
	 * none.
	 */
	@Nullable String id() {
		return text(ID);
	}

	/**
	 * Returns whether payloads are gathered in the envelope.
	 */
	boolean isAggregate() {
		return find(AGGREGATE) && isAt('t');
	}

	private @Nullable String text(byte[] wanted) {
		if (!find(wanted)) {
			return null;
		}
		int value = this.position + 1;
		skipString();
		return (this.position <= this.envelope.length)
				? new String(this.envelope, value, this.position - 1 - value, StandardCharsets.UTF_8) : null;
	}

	/**
	 * Goes to the value of a field before the payload.
	 * @return whether there is one
	 */
	private boolean find(byte[] wanted) {
		while (isAt('"')) {
			int name = this.position + 1;
			skipString();
			int end = this.position - 1;
			this.position++; // the colon
			if (is(wanted, name, end)) {
				return true;
			}
			if (is(PAYLOAD, name, end) || is(BASE64, name, end) || isAt('{') || isAt('[')) {
				return false;
			}
			skipScalar();
			this.position++; // the comma
		}
		return false;
	}

	private boolean isAt(char wanted) {
		return this.position < this.envelope.length && this.envelope[this.position] == wanted;
	}

	private boolean is(byte[] wanted, int from, int to) {
		return to - from == wanted.length && to <= this.envelope.length
				&& Arrays.equals(this.envelope, from, to, wanted, 0, wanted.length);
	}

	/**
	 * Goes from the quotation mark before a text to behind the one after it.
	 */
	private void skipString() {
		this.position++;
		while (this.position < this.envelope.length && this.envelope[this.position] != '"') {
			this.position += (this.envelope[this.position] == '\\') ? 2 : 1;
		}
		this.position++;
	}

	private void skipScalar() {
		if (isAt('"')) {
			skipString();
			return;
		}
		while (this.position < this.envelope.length && this.envelope[this.position] != ','
				&& this.envelope[this.position] != '}') {
			this.position++;
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
