package io.redelay.samples.shop.mail;

import java.util.concurrent.ThreadLocalRandom;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/**
 * Plays a mail server: it takes its time, fails at times, and never reaches an address at
 * {@code nowhere.invalid}.
 */
@Component
public class Mailer {

	private static final Logger logger = LoggerFactory.getLogger(Mailer.class);

	private final MailerProperties properties;

	Mailer(MailerProperties properties) {
		this.properties = properties;
	}

	/**
	 * Sends a mail, or throws a {@link MailFailedException}.
	 */
	public void send(String email, String text) {
		takeTime();
		if (email.endsWith("@nowhere.invalid")) {
			throw new NoSuchMailHostException(email);
		}
		if (ThreadLocalRandom.current().nextDouble() < this.properties.failureRate()) {
			throw new MailFailedException("The mail server is busy");
		}
		logger.info("Mailed to {}: {}", email, text);
	}

	private void takeTime() {
		try {
			Thread.sleep(this.properties.latency().toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new MailFailedException("Interrupted");
		}
	}

}
