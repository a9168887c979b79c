package io.redelay.queue.bundle;

/**
 * What becomes of the other messages of a bundle when the first one dies.
 *
 * @since 0.1.0
 */
public enum FirstDeath {

	/**
	 * They are handled as usual.
	 */
	KEEP_REST,

	/**
	 * Those that have not ended are cancelled, as {@link Bundle#cancelRest()} does.
	 */
	CANCEL_REST

}
