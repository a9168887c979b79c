package io.redelay.benchmarks.versions;

/**
 * What both versions do in a round.
 */
enum VersionWork {

	/**
	 * Sends, 100 messages at a time.
	 */
	SEND,

	/**
	 * Handles what is there when the handlers start.
	 */
	DRAIN,

	/**
	 * Sends while handlers run, with 16 sends on their way.
	 */
	BOTH

}
