package io.redelay.queue.request;

/**
 * Called when Redis went back in time.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RollbackListener {

	/**
	 * Called when a lane found that Redis went back in time, and repaired that as far as
	 * it could. Called on threads that must not be blocked.
	 * @param rollback the findings and actions
	 */
	void rolledBack(Rollback rollback);

}
