package io.redelay.benchmarks.peers.contender;

import java.util.List;

import io.redelay.embedded.redis.RedisServer;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * A Spring Boot application that has no queue: what it costs while it is idle is not a
 * queue's. The one message that shows that there is somebody to handle it goes no further
 * than to its handler.
 */
final class NoQueueClient implements Client {

	private final ConfigurableApplicationContext context;

	private final OrderHandler handler;

	NoQueueClient(RedisServer server, Setup setup, OrderHandler handler) {
		this.context = Applications.start(Application.class, server, setup, handler);
		this.handler = handler;
	}

	@Override
	public void sendAll(List<Order> orders) {
		if (orders.size() > 1) {
			throw new NotOfferedException("no queue");
		}
		orders.forEach(this.handler);
	}

	@Override
	public void listen() {
	}

	@Override
	public long left() {
		return 0;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { Applications.RQUEUE, Applications.RQUEUE_METRICS,
			Applications.REDELAY_CLIENT, Applications.REDELAY_QUEUE, Applications.REDELAY_LOCK })
	static class Application {

	}

}
