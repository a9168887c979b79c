package io.redelay.benchmarks.peers.contender;

import java.time.Duration;

import com.github.sonus21.rqueue.annotation.RqueueListener;
import com.github.sonus21.rqueue.config.SimpleRqueueListenerContainerFactory;
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import com.github.sonus21.rqueue.listener.RqueueMessageListenerContainer;
import io.redelay.embedded.redis.RedisServer;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Rqueue in a Spring Boot application: its enqueuer, and an annotated method.
 */
final class RqueueClient implements Client {

	/**
	 * Needs classes of Spring Boot 3.
	 */
	private static final String METRICS = "com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig";

	/**
	 * It looks for a newer version of itself in the network.
	 */
	private static final String NO_NETWORK = "rqueue.latest.version.check.enabled=false";

	private final RedisServer server;

	private final String queue;

	private final ConfigurableApplicationContext context;

	private final RqueueMessageEnqueuer enqueuer;

	private RqueueClient(RedisServer server, Setup setup, OrderHandler handler, Class<?> application,
			String... properties) {
		this.server = server;
		this.queue = setup.queue();
		this.context = Applications.start(application, server, setup, handler, properties);
		this.enqueuer = this.context.getBean(RqueueMessageEnqueuer.class);
	}

	/**
	 * With the settings that it has by itself.
	 */
	static RqueueClient asItComes(RedisServer server, Setup setup, OrderHandler handler) {
		return new RqueueClient(server, setup, handler, AsItComes.class, NO_NETWORK);
	}

	/**
	 * Without a record of each job, asking each millisecond, and with a connection for
	 * each thread.
	 */
	static RqueueClient atItsBest(RedisServer server, Setup setup, OrderHandler handler) {
		return new RqueueClient(server, setup, handler, AtItsBest.class, NO_NETWORK, "rqueue.job.enabled=false",
				"rqueue.web.collect.listener.stats=false", "spring.data.redis.lettuce.pool.enabled=true",
				"spring.data.redis.lettuce.pool.max-active=64", "spring.data.redis.lettuce.pool.max-idle=64");
	}

	@Override
	public void send(Order order) {
		if (this.enqueuer.enqueue(this.queue, order) == null) {
			throw new IllegalStateException("Rqueue did not take a message");
		}
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		if (this.enqueuer.enqueueIn(this.queue, order, delay) == null) {
			throw new IllegalStateException("Rqueue did not take a message");
		}
	}

	@Override
	public void listen() {
		this.context.getBean(RqueueMessageListenerContainer.class).start();
	}

	@Override
	public long left() {
		return RedisCommands.count(this.server, "LLEN", "__rq::queue::{" + this.queue + "}")
				+ RedisCommands.count(this.server, "ZCARD", "__rq::p-queue::{" + this.queue + "}");
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { Applications.REDELAY_CLIENT, Applications.REDELAY_QUEUE,
			Applications.REDELAY_LOCK, RqueueClient.METRICS })
	@Import(Listener.class)
	static class AsItComes {

		@Bean
		SimpleRqueueListenerContainerFactory simpleRqueueListenerContainerFactory() {
			SimpleRqueueListenerContainerFactory factory = new SimpleRqueueListenerContainerFactory();
			factory.setAutoStartup(false);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { Applications.REDELAY_CLIENT, Applications.REDELAY_QUEUE,
			Applications.REDELAY_LOCK, RqueueClient.METRICS })
	@Import(ConcurrentListener.class)
	static class AtItsBest {

		@Bean
		SimpleRqueueListenerContainerFactory simpleRqueueListenerContainerFactory() {
			SimpleRqueueListenerContainerFactory factory = new SimpleRqueueListenerContainerFactory();
			factory.setAutoStartup(false);
			factory.setPollingInterval(1);
			return factory;
		}

	}

	static class Listener {

		private final OrderHandler handler;

		Listener(OrderHandler handler) {
			this.handler = handler;
		}

		@RqueueListener("${benchmark.queues}")
		public void handle(Order order) {
			this.handler.accept(order);
		}

	}

	static class ConcurrentListener {

		private final OrderHandler handler;

		ConcurrentListener(OrderHandler handler) {
			this.handler = handler;
		}

		@RqueueListener(value = "${benchmark.queues}", concurrency = "${benchmark.concurrency}")
		public void handle(Order order) {
			this.handler.accept(order);
		}

	}

}
