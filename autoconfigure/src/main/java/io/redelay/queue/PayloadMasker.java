package io.redelay.queue;

/**
 * Makes a payload fit to be seen: used wherever Redelay puts one into a log. Define a
 * bean of this type to replace the one that masks fields of JSON by their names
 * ({@code redelay.queue.log.masked-fields}).
 * <p>
 * Must be safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PayloadMasker {

	/**
	 * Gives a text that shows no secrets.
	 * @param payload the payload as it is sent
	 * @param contentType what it is, such as {@code application/json}
	 * @return the text
	 */
	String mask(byte[] payload, String contentType);

}
