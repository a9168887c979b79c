package io.redelay.queue.request;

/**
 * Marks a thread whose caller waits for the reply of what it is about to submit. A
 * request that leaves meanwhile may be carried out on that thread, which saves the trip
 * through the threads of the client.
 * <p>
 * For one request: those that leave because of its reply belong to other callers.
 *
 * @since 0.1.0
 */
public final class WaitingCaller {

	private static final ThreadLocal<Boolean> MARK = new ThreadLocal<>();

	private WaitingCaller() {
	}

	/**
	 * Marks this thread.
	 */
	public static void enter() {
		MARK.set(true);
	}

	/**
	 * Removes the mark of this thread.
	 */
	public static void leave() {
		MARK.remove();
	}

	/**
	 * Removes the mark, if there is one.
	 * @return whether there was one, so that a request may keep this thread waiting
	 */
	public static boolean take() {
		boolean marked = MARK.get() != null;
		if (marked) {
			MARK.remove();
		}
		return marked;
	}

}
