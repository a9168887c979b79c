package io.redelay.queue.listener;

import java.util.List;

/**
 * Is told how a {@link HandlerInvocation} ends.
 */
interface InvocationListener {

	/**
	 * A handler has taken some time.
	 * @param nanos the time for each message
	 */
	void handled(long nanos);

	/**
	 * The invocation is over after its thread left it, so that its permit is free.
	 */
	void permitFreed();

	/**
	 * A batch failed, and each of its messages is to be handled by an invocation of its
	 * own.
	 */
	void handleEachAlone(List<Delivery> deliveries, Throwable failure);

}
