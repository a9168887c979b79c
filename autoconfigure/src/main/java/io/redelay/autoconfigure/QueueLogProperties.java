package io.redelay.autoconfigure;

import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How payloads are logged.
 *
 * @param maskedFields Parts of the names of JSON fields whose values are not logged. Only
 * letters and digits are compared, in any case.
 * @param maxLength How many characters of a payload logs show at most.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.log")
record QueueLogProperties(@DefaultValue( {
		"password", "passwd", "passphrase", "secret", "token", "authorization", "credential", "api-key", "private-key",
		"card-number", "cvv", "cvc", "iban" }) List<String> maskedFields, @DefaultValue("1000") int maxLength){

	/**
	 * Checks the values.
	 */
	public QueueLogProperties {
		if (maxLength < 0) {
			throw new IllegalArgumentException("'redelay.queue.log.max-length' must be 0 or more: " + maxLength);
		}
	}

}
