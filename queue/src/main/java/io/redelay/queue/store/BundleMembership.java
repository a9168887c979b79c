package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

/**
 * That a message belongs to a bundle.
 *
 * @param queue the queue where the bundle is kept, which gets its callback
 * @param id the id of the bundle
 * @since 0.1.0
 */
public record BundleMembership(String queue, String id) {

	/**
	 * What stands between the parts of what the store has of a membership. Neither the
	 * name of a queue nor the id of a bundle nor a uid has it.
	 */
	public static final char SEPARATOR = '/';

	/**
	 * What the store has of the membership of a message.
	 * @param uid under which it is sent
	 * @param messageId its id, if it has one
	 * @return the text
	 */
	public String text(String uid, @Nullable String messageId) {
		return this.queue + SEPARATOR + this.id + SEPARATOR + member(uid, messageId);
	}

	/**
	 * How what the store has of the membership of a message begins.
	 * @param uid under which it was sent
	 * @return the beginning of the text
	 */
	public String beginning(String uid) {
		return this.queue + SEPARATOR + this.id + SEPARATOR + uid + SEPARATOR;
	}

	/**
	 * How the store names a message in its bundle.
	 * @param uid under which it is sent
	 * @param messageId its id, if it has one
	 * @return the text
	 */
	public static String member(String uid, @Nullable String messageId) {
		return uid + SEPARATOR + ((messageId != null) ? messageId : "");
	}

}
