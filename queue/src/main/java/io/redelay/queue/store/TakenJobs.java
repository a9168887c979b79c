package io.redelay.queue.store;

import java.util.List;

/**
 * What an instance learns that looks for jobs which nobody has.
 *
 * @param taken those that are its now
 * @param running how many run, whoever has them
 * @since 0.1.0
 */
public record TakenJobs(List<StoredJob> taken, int running) {

	/**
	 * Copies the jobs.
	 */
	public TakenJobs {
		taken = List.copyOf(taken);
	}

}
