package io.redelay.samples.shop.receipt;

/**
 * A mail was not sent.
 */
class MailFailedException extends RuntimeException {

	MailFailedException(String message) {
		super(message);
	}

}
