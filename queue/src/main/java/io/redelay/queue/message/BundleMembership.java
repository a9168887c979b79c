package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

/**
 * The membership of a message in a bundle.
 *
 * @param queue the queue where the bundle is kept, which gets its callback
 * @param id the id of the bundle
 * @since 0.1.0
 */
public record BundleMembership(String queue, String id) {

	/**
	 * The separator in the text of a membership. Neither the name of a queue nor the id
	 * of a bundle nor a uid contains it.
	 */
	public static final char SEPARATOR = '/';

	/**
	 * Returns the text of the membership of a message in the store.
	 * @param uid under which it is sent
	 * @param messageId its id, if it has one
	 * @return the text
	 */
	public String text(String uid, @Nullable String messageId) {
		return this.queue + SEPARATOR + this.id + SEPARATOR + member(uid, messageId);
	}

	/**
	 * Returns the beginning of the text of the membership of a message.
	 * @param uid under which it was sent
	 * @return the beginning of the text
	 */
	public String beginning(String uid) {
		return this.queue + SEPARATOR + this.id + SEPARATOR + uid + SEPARATOR;
	}

	/**
	 * Returns the name of a message in its bundle.
	 * @param uid under which it is sent
	 * @param messageId its id, if it has one
	 * @return the text
	 */
	public static String member(String uid, @Nullable String messageId) {
		return uid + SEPARATOR + ((messageId != null) ? messageId : "");
	}

}
