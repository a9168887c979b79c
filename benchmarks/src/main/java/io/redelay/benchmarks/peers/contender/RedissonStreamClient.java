package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.redelay.embedded.redis.RedisServer;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RStream;
import org.redisson.api.RedissonClient;
import org.redisson.api.stream.StreamAddArgs;
import org.redisson.api.stream.StreamCreateGroupArgs;
import org.redisson.api.stream.StreamMessageId;
import org.redisson.api.stream.StreamReadGroupArgs;

/**
 * A stream through Redisson: each thread is a consumer of one group, reads up to 100
 * entries and acknowledges them when it has handled them. Entries stay in the stream, as
 * Redis leaves it to its users to trim it.
 */
final class RedissonStreamClient implements Client {

	private static final String GROUP = "benchmark";

	private static final Duration WAIT = Duration.ofSeconds(1);

	private final RedisServer server;

	private final RedissonClient redisson;

	private final Setup setup;

	private final OrderHandler handler;

	private final RStream<String, Order> stream;

	private final Workers workers = new Workers();

	RedissonStreamClient(RedisServer server, Setup setup, OrderHandler handler) {
		this.server = server;
		this.redisson = RedissonClients.connect(server, setup);
		this.setup = setup;
		this.handler = handler;
		this.stream = stream(setup.queue());
		for (String name : setup.names()) {
			stream(name).createGroup(StreamCreateGroupArgs.name(GROUP).id(StreamMessageId.ALL).makeStream());
		}
	}

	private RStream<String, Order> stream(String name) {
		return this.redisson.getStream(name, RedissonClients.ORDERS);
	}

	@Override
	public void send(Order order) {
		this.stream.add(StreamAddArgs.entry("order", order));
	}

	@Override
	public CompletionStage<?> sendAsync(Order order) {
		return this.stream.addAsync(StreamAddArgs.entry("order", order));
	}

	@Override
	public void sendAll(List<Order> orders) {
		RBatch batch = this.redisson.createBatch(BatchOptions.defaults());
		for (Order order : orders) {
			batch.<String, Order>getStream(this.setup.queue(), RedissonClients.ORDERS)
				.addAsync(StreamAddArgs.entry("order", order));
		}
		batch.execute();
	}

	@Override
	public void listen() {
		for (String name : this.setup.names()) {
			RStream<String, Order> source = stream(name);
			for (int i = 0; i < this.setup.concurrency(); i++) {
				String consumer = "consumer-" + i;
				this.workers.start(() -> read(source, consumer));
			}
		}
	}

	private void read(RStream<String, Order> source, String consumer) {
		Map<StreamMessageId, Map<String, Order>> entries = source.readGroup(GROUP, consumer,
				StreamReadGroupArgs.neverDelivered().count(100).timeout(WAIT));
		if (entries == null || entries.isEmpty()) {
			return;
		}
		entries.values().forEach((entry) -> entry.values().forEach(this.handler));
		source.ack(GROUP, entries.keySet().toArray(new StreamMessageId[0]));
	}

	@Override
	public long left() {
		this.workers.check();
		return RedisCommands.unacknowledged(this.server, this.setup.queue());
	}

	@Override
	public void close() {
		this.workers.close();
		this.redisson.shutdown();
	}

}
