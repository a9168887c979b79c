package io.redelay.queue.store;

/**
 * One thing that is done together with an acknowledgement; see {@link Completion}. The
 * script {@code includes/complete.lua} has a function for each type.
 *
 * @since 0.1.0
 */
public interface CompletionSection {

	/**
	 * Tells the script what is to be done.
	 * @return a letter
	 */
	char type();

	/**
	 * Gives what the script needs to know.
	 * @return the text, as the script reads it
	 */
	byte[] text();

	/**
	 * Tells how much of the memory of this program it takes.
	 * @return bytes, roughly
	 */
	long size();

}
