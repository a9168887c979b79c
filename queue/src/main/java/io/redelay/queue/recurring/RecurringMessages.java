package io.redelay.queue.recurring;

import java.util.List;
import java.util.Optional;

/**
 * Declares, shows and controls recurring messages while the application runs. Changes are
 * kept in Redis and hold for all instances. A recurring message is identified by its
 * queue and its name.
 * <p>
 * Each method waits for Redis, and throws a
 * {@link io.redelay.queue.admin.QueueBackendException} if Redis does not answer. Safe for
 * use by many threads.
 *
 * @since 0.1.0
 */
public interface RecurringMessages {

	/**
	 * Declares a recurring message, or changes it if its queue has one of this name. It
	 * goes on until it is {@linkplain #remove removed}, also when this instance has
	 * ended, as long as the queue has a consumer. A paused one stays paused.
	 * @param declaration what recurs
	 * @return what is known of it afterwards
	 * @throws InvalidRecurringMessageException if it cannot work
	 */
	RecurringInfo declare(RecurringDeclaration declaration);

	/**
	 * Lists the recurring messages of all queues, by queue and name.
	 * @return all that are not removed
	 */
	List<RecurringInfo> list();

	/**
	 * Looks for a recurring message.
	 * @param queue the queue
	 * @param name its name
	 * @return what is known of it, or nothing if there is none
	 */
	Optional<RecurringInfo> find(String queue, String name);

	/**
	 * Runs a recurring message now, in addition to its ticks, also if it is paused.
	 * @param queue the queue
	 * @param name its name
	 * @return whether it runs; it does not if an earlier run has not ended and
	 * overlapping ones are {@linkplain OverlappingRuns#SKIP skipped}. If they
	 * {@linkplain OverlappingRuns#QUEUE queue}, it runs when the earlier ones have ended
	 * @throws UnknownRecurringMessageException if there is none
	 */
	boolean runNow(String queue, String name);

	/**
	 * Pauses a recurring message: there are no ticks until it is resumed, and those in
	 * between do not count as missed. Does nothing if it is paused.
	 * @param queue the queue
	 * @param name its name
	 * @throws UnknownRecurringMessageException if there is none
	 */
	void pause(String queue, String name);

	/**
	 * Has a paused recurring message go on with its next tick. Does nothing if it is not
	 * paused.
	 * @param queue the queue
	 * @param name its name
	 * @throws UnknownRecurringMessageException if there is none
	 */
	void resume(String queue, String name);

	/**
	 * Forgets the state that the runs of a recurring message pass on, so that the next
	 * run finds none. A run that has begun goes on, and saves nothing.
	 * @param queue the queue
	 * @param name its name
	 * @throws UnknownRecurringMessageException if there is none
	 * @see io.redelay.queue.work.RecurringState
	 */
	void forgetState(String queue, String name);

	/**
	 * Removes a recurring message, with the number of its runs and their state. A run
	 * that has begun goes on. One that the code declares comes back when an instance that
	 * declares it starts.
	 * @param queue the queue
	 * @param name its name
	 * @return whether there was one
	 */
	boolean remove(String queue, String name);

}
