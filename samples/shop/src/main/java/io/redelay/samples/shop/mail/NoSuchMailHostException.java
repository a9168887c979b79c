package io.redelay.samples.shop.mail;

/**
 * A mail was not sent, for there is no such host.
 */
public class NoSuchMailHostException extends MailFailedException {

	NoSuchMailHostException(String email) {
		super("The host of '%s' is unknown".formatted(email));
	}

}
