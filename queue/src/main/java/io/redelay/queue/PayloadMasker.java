package io.redelay.queue;

/**
 * Makes a payload fit for a log and for the endpoints of the actuator: used wherever
 * Redelay logs or shows one. Define a bean of this type to replace the one that masks
 * fields of JSON and headers by their names ({@code redelay.queue.log.masked-fields}).
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

	/**
	 * Returns the value of a header without secrets. By default the values of all headers
	 * are hidden; override this to show some.
	 * @param name the name of the header
	 * @param value its value as it was sent: a text, a number, a boolean, a list or a map
	 * @return what is shown instead
	 */
	default Object maskHeader(String name, Object value) {
		return "***";
	}

}
