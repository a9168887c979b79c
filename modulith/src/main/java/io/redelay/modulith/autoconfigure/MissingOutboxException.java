package io.redelay.modulith.autoconfigure;

/**
 * Events are to go through an outbox, and there is none.
 */
class MissingOutboxException extends IllegalStateException {

	MissingOutboxException() {
		super("'spring.modulith.events.externalization.mode' is 'outbox', and there is no outbox of Redelay that could "
				+ "take the events");
	}

}
