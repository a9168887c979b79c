package io.redelay.queue.recurring.engine;

/**
 * Has recurring messages looked after when a test wants it, and not half an hour later.
 */
public final class RecurringMaintenanceDriver {

	private RecurringMaintenanceDriver() {
	}

	/**
	 * For how many seconds the next round through all queues does not begin.
	 */
	public static long secondsOfARound() {
		return RecurringMaintenance.ROUND.toSeconds();
	}

	public static void lookThrough(RecurringMaintenance care, String queue) {
		care.lookThrough(queue).join();
	}

}
