package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * With what the send of an {@link OutboundMessage} is combined.
 *
 * @param inTransaction whether it waits for the commit of a surrounding transaction, or
 * {@code null} to use the configuration
 * @param durability which copies must exist before the send returns, or {@code null} not
 * to wait for any
 * @param resultTo the instance that waits for what its handler returns, or {@code null};
 * set by {@link QueueOperations#sendForResult}
 * @param inDelivery whether it is sent with the acknowledgement of the message that is
 * being handled
 * @since 0.1.0
 */
public record SendingOptions(@Nullable Boolean inTransaction, @Nullable Durability durability,
		@Nullable String resultTo, boolean inDelivery) {

	static final SendingOptions NONE = new SendingOptions(null, null, null, false);

	SendingOptions inTransaction(boolean inTransaction) {
		return new SendingOptions(inTransaction, this.durability, this.resultTo, this.inDelivery);
	}

	SendingOptions durability(Durability durability) {
		return new SendingOptions(this.inTransaction, durability, this.resultTo, this.inDelivery);
	}

	SendingOptions resultTo(String resultTo) {
		return new SendingOptions(this.inTransaction, this.durability, resultTo, this.inDelivery);
	}

	SendingOptions withAcknowledgement() {
		return new SendingOptions(this.inTransaction, this.durability, this.resultTo, true);
	}

}
