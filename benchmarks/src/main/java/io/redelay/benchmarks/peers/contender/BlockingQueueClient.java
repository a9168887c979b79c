package io.redelay.benchmarks.peers.contender;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.redelay.embedded.redis.RedisServer;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RedissonClient;

/**
 * Redisson's blocking queue: a list, and threads that take from it. What a thread has
 * taken is gone, handled or not.
 */
final class BlockingQueueClient implements Client {

	private final RedissonClient redisson;

	private final Setup setup;

	private final OrderHandler handler;

	private final RBlockingQueue<Order> queue;

	private final Workers workers = new Workers();

	BlockingQueueClient(RedisServer server, Setup setup, OrderHandler handler) {
		this.redisson = RedissonClients.connect(server, setup);
		this.setup = setup;
		this.handler = handler;
		this.queue = queue(setup.queue());
	}

	private RBlockingQueue<Order> queue(String name) {
		return this.redisson.getBlockingQueue(name, RedissonClients.ORDERS);
	}

	@Override
	public void send(Order order) {
		this.queue.add(order);
	}

	@Override
	public CompletionStage<?> sendAsync(Order order) {
		return this.queue.addAsync(order);
	}

	@Override
	public void sendAll(List<Order> orders) {
		this.queue.addAll(orders);
	}

	@Override
	public void listen() {
		this.setup.names().forEach((name) -> this.workers.poll(queue(name), this.setup.concurrency(), this.handler));
	}

	@Override
	public long left() {
		this.workers.check();
		return this.queue.size();
	}

	@Override
	public void close() {
		this.workers.close();
		this.redisson.shutdown();
	}

}
