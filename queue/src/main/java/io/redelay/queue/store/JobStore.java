package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Keeps jobs. One instance at a time carries out a job, as long as its lease lasts. The
 * last hundred ended jobs are kept for a day. The store does not interpret the request
 * and the progress of a job.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface JobStore {

	/**
	 * Begins a job, unless there is one of this id.
	 * @param id its id, which was never used
	 * @param request its request
	 * @param owner the instance that has it, or empty if any instance may take it
	 * @param lease how long it is its owner's
	 * @return the job, or {@code null} if too many run
	 */
	CompletableFuture<@Nullable StoredJob> begin(String id, String request, String owner, Duration lease);

	/**
	 * Takes over jobs that have no owner.
	 * @param owner the instance that takes them
	 * @param lease how long they are its
	 * @param most how many at most
	 * @return the jobs that were taken, and how many run
	 */
	CompletableFuture<TakenJobs> take(String owner, Duration lease, int most);

	/**
	 * Notes how far a job is, and renews the lease of its owner.
	 * @param id its id
	 * @param owner its owner
	 * @param lease how long it is its owner's from now on; zero gives it up
	 * @param number the number of this note, larger than those before
	 * @param state whether it runs, is done or has failed
	 * @param progress how far it is
	 * @return the job, or {@code null} if another instance has it or it was forgotten
	 */
	CompletableFuture<@Nullable StoredJob> note(String id, String owner, Duration lease, long number,
			StoredJob.State state, String progress);

	/**
	 * Stops a job, unless it has ended.
	 * @param id its id
	 * @return the job, or {@code null} if there is none
	 */
	CompletableFuture<@Nullable StoredJob> stop(String id);

	/**
	 * Lists all jobs.
	 * @return the jobs, in no order
	 */
	CompletableFuture<List<StoredJob>> list();

}
