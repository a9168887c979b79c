package io.redelay.queue.store;

/**
 * Something that is wrong in what the store keeps of a queue.
 *
 * @param kind what kind of problem it is, or one of the constants of this class
 * @param subject the uid of the message, or the name of the lane or key
 * @param detail what is wrong
 * @since 0.1.0
 */
public record StoredProblem(String kind, String subject, String detail) {

	/**
	 * The kind of a living message that only a list can have, or nothing: no problem
	 * unless no list has it.
	 */
	public static final String UNPLACED = "UNPLACED";

	/**
	 * The kind of an entry of a list whose message is delivered from there: no problem.
	 */
	public static final String LISTED = "LISTED";

	/**
	 * The kind of a part that has more entries than one step may look at.
	 */
	public static final String NOT_CHECKED = "NOT_CHECKED";

}
