package io.redelay.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.guard.UnsuitableRedisException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Integration tests for the beans that an application has for a further server.
 */
class FurtherServerIntegrationTests {

	private static final String QUEUE = TestRedis.queue();

	private final RedisServer own = RedisServer.start();

	private final RedisServer other = RedisServer.start();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
				QueueAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class))
		.withUserConfiguration(Other.class)
		.withPropertyValues("spring.data.redis.url=" + this.own.uri(), "other.url=" + this.other.uri(),
				"test.queue=" + QUEUE);

	@AfterEach
	void endServers() {
		this.own.close();
		this.other.close();
	}

	@Test
	void sendsAndListensThere() {
		this.runner.withBean(Listener.class).run((context) -> {
			context.getBean(QueueServer.class).template().send(QUEUE, "there");
			assertThat(context.getBean(Listener.class).received.poll(20, TimeUnit.SECONDS)).isEqualTo("there");
			assertThat(context.getBean(QueueAdmin.class).queues().names()).doesNotContain(QUEUE);
			assertThat((List<?>) this.own.command("KEYS", "redelay:{" + QUEUE + "}*")).isEmpty();
		});
	}

	@Test
	void hasAllParts() {
		this.runner.run((context) -> {
			QueueServer server = context.getBean(QueueServer.class);
			server.bundles()
				.send(BundleCallback.to("ended"),
						List.of(OutboundMessage.to(QUEUE, "first"), OutboundMessage.to(QUEUE, "second")));
			// An outbox has them until they are relayed.
			Awaitility.await()
				.ignoreExceptionsInstanceOf(UnknownQueueException.class)
				.until(() -> server.admin().queues().info(QUEUE).ready() == 2);
			server.gates().close(QUEUE, Duration.ofMinutes(1));
			server.recurring().declare(RecurringDeclaration.cron(QUEUE, "daily", "@daily"));
			assertThat(server.recurring().list()).hasSize(1);
			assertThat(context.getBean(RecurringMessages.class).list()).isEmpty();
			assertThat(context.getBean(QueueAdmin.class).queues().names()).doesNotContain(QUEUE);
		});
	}

	@Test
	void nothingIsLeftOfAServerThatRefusesThisVersion() {
		try (RedisServer refusing = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(refusing.uri());
			refusing.command("HSET", "redelay:wire", "99", "99 1700000000000 new");
			this.runner.run((context) -> {
				QueueServerFactory factory = context.getBean(QueueServerFactory.class);
				List<ConfigurableApplicationContext> begun = new ArrayList<>();
				List<ConfigurableApplicationContext> servers = new ArrayList<>() {

					@Override
					public boolean add(ConfigurableApplicationContext server) {
						return begun.add(server) && super.add(server);
					}

				};
				ReflectionTestUtils.setField(factory, "servers", servers);
				assertThatExceptionOfType(UnsuitableRedisException.class).isThrownBy(() -> factory.create(client));
				assertThat(begun).singleElement().satisfies((server) -> assertThat(server.isActive()).isFalse());
				assertThat(servers).isEmpty();
			});
			client.shutdown();
		}
	}

	@Test
	void givesEachPartOnce() {
		this.runner.run((context) -> {
			QueueServer server = context.getBean(QueueServer.class);
			assertThat(server.template()).isSameAs(server.template()).isNotSameAs(context.getBean(QueueTemplate.class));
			assertThat(server.containerFactory()).isSameAs(server.containerFactory());
			assertThat(server.admin()).isSameAs(server.admin()).isNotSameAs(context.getBean(QueueAdmin.class));
		});
	}

	@Test
	void doesNotTakePrimaryBeansOfTheApplication() {
		QueueOperations operations = mock(QueueOperations.class);
		this.runner.withBean("mine", QueueOperations.class, () -> operations, (bean) -> bean.setPrimary(true))
			.withBean("myClient", RedissonClient.class, () -> TestRedis.connect(this.own.uri(), Duration.ofSeconds(3)),
					(bean) -> {
						bean.setPrimary(true);
						bean.setDestroyMethodName("shutdown");
					})
			.run((context) -> {
				assertThat(context.getBean(QueueOperations.class)).isSameAs(operations);
				QueueServer server = context.getBean(QueueServer.class);
				server.template().send(QUEUE, "there");
				assertThat(server.admin().queues().info(QUEUE).ready()).isOne();
			});
	}

	@Test
	void isNotSeenByListenersToTheEventsOfTheApplication() {
		this.runner.withBean(Refreshes.class)
			.run((context) -> assertThat(context.getBean(Refreshes.class).count).isOne());
	}

	@Test
	void writesTheHistoryThere() {
		this.runner.run((context) -> {
			QueueServer server = context.getBean(QueueServer.class);
			server.template().send(QUEUE, "there");
			await().atMost(Duration.ofSeconds(20))
				.untilAsserted(() -> assertThat((List<?>) this.other.command("KEYS", "redelay:{" + QUEUE + "}:stats*"))
					.isNotEmpty());
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Other {

		@Bean(defaultCandidate = false, destroyMethod = "shutdown")
		RedissonClient otherClient(Environment environment) {
			return TestRedis.connect(environment.getRequiredProperty("other.url", URI.class), Duration.ofSeconds(3));
		}

		@Bean
		QueueServer otherServer(QueueServerFactory servers, @Qualifier("otherClient") RedissonClient client) {
			return servers.create(client);
		}

		@Bean(defaultCandidate = false)
		QueueListenerContainerFactory otherFactory(QueueServer otherServer) {
			return otherServer.containerFactory();
		}

	}

	static class Listener {

		private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

		@QueueListener(queues = "${test.queue}", containerFactory = "otherFactory")
		void handle(String payload) {
			this.received.add(payload);
		}

	}

	static class Refreshes {

		private int count;

		@EventListener
		void refreshed(ContextRefreshedEvent event) {
			this.count++;
		}

	}

}
