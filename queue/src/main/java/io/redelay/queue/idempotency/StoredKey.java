package io.redelay.queue.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Writes an idempotency key as Redis keeps it: the key itself, so that a person can read
 * it, or its SHA-256 if it is long. The mark before it distinguishes the two.
 */
final class StoredKey {

	/**
	 * The most characters of a key that is kept itself.
	 */
	static final int LONGEST = 128;

	private static final char ITSELF = '=';

	private static final char HASHED = '#';

	private StoredKey() {
	}

	static String of(String key) {
		// Every half of a surrogate pair would be written as the same question mark.
		boolean kept = key.length() <= LONGEST && StandardCharsets.UTF_8.newEncoder().canEncode(key);
		return kept ? ITSELF + key : HASHED + sha256(key);
	}

	private static String sha256(String key) {
		ByteBuffer bytes = ByteBuffer.allocate(key.length() * Character.BYTES);
		bytes.asCharBuffer().put(key);
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Each JVM has SHA-256", ex);
		}
	}

}
