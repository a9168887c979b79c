package io.redelay.migration;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.apache.qpid.server.SystemLauncher;
import org.apache.qpid.server.SystemLauncherListener.DefaultSystemLauncherListener;
import org.apache.qpid.server.model.Port;
import org.apache.qpid.server.model.SystemConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.amqp.core.Binding;
import org.springframework.amqp.core.BindingBuilder;
import org.springframework.amqp.core.DirectExchange;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Messages leave a broker that speaks RabbitMQ's protocol for a queue of Redelay. It has
 * no exchange that delays: the messages are those that such an exchange has let go.
 */
@EnabledForJreRange(max = JRE.JAVA_23, disabledReason = "The broker needs what JDK 24 took away")
class RabbitOrdersIntegrationTests {

	private static final SystemLauncher broker = new SystemLauncher(new DefaultSystemLauncherListener() {

		@Override
		public void onContainerResolve(SystemConfig<?> config) {
			system = config;
		}

	});

	private static SystemConfig<?> system;

	private static final Collection<String> handled = new ConcurrentLinkedQueue<>();

	private static RedisServer redis;

	private static int port;

	@BeforeAll
	static void start() throws Exception {
		redis = RedisServer.start();
		broker.startup(Map.of(SystemConfig.TYPE, "Memory", SystemConfig.INITIAL_CONFIGURATION_LOCATION,
				RabbitOrdersIntegrationTests.class.getResource("/qpid.json").toExternalForm(),
				SystemConfig.STARTUP_LOGGED_TO_SYSTEM_OUT, false));
		port = system.getContainer().getChildren(Port.class).iterator().next().getBoundPort();
	}

	@AfterAll
	static void stop() {
		broker.shutdown();
		redis.close();
	}

	@Test
	void whatIsSentAgainAfterACrashIsHandledOnce() {
		List<String> orders = IntStream.range(0, 100).mapToObj((i) -> "order-" + i).toList();
		try (ConfigurableApplicationContext old = start(Old.class)) {
			RabbitSender sender = new RabbitSender(old.getBean(RabbitTemplate.class));
			orders.forEach(sender::start);
		}
		try (ConfigurableApplicationContext first = start(Old.class, Moving.class)) {
			AtomicInteger sends = first.getBean(Moving.class).sends;
			await().until(() -> sends.get() > 50);
		}
		try (ConfigurableApplicationContext second = start(Old.class, Moving.class)) {
			QueueAdmin admin = second.getBean(QueueAdmin.class);
			await().until(() -> second.getBean(RabbitTemplate.class)
				.execute((channel) -> channel.messageCount("payment-timeout")) == 0);
			await().until(() -> admin.queues().info("payment-timeout").ready() == 0
					&& admin.queues().info("payment-timeout").inFlight() == 0);
		}
		assertThat(handled).containsExactlyInAnyOrderElementsOf(orders);
	}

	private static ConfigurableApplicationContext start(Class<?>... sources) {
		return new SpringApplicationBuilder(sources).run("--spring.data.redis.url=" + redis.uri(),
				"--spring.rabbitmq.port=" + port, "--spring.rabbitmq.virtual-host=default",
				"--spring.rabbitmq.listener.simple.prefetch=10", "--logging.level.root=error",
				"--logging.level.org.springframework.amqp=off");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Old {

		@Bean
		DirectExchange exchange() {
			return new DirectExchange("delayed");
		}

		@Bean
		Queue queue() {
			return new Queue("payment-timeout");
		}

		@Bean
		Binding binding(Queue queue, DirectExchange exchange) {
			return BindingBuilder.bind(queue).to(exchange).with("payment-timeout");
		}

		@Bean
		JacksonJsonMessageConverter converter() {
			return new JacksonJsonMessageConverter();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Moving {

		private final AtomicInteger sends = new AtomicInteger();

		/**
		 * Each third send reaches Redis, and its outcome is not known.
		 */
		@Bean
		RabbitOrders orders(QueueOperations queues) {
			return new RabbitOrders(new Sends((message) -> queues.sendAsync(message).thenApply((result) -> {
				if (this.sends.incrementAndGet() % 3 == 0) {
					throw new MessageSendException("crashed", null);
				}
				return result;
			})));
		}

		@QueueListener("payment-timeout")
		void handle(TimeIsUp timeIsUp) {
			handled.add(timeIsUp.orderId());
		}

	}

}
