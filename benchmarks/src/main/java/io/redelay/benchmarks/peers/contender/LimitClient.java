package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.redelay.benchmarks.BareScripts;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

/**
 * What no queue on scripts can be better than: bare scripts through Redisson, and one
 * thread that asks again and again without a pause, and handles what it gets. Or one that
 * sleeps while there is nothing, as a queue must that is not to keep a processor busy,
 * and is woken by a message that is published.
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

	private final @Nullable Semaphore bell;

	private volatile boolean delayed;

	private LimitClient(RedisServer server, Setup setup, OrderHandler handler, @Nullable Semaphore bell) {
		if (setup.queues() > 1) {
			throw new NotOfferedException("one queue only");
		}
		this.server = server;
		this.redisson = RedissonClients.connect(server, setup);
		this.bell = bell;
		this.scripts = new BareScripts(this.redisson, "limit", new byte[0], bell != null);
		this.schedule = new BareSchedule(this.redisson);
		this.handler = handler;
	}

	static LimitClient polling(RedisServer server, Setup setup, OrderHandler handler) {
		return new LimitClient(server, setup, handler, null);
	}

	static LimitClient sleeping(RedisServer server, Setup setup, OrderHandler handler) {
		return new LimitClient(server, setup, handler, new Semaphore(0));
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
		if (this.bell != null) {
			throw new NotOfferedException("no delays");
		}
		this.delayed = true;
		this.schedule.send(orders.stream().map(this::write).toList(), delay);
	}

	@Override
	public void listen() {
		Semaphore bell = this.bell;
		if (bell != null) {
			this.redisson.getTopic(this.scripts.channel(), StringCodec.INSTANCE)
				.addListener(String.class, (channel, message) -> bell.release());
		}
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

		void turn(boolean delayed) throws InterruptedException {
			List<Object> reply = delayed ? LimitClient.this.schedule.claim(BATCH, this.finished)
					: LimitClient.this.scripts.claim(BATCH, this.finished);
			int count = reply.size() / 2;
			for (Object body : reply.subList(0, count)) {
				LimitClient.this.handler.accept(LimitClient.this.mapper.readValue((byte[]) body, Order.class));
			}
			this.finished = reply.subList(count, reply.size());
			Semaphore bell = LimitClient.this.bell;
			if (bell != null && count == 0) {
				bell.tryAcquire(1, TimeUnit.SECONDS);
				bell.drainPermits();
			}
		}

	}

}
