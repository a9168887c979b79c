package io.redelay.queue.recurring.engine;

/**
 * Has recurring messages looked after when a test wants it, and not half an hour later.
 */
public final class RecurringCareDriver {

	private RecurringCareDriver() {
	}

	public static void lookThrough(RecurringCare care, String queue) {
		care.lookThrough(queue).join();
	}

}
