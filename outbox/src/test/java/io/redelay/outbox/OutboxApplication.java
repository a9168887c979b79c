package io.redelay.outbox;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.outbox.docs.PlacedOrders;
import io.redelay.outbox.docs.SafeCheckout;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application with an outbox.
 */
public final class OutboxApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private OutboxApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	public static Builder on(TestServers servers, String database) {
		return new Builder().with("spring.data.redis.url", servers.redis()).with("spring.datasource.url", database);
	}

	/**
	 * One whose servers its properties name.
	 */
	static Builder builder() {
		return new Builder();
	}

	String property(String name) {
		return this.context.getEnvironment().getRequiredProperty(name);
	}

	public OutboxOperations outbox() {
		return bean(OutboxOperations.class);
	}

	public OutboxAdmin admin() {
		return bean(OutboxAdmin.class);
	}

	public QueueAdmin queues() {
		return bean(QueueAdmin.class);
	}

	public JdbcClient jdbc() {
		return bean(JdbcClient.class);
	}

	public List<String> received() {
		return bean(Receiver.class).payloads;
	}

	public void inTransaction(Runnable action) {
		new TransactionTemplate(bean(PlatformTransactionManager.class)).executeWithoutResult((status) -> action.run());
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

	public static final class Builder {

		private final Map<String, Object> properties = new LinkedHashMap<>();

		private Builder() {
			with("redelay.outbox.initialize-schema", "always");
			with("redelay.queue.listener.enabled", "false");
			with("test.queue", "unused");
			with("logging.level.root", "warn");
			with("redelay.guard.persistence", "off");
			with("spring.datasource.hikari.maximum-pool-size", 4);
		}

		public Builder with(String property, Object value) {
			this.properties.put(property, value.toString());
			return this;
		}

		/**
		 * Has it listen to a queue.
		 */
		public Builder listeningTo(String queue) {
			return with("test.queue", queue).with("redelay.queue.listener.enabled", "true");
		}

		public OutboxApplication start(Class<?>... sources) {
			return new OutboxApplication(new SpringApplicationBuilder(Wiring.class).sources(sources)
				.web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.logStartupInfo(false)
				.registerShutdownHook(false)
				.properties(this.properties)
				.run());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Receiver.class, PlacedOrders.class, SafeCheckout.class })
	static class Wiring {

	}

	static class Receiver {

		private final List<String> payloads = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${test.queue}", concurrency = "1")
		void receive(String payload, @Header(QueueHeaders.ID) String id) {
			this.payloads.add(payload);
		}

	}

}
