package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.redelay.benchmarks.BareScripts;
import io.redelay.embedded.redis.RedisServer;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * What no queue on scripts can be better than: bare scripts through Redisson, and one
 * thread that asks again and again without a pause, and handles what it gets.
 */
final class LimitClient implements Client {

	private static final int BATCH = 100;

	private final RedisServer server;

	private final RedissonClient redisson;

	private final BareScripts scripts;

	private final BareSchedule schedule;

	private final OrderHandler handler;

	private final JsonMapper mapper = JsonMapper.shared();

	private final Workers workers = new Workers();

	private volatile boolean delayed;

	LimitClient(RedisServer server, Setup setup, OrderHandler handler) {
		if (setup.queues() > 1) {
			throw new NotOfferedException("one queue only");
		}
		this.server = server;
		this.redisson = RedissonClients.connect(server, setup);
		this.scripts = new BareScripts(this.redisson, "limit", new byte[0]);
		this.schedule = new BareSchedule(this.redisson);
		this.handler = handler;
	}

	@Override
	public void send(Order order) {
		this.scripts.send(List.of(write(order))).join();
	}

	@Override
	public CompletionStage<?> sendAsync(Order order) {
		return this.scripts.send(List.of(write(order)));
	}

	@Override
	public void sendAll(List<Order> orders) {
		this.scripts.send(orders.stream().map(this::write).toList()).join();
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		sendAllLater(List.of(order), delay);
	}

	@Override
	public void sendAllLater(List<Order> orders, Duration delay) {
		this.delayed = true;
		this.schedule.send(orders.stream().map(this::write).toList(), delay);
	}

	@Override
	public void listen() {
		Loop loop = new Loop();
		this.workers.start(() -> loop.turn(this.delayed));
	}

	@Override
	public long left() {
		this.workers.check();
		return RedisCommands.count(this.server, "HLEN", "limit:{bare}:messages");
	}

	@Override
	public void close() {
		this.workers.close();
		this.redisson.shutdown();
	}

	private byte[] write(Order order) {
		return this.mapper.writeValueAsBytes(order);
	}

	/**
	 * Acknowledges what it took before with what it takes now.
	 */
	private final class Loop {

		private List<Object> finished = List.of();

		void turn(boolean delayed) {
			List<Object> reply = delayed ? LimitClient.this.schedule.claim(BATCH, this.finished)
					: LimitClient.this.scripts.claim(BATCH, this.finished);
			int count = reply.size() / 2;
			for (Object body : reply.subList(0, count)) {
				LimitClient.this.handler.accept(LimitClient.this.mapper.readValue((byte[]) body, Order.class));
			}
			this.finished = reply.subList(count, reply.size());
		}

	}

}
