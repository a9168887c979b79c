package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Redelay in a Spring Boot application: a template, and an annotated method.
 */
final class RedelayClient implements Client {

	private final RedisServer server;

	private final String queue;

	private final ConfigurableApplicationContext context;

	private final QueueTemplate template;

	RedelayClient(RedisServer server, Setup setup, OrderHandler handler) {
		this.server = server;
		this.queue = setup.queue();
		this.context = Applications.start(Application.class, server, setup, handler,
				"redelay.queue.listener.auto-startup=false",
				"redelay.queue.listener.concurrency=" + setup.concurrency());
		this.template = this.context.getBean(QueueTemplate.class);
	}

	@Override
	public void send(Order order) {
		this.template.send(this.queue, order);
	}

	@Override
	public CompletionStage<?> sendAsync(Order order) {
		return this.template.sendAsync(OutboundMessage.to(this.queue, order));
	}

	@Override
	public void sendAll(List<Order> orders) {
		this.template.sendAll(orders.stream().map((order) -> OutboundMessage.to(this.queue, order)).toList());
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		this.template.send(this.queue, order, delay);
	}

	@Override
	public void sendAllLater(List<Order> orders, Duration delay) {
		this.template
			.sendAll(orders.stream().map((order) -> OutboundMessage.to(this.queue, order).delay(delay)).toList());
	}

	@Override
	public void listen() {
		this.context.getBean(QueueListenerEndpointRegistry.class)
			.getContainers()
			.forEach(QueueListenerContainer::start);
	}

	@Override
	public long left() {
		return RedisCommands.count(this.server, "HLEN", "redelay:{" + this.queue + "}:messages");
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { Applications.RQUEUE, Applications.RQUEUE_METRICS })
	@Import(Listener.class)
	static class Application {

	}

	static class Listener {

		private final OrderHandler handler;

		Listener(OrderHandler handler) {
			this.handler = handler;
		}

		@QueueListener("${benchmark.queues}")
		void handle(Order order) {
			this.handler.accept(order);
		}

	}

}
