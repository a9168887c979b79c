package io.redelay.docs.recipes;

/**
 * Stands for a mail server.
 */
interface Mailer {

	void mail(String to, String text);

}
