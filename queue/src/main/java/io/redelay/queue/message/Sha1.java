package io.redelay.queue.message;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-1, by which the store finds out whether bytes are the same as before, as scripts
 * can compute it as well. It protects from no attack.
 *
 * @since 0.1.0
 */
public final class Sha1 {

	private Sha1() {
	}

	/**
	 * Begins a check sum.
	 * @return what takes the bytes
	 */
	public static MessageDigest begin() {
		try {
			return MessageDigest.getInstance("SHA-1");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Each Java has SHA-1", ex);
		}
	}

	/**
	 * Returns the check sum of bytes.
	 * @param bytes the bytes
	 * @return the check sum in hexadecimal digits, as scripts write it
	 */
	public static String of(byte[] bytes) {
		return HexFormat.of().formatHex(begin().digest(bytes));
	}

}
