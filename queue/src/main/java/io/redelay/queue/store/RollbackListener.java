package io.redelay.queue.store;

/**
 * Is told when Redis went back in time.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RollbackListener {

	/**
	 * Redis went back in time, which a lane has found and repaired as far as it could.
	 * Called on threads that must not be blocked.
	 * @param rollback what was found and done
	 */
	void rolledBack(Rollback rollback);

}
