package io.redelay.queue.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Sees that bytes are JSON that each listener can read, without a parser and what it
 * allocates: almost all payloads are. What it does not recognize may be JSON all the
 * same.
 */
final class JsonScan {

	private static final int END = Integer.MIN_VALUE;

	private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private static final long EACH = 0x0101_0101_0101_0101L;

	private static final long HIGHEST_BITS = 0x8080_8080_8080_8080L;

	private final byte[] json;

	private final int end;

	private int position;

	JsonScan(byte[] json) {
		this(json, 0, json.length);
	}

	/**
	 * Looks at some bytes of an array.
	 */
	JsonScan(byte[] json, int start, int end) {
		this.json = json;
		this.position = start;
		this.end = end;
	}

	/**
	 * Returns whether it is JSON within the limits of {@link EnvelopeFormat}, for sure.
	 */
	boolean isJson() {
		return value(0) && next() == END;
	}

	private boolean value(int depth) {
		return switch (next()) {
			case '"' -> string();
			case '{' -> depth < EnvelopeFormat.MAX_DEPTH && object(depth + 1);
			case '[' -> depth < EnvelopeFormat.MAX_DEPTH && array(depth + 1);
			case 't' -> word("rue");
			case 'f' -> word("alse");
			case 'n' -> word("ull");
			case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
			default -> false;
		};
	}

	private boolean object(int depth) {
		int next = next();
		if (next == '}') {
			return true;
		}
		while (next == '"') {
			int start = this.position;
			if (!string() || this.position - start > EnvelopeFormat.MAX_NAME_LENGTH || next() != ':' || !value(depth)) {
				return false;
			}
			next = next();
			if (next == '}') {
				return true;
			}
			next = (next == ',') ? next() : END;
		}
		return false;
	}

	private boolean array(int depth) {
		int next = next();
		if (next == ']' || next == END) {
			return next == ']';
		}
		this.position--;
		next = ',';
		while (next == ',') {
			if (!value(depth)) {
				return false;
			}
			next = next();
		}
		return next == ']';
	}

	/**
	 * Goes behind the next character that is no white space.
	 */
	private int next() {
		while (this.position < this.end) {
			byte next = this.json[this.position++];
			if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
				return next;
			}
		}
		return END;
	}

	private boolean word(String rest) {
		for (int i = 0; i < rest.length(); i++) {
			if (peek() != rest.charAt(i)) {
				return false;
			}
			this.position++;
		}
		return true;
	}

	/**
	 * Reads the rest of a number, whose first character is behind.
	 */
	private boolean number() {
		int start = --this.position;
		if (peek() == '-') {
			this.position++;
		}
		if (peek() == '0') {
			this.position++;
		}
		else if (!digits()) {
			return false;
		}
		if (peek() == '.') {
			this.position++;
			if (!digits()) {
				return false;
			}
		}
		if (peek() == 'e' || peek() == 'E') {
			this.position++;
			if (peek() == '+' || peek() == '-') {
				this.position++;
			}
			if (!digits()) {
				return false;
			}
		}
		return this.position - start <= EnvelopeFormat.MAX_NUMBER_LENGTH;
	}

	private boolean digits() {
		int start = this.position;
		while (peek() >= '0' && peek() <= '9') {
			this.position++;
		}
		return this.position > start;
	}

	private int peek() {
		return (this.position < this.end) ? this.json[this.position] : END;
	}

	/**
	 * Reads the rest of a string, whose first quotation mark is behind.
	 */
	private boolean string() {
		byte[] bytes = this.json;
		for (int i = this.position; i < this.end; i++) {
			while ((i - this.position) % Long.BYTES == 0 && i + Long.BYTES < this.end
					&& arePlain((long) WORDS.get(bytes, i))) {
				i += Long.BYTES;
			}
			byte next = bytes[i];
			if (next == '"') {
				this.position = i + 1;
				return true;
			}
			if (next == '\\' || next < ' ') {
				int behind = (next == '\\') ? escaped(i) : character(i);
				if (behind == END) {
					return false;
				}
				i = behind - 1;
			}
		}
		return false;
	}

	/**
	 * Returns whether none of eight bytes is a quotation mark, a backslash, a control
	 * character or beyond ASCII.
	 */
	private static boolean arePlain(long bytes) {
		long quotes = bytes ^ ('"' * EACH);
		long backslashes = bytes ^ ('\\' * EACH);
		return ((bytes | (bytes - ' ' * EACH) | (quotes - EACH) | (backslashes - EACH)) & HIGHEST_BITS) == 0;
	}

	/**
	 * Returns the position behind an escape, or {@link #END} if it is none.
	 */
	private int escaped(int from) {
		int kind = (from + 1 < this.end) ? this.json[from + 1] : END;
		if (kind != 'u') {
			return ("\"\\/bfnrt".indexOf(kind) >= 0) ? from + 2 : END;
		}
		for (int i = from + 2; i < from + 6; i++) {
			if (i >= this.end || Character.digit(this.json[i], 16) < 0) {
				return END;
			}
		}
		return from + 6;
	}

	/**
	 * Returns the position behind a character of several bytes of UTF-8, or {@link #END}
	 * if it is none.
	 */
	private int character(int from) {
		int first = this.json[from] & 0xFF;
		int length = (first >= 0xF0) ? 4 : (first >= 0xE0) ? 3 : 2;
		if (first < 0xC2 || first > 0xF4 || from + length > this.end) {
			return END;
		}
		for (int i = from + 1; i < from + length; i++) {
			if ((this.json[i] & 0xC0) != 0x80) {
				return END;
			}
		}
		int second = this.json[from + 1] & 0xFF;
		boolean canonical = switch (first) {
			case 0xE0 -> second >= 0xA0;
			case 0xED -> second < 0xA0; // no half of a character
			case 0xF0 -> second >= 0x90;
			case 0xF4 -> second < 0x90;
			default -> true;
		};
		return canonical ? from + length : END;
	}

}
