package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * With what the sending of an {@link OutboundMessage} is done together.
 *
 * @param inTransaction whether it waits for the commit of a surrounding transaction, or
 * {@code null} to use the configuration
 * @since 0.1.0
 */
public record SendingOptions(@Nullable Boolean inTransaction) {

	static final SendingOptions NONE = new SendingOptions(null);

	SendingOptions inTransaction(boolean inTransaction) {
		return new SendingOptions(inTransaction);
	}

}
