package io.redelay.modulith;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Events of Spring Modulith on their way to a queue.
 */
class EventExternalizationIntegrationTests {

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Test
	void anEventOfACommittedTransactionIsDeliveredAndAFailedOneWhenItIsResubmitted() {
		try (ConfigurableApplicationContext application = start("module-listener")) {
			Receiver receiver = application.getBean(Receiver.class);
			publish(application, new OrderPlaced("undone", "c"), (status) -> status.setRollbackOnly());
			publish(application, new OrderPlaced("o-1", "c"), (status) -> {
			});
			Awaitility.await()
				.untilAsserted(() -> assertThat(receiver.orders).containsExactly(new OrderPlaced("o-1", "c")));
			assertThat(receiver.keys).containsExactly("c");
			QueueAdmin admin = application.getBean(QueueAdmin.class);
			admin.control().close("modulith-orders");
			publish(application, new OrderPlaced("o-2", "c"), (status) -> {
			});
			Awaitility.await().until(() -> publications(application, "FAILED") == 1);
			admin.control().reopen("modulith-orders");
			application.getBean(FailedEventPublications.class).resubmit(ResubmissionOptions.defaults());
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(receiver.orders).extracting(OrderPlaced::id).containsExactly("o-1", "o-2"));
			Awaitility.await().until(() -> publications(application, "COMPLETED") == 2);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "module-listener", "outbox" })
	void anEventWithATopicReachesItsGroups(String mode) {
		try (ConfigurableApplicationContext application = start(mode)) {
			publish(application, new OrderPaid("o-1"), (status) -> {
			});
			Receiver receiver = application.getBean(Receiver.class);
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(receiver.paid).containsExactlyInAnyOrder("billing o-1", "shipping o-1"));
		}
	}

	@Test
	void anEventGoesThroughTheOutboxIfThatIsTheMode() {
		try (ConfigurableApplicationContext application = start("outbox")) {
			Receiver receiver = application.getBean(Receiver.class);
			publish(application, new OrderPlaced("undone", "c"), (status) -> status.setRollbackOnly());
			publish(application, new OrderPlaced("o-1", "c"),
					(status) -> assertThat(application.getBean(JdbcClient.class)
						.sql("SELECT ordering_key FROM redelay_outbox")
						.query(String.class)
						.list()).containsExactly("c"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(receiver.orders).containsExactly(new OrderPlaced("o-1", "c")));
			assertThat(publications(application, "COMPLETED")).as("Modulith keeps none").isZero();
			assertThatIllegalStateException().as("without a transaction").isThrownBy(() -> {
				try {
					application.publishEvent(new OrderPlaced("o-2", "c"));
				}
				catch (RuntimeException ex) {
					throw new IllegalStateException(ex);
				}
			}).havingRootCause().withMessageContaining("no transaction surrounds the call");
		}
	}

	@Test
	void theModeOfTheOutboxIsRefusedIfThereIsNone() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> start("outbox", "redelay.outbox.enabled=false").close())
			.havingRootCause()
			.withMessageContaining("'spring.modulith.events.externalization.mode' is 'outbox', and there is no outbox");
	}

	@Test
	void theModeOfTheOutboxIsRefusedIfItsModuleIsNotThere() {
		ClassLoader without = new FilteredClassLoader("io.redelay.outbox");
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(without);
		try {
			assertThatExceptionOfType(BeanCreationException.class)
				.isThrownBy(() -> application("outbox").resourceLoader(new DefaultResourceLoader(without))
					.properties("spring.autoconfigure.exclude=io.redelay.outbox.autoconfigure.OutboxAutoConfiguration")
					.run()
					.close())
				.havingRootCause()
				.withMessageContaining("there is no outbox of Redelay");
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static long publications(ConfigurableApplicationContext application, String status) {
		return application.getBean(JdbcClient.class)
			.sql("SELECT COUNT(*) FROM event_publication WHERE status = ?")
			.param(status)
			.query(Long.class)
			.single();
	}

	private static void publish(ConfigurableApplicationContext application, Object event,
			Consumer<org.springframework.transaction.TransactionStatus> then) {
		new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> {
				application.publishEvent(event);
				then.accept(status);
			});
	}

	private static ConfigurableApplicationContext start(String mode, String... properties) {
		ConfigurableApplicationContext application = application(mode).properties(properties).run();
		assertThat(application.getBean(QueueOperations.class)).isNotNull();
		return application;
	}

	private static SpringApplicationBuilder application(String mode) {
		return new SpringApplicationBuilder(Wiring.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + redis.uri(), "logging.level.root=warn",
					"spring.datasource.generate-unique-name=true",
					"spring.modulith.events.jdbc.schema-initialization.enabled=true",
					"spring.modulith.events.externalization.mode=" + mode, "redelay.queue.key-prefix=" + mode);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Receiver.class)
	static class Wiring {

	}

	static class Receiver {

		private final List<OrderPlaced> orders = new CopyOnWriteArrayList<>();

		private final List<String> keys = new CopyOnWriteArrayList<>();

		private final List<String> paid = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "modulith-payments", group = "billing")
		void bill(OrderPaid order) {
			this.paid.add("billing " + order.id());
		}

		@QueueListener(topic = "modulith-payments", group = "shipping")
		void ship(OrderPaid order) {
			this.paid.add("shipping " + order.id());
		}

		@QueueListener(queues = "modulith-orders", concurrency = "1")
		void receive(OrderPlaced order, @Header(io.redelay.queue.QueueHeaders.ORDERING_KEY) String key) {
			this.keys.add(key);
			this.orders.add(order);
		}

	}

}
