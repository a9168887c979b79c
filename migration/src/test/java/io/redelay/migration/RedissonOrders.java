package io.redelay.migration;

// tag::imports[]
import java.util.concurrent.TimeUnit;

import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
// end::imports[]

/**
 * Sends and receives by Redisson, for the guide.
 */
@SuppressWarnings("deprecation")
// tag::redisson[]
class RedissonOrders {

	private final RBlockingQueue<String> orders;

	private final RDelayedQueue<String> delayed;

	RedissonOrders(RedissonClient redisson) {
		this.orders = redisson.getBlockingQueue("orders");
		this.delayed = redisson.getDelayedQueue(this.orders);
	}

	void start(String orderId) {
		this.delayed.offer(orderId, 30, TimeUnit.MINUTES);
	}

	void cancelOne() throws InterruptedException {
		String orderId = this.orders.take();
		cancel(orderId);
	}
	// end::redisson[]

	private void cancel(String orderId) {
	}

	// tag::redisson[]

}
// end::redisson[]
