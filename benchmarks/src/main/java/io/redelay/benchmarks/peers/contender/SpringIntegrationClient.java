package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.redelay.embedded.redis.RedisServer;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.handler.DelayHandler;
import org.springframework.integration.redis.inbound.RedisQueueMessageDrivenEndpoint;
import org.springframework.integration.redis.outbound.RedisQueueOutboundChannelAdapter;
import org.springframework.integration.redis.store.RedisMessageStore;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.support.GenericMessage;

/**
 * Spring Integration: its channel adapters for a list in Redis, one that reads for each
 * handler, and its delayer with a store in Redis. They have no acknowledgements.
 */
final class SpringIntegrationClient implements Client {

	private static final JsonMapper MAPPER = JsonMapper.shared();

	private final RedisServer server;

	private final Setup setup;

	private final ConfigurableApplicationContext context;

	private final MessageHandler sending;

	private final MessageHandler delaying;

	private final List<RedisQueueMessageDrivenEndpoint> endpoints = new ArrayList<>();

	SpringIntegrationClient(RedisServer server, Setup setup, OrderHandler handler) {
		if (setup.queues() > 1) {
			throw new NotOfferedException("measured with one queue only");
		}
		this.server = server;
		this.setup = setup;
		this.context = Applications.start(Application.class, server, setup, handler);
		this.sending = this.context.getBean("sending", MessageHandler.class);
		this.delaying = this.context.getBean("delaying", MessageHandler.class);
	}

	@Override
	public void send(Order order) {
		this.sending.handleMessage(new GenericMessage<>(MAPPER.writeValueAsBytes(order)));
	}

	@Override
	public void sendLater(Order order, Duration delay) {
		this.delaying.handleMessage(
				new GenericMessage<>(MAPPER.writeValueAsBytes(order), Map.of(Application.DELAY, delay.toMillis())));
	}

	@Override
	public void listen() {
		RedisConnectionFactory connections = this.context.getBean(RedisConnectionFactory.class);
		OrderHandler handler = this.context.getBean(OrderHandler.class);
		DirectChannel channel = this.context.getBean("received", DirectChannel.class);
		channel.subscribe((message) -> handler.accept(MAPPER.readValue((byte[]) message.getPayload(), Order.class)));
		for (int i = 0; i < this.setup.concurrency(); i++) {
			RedisQueueMessageDrivenEndpoint endpoint = new RedisQueueMessageDrivenEndpoint(this.setup.queue(),
					connections);
			endpoint.setSerializer(RedisSerializer.byteArray());
			endpoint.setOutputChannel(channel);
			endpoint.setBeanFactory(this.context.getBeanFactory());
			endpoint.afterPropertiesSet();
			endpoint.start();
			this.endpoints.add(endpoint);
		}
	}

	@Override
	public long left() {
		return RedisCommands.count(this.server, "LLEN", this.setup.queue());
	}

	@Override
	public void close() {
		this.endpoints.forEach(RedisQueueMessageDrivenEndpoint::stop);
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	static class Application {

		static final String DELAY = "delay";

		@Bean
		DirectChannel received() {
			return new DirectChannel();
		}

		@Bean
		DirectChannel due(MessageHandler sending) {
			DirectChannel channel = new DirectChannel();
			channel.subscribe(sending);
			return channel;
		}

		@Bean
		RedisQueueOutboundChannelAdapter sending(RedisConnectionFactory connections) {
			RedisQueueOutboundChannelAdapter adapter = new RedisQueueOutboundChannelAdapter("orders-0", connections);
			adapter.setSerializer(RedisSerializer.byteArray());
			return adapter;
		}

		@Bean
		DelayHandler delaying(RedisConnectionFactory connections, DirectChannel due) {
			DelayHandler delayer = new DelayHandler("delayed");
			delayer.setDelayExpressionString("headers." + DELAY);
			delayer.setMessageStore(new RedisMessageStore(connections));
			delayer.setOutputChannel(due);
			return delayer;
		}

	}

}
