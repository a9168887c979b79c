package io.redelay.queue.message;

import java.util.random.RandomGenerator;

/**
 * Gives what runs on a thread the same uids again, as {@link Uids} are random else.
 */
public final class SimulatedUids {

	private SimulatedUids() {
	}

	/**
	 * Runs a task whose uids come from a seed.
	 */
	public static void run(RandomGenerator random, Runnable task) {
		Uids.takeFrom(random);
		try {
			task.run();
		}
		finally {
			Uids.takeFrom(null);
		}
	}

}
