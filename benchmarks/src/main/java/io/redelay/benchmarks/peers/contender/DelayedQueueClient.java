package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;

/**
 * Redisson's delayed queue in front of its blocking queue.
 */
@SuppressWarnings("deprecation") // still what many use
final class DelayedQueueClient implements Client {

	private final RedissonClient redisson;

	private final int concurrency;

	private final OrderHandler handler;

	private final RBlockingQueue<Order> queue;

	private final RDelayedQueue<Order> delayed;

	private final Workers workers = new Workers();

	DelayedQueueClient(RedisServer server, Setup setup, OrderHandler handler) {
		if (setup.queues() > 1) {
			throw new NotOfferedException("measured with one queue only");
		}
		this.redisson = RedissonClients.connect(server, setup);
		this.concurrency = setup.concurrency();
		this.handler = handler;
		this.queue = this.redisson.getBlockingQueue(setup.queue(), RedissonClients.ORDERS);
		this.delayed = this.redisson.getDelayedQueue(this.queue);
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		this.delayed.offer(order, delay.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void listen() {
		this.workers.poll(this.queue, this.concurrency, this.handler);
	}

	@Override
	public long left() {
		this.workers.check();
		return this.queue.size();
	}

	@Override
	public void close() {
		this.workers.close();
		this.delayed.destroy();
		this.redisson.shutdown();
	}

}
