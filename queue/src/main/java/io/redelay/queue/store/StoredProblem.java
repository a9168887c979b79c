package io.redelay.queue.store;

/**
 * A problem in the stored data of a queue.
 *
 * @param kind the kind of problem, or one of the constants of this class
 * @param subject the uid of the message, or the name of the lane or key
 * @param detail the problem
 * @since 0.1.0
 */
public record StoredProblem(String kind, String subject, String detail) {

	/**
	 * The kind of a living message that only a list can have. It is a problem if no list
	 * has it.
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
