package io.redelay.autoconfigure;

/**
 * The bean that converts payloads.
 */
final class PayloadConverters {

	/**
	 * The name of the bean. Define one of this name to convert otherwise.
	 */
	static final String BEAN_NAME = "redelayMessageConverter";

	private PayloadConverters() {
	}

}
