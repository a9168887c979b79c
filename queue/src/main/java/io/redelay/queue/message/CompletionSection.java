package io.redelay.queue.message;

/**
 * One action that goes together with an acknowledgement; see {@link Completion}. The
 * script {@code includes/complete.lua} has a function for each type.
 *
 * @since 0.1.0
 */
public interface CompletionSection {

	/**
	 * Returns the letter by which the script knows the kind of this section.
	 * @return a letter
	 */
	char type();

	/**
	 * Returns the arguments for the script.
	 * @return the text, as the script reads it
	 */
	byte[] text();

	/**
	 * Returns how much memory of this program the section takes.
	 * @return bytes, roughly
	 */
	long size();

}
