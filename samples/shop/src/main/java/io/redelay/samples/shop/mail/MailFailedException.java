package io.redelay.samples.shop.mail;

/**
 * A mail was not sent.
 */
public class MailFailedException extends RuntimeException {

	public MailFailedException(String message) {
		super(message);
	}

}
