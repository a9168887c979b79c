package io.redelay.benchmarks.peers.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.redelay.embedded.redis.RedisServer;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.connection.stream.StreamRecords;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamMessageListenerContainerOptions;

/**
 * A stream through spring-data-redis: its listener container with one consumer for each
 * handler, which acknowledges an entry when it has handled it.
 */
final class SpringStreamClient implements Client {

	private static final String GROUP = "benchmark";

	private static final String FIELD = "order";

	private static final Duration WAIT = Duration.ofSeconds(1);

	private final RedisServer server;

	private final Setup setup;

	private final OrderHandler handler;

	private final JsonMapper mapper = JsonMapper.shared();

	private final ConfigurableApplicationContext context;

	private final StringRedisTemplate template;

	private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("stream-");

	private final StreamMessageListenerContainer<String, MapRecord<String, String, String>> container;

	SpringStreamClient(RedisServer server, Setup setup, OrderHandler handler) {
		this.server = server;
		this.setup = setup;
		this.handler = handler;
		// Its threads read until they see that they are to stop, for which they need
		// their connection.
		this.threads.setTaskTerminationTimeout(WAIT.multipliedBy(10).toMillis());
		this.context = Applications.start(Application.class, server, setup, handler);
		this.template = this.context.getBean(StringRedisTemplate.class);
		setup.names().forEach((name) -> this.template.opsForStream().createGroup(name, ReadOffset.from("0"), GROUP));
		this.container = StreamMessageListenerContainer.create(this.context.getBean(RedisConnectionFactory.class),
				StreamMessageListenerContainerOptions.builder()
					.batchSize(100)
					.pollTimeout(WAIT)
					.executor(this.threads)
					.build());
	}

	@Override
	public void send(Order order) {
		this.template.opsForStream()
			.add(StreamRecords.string(Map.of(FIELD, write(order))).withStreamKey(this.setup.queue()));
	}

	@Override
	@SuppressWarnings("NullAway") // it does not know yet that this callback may return
									// null
	public void sendAll(List<Order> orders) {
		this.template.executePipelined((RedisCallback<?>) (connection) -> {
			add(connection, orders);
			return null;
		});
	}

	private void add(RedisConnection connection, List<Order> orders) {
		byte[] key = bytes(this.setup.queue());
		byte[] field = bytes(FIELD);
		for (Order order : orders) {
			connection.streamCommands().xAdd(key, Map.of(field, this.mapper.writeValueAsBytes(order)));
		}
	}

	@Override
	public void listen() {
		for (String name : this.setup.names()) {
			for (int i = 0; i < this.setup.concurrency(); i++) {
				this.container.receive(Consumer.from(GROUP, "consumer-" + i),
						StreamOffset.create(name, ReadOffset.lastConsumed()), this::handle);
			}
		}
		this.container.start();
	}

	private void handle(MapRecord<String, String, String> entry) {
		this.handler.accept(this.mapper.readValue(entry.getValue().get(FIELD), Order.class));
		this.template.opsForStream().acknowledge(GROUP, entry);
	}

	@Override
	public long left() {
		return RedisCommands.unacknowledged(this.server, this.setup.queue());
	}

	@Override
	public void close() {
		this.container.stop();
		this.threads.close();
		this.context.close();
	}

	private String write(Order order) {
		return this.mapper.writeValueAsString(order);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	static class Application {

	}

}
