package io.redelay.lock;

import io.redelay.delivery.DeliveryScope;
import io.redelay.delivery.HandledQueue;
import org.jspecify.annotations.Nullable;

/**
 * The thread that requested a lock.
 *
 * @param thread the name of the thread
 * @param queue the queue whose message it handles, if it handles one
 */
record LockOrigin(String thread, @Nullable String queue) {

	static LockOrigin current() {
		return new LockOrigin(Thread.currentThread().getName(),
				(DeliveryScope.current() instanceof HandledQueue handled) ? handled.queue() : null);
	}

}
