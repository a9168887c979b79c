package io.redelay.scheduling;

/**
 * A task that a {@link Scheduler} runs later.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ScheduledTask {

	/**
	 * Cancels the task, if it has not begun; one that runs again and again does not begin
	 * any more.
	 */
	void cancel();

}
