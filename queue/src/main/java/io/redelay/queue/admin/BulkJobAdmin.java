package io.redelay.queue.admin;

import java.util.List;
import java.util.Optional;

import io.redelay.queue.QueueException;

/**
 * Starts jobs that act on many messages of a queue, lists them and stops them. It is
 * returned by {@link QueueAdmin#jobs()}; what the description of {@link QueueAdmin} says
 * of names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface BulkJobAdmin {

	/**
	 * Starts a job that acts on many messages of a queue, in steps and if wanted at a
	 * rate. It is kept in Redis; if the instance that carries it out dies, another one
	 * takes it over. Messages that are sent, or die, after it began are left alone.
	 * @param queue the queue
	 * @param request what to do with which messages
	 * @return the job, which has just begun
	 * @throws IllegalArgumentException if a value that the action needs is missing, or if
	 * none of the first messages can have the payload of a {@link BulkAction#CHANGE}
	 * @throws QueueException if 50 jobs run already, of all queues
	 */
	BulkJob start(String queue, BulkRequest request);

	/**
	 * Lists the jobs of all queues: those that run, and the last hundred of those that
	 * have ended within a day.
	 * @return the jobs, the last one to begin first
	 */
	List<BulkJob> list();

	/**
	 * Lists the jobs of a queue.
	 * @param queue the queue
	 * @return the jobs, the last one to begin first
	 */
	List<BulkJob> list(String queue);

	/**
	 * Looks for a job.
	 * @param id its id
	 * @return the job, or nothing if there never was one or it ended long ago
	 */
	Optional<BulkJob> find(String id);

	/**
	 * Stops a job, unless it has ended. A step that is under way is finished.
	 * @param id its id
	 * @return the job, or nothing if there never was one or it ended long ago
	 */
	Optional<BulkJob> stop(String id);

}
