package io.redelay.queue.store;

import java.util.List;

/**
 * The reply to an instance that looks for jobs without an owner.
 *
 * @param taken the jobs that it owns now
 * @param running how many run, on all instances
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
