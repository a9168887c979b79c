package io.redelay.queue;

/**
 * Makes a payload fit for a log: used wherever Redelay logs one. Define a bean of this
 * type to replace the one that masks fields of JSON by their names
 * ({@code redelay.queue.log.masked-fields}).
 * <p>
 * Must be safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PayloadMasker {

	/**
	 * Returns a text without secrets.
	 * @param payload the payload as it is sent
	 * @param contentType its content type, such as {@code application/json}
	 * @return the text
	 */
	String mask(byte[] payload, String contentType);

}
