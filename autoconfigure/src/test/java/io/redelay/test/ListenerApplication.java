package io.redelay.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.QueueMetricsAutoConfiguration;
import io.redelay.autoconfigure.ReactiveQueueAutoConfiguration;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/**
 * An application with the beans and properties that a test gives it, on the Redis of the
 * test. Failed messages come back at once unless the test says otherwise.
 */
public final class ListenerApplication implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private ListenerApplication(ConfigurableApplicationContext context) {
		this.context = context;
	}

	public static Builder on(TestRedis redis) {
		return new Builder(redis.client());
	}

	public static Builder on(RedissonClient client) {
		return new Builder(client);
	}

	public QueueOperations queues() {
		return this.context.getBean(QueueOperations.class);
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	public ConfigurableApplicationContext context() {
		return this.context;
	}

	public QueueListenerEndpointRegistry registry() {
		return this.context.getBean(QueueListenerEndpointRegistry.class);
	}

	public QueueListenerContainer container() {
		return registry().getContainers().iterator().next();
	}

	@Override
	public void close() {
		this.context.close();
	}

	public static final class Builder {

		private final RedissonClient client;

		private final Map<String, Object> properties = new LinkedHashMap<>();

		private final List<Class<?>> sources = new ArrayList<>(List.of(Wiring.class));

		private final Map<String, Supplier<?>> beans = new LinkedHashMap<>();

		private final Map<String, Class<?>> types = new LinkedHashMap<>();

		private Builder(RedissonClient client) {
			this.client = client;
			with("redelay.queue.listener.backoff.initial-interval", "1ms");
			with("redelay.queue.listener.backoff.multiplier", "1");
			with("redelay.queue.listener.backoff.jitter", "0");
			with("spring.lifecycle.timeout-per-shutdown-phase", "10s");
		}

		/**
		 * Adds component classes or configurations.
		 */
		public Builder beans(Class<?>... sources) {
			this.sources.addAll(List.of(sources));
			return this;
		}

		public Builder bean(Object bean) {
			return bean(bean.getClass().getSimpleName(), bean);
		}

		public Builder bean(String name, Object bean) {
			this.beans.put(name, () -> bean);
			this.types.put(name, bean.getClass());
			return this;
		}

		public Builder with(String property, Object value) {
			this.properties.put(property, value.toString());
			return this;
		}

		public ListenerApplication start() {
			SpringApplicationBuilder application = new SpringApplicationBuilder(this.sources.toArray(Class<?>[]::new))
				.web(WebApplicationType.NONE)
				.bannerMode(org.springframework.boot.Banner.Mode.OFF)
				.logStartupInfo(false)
				.registerShutdownHook(false)
				.properties(this.properties)
				.initializers((context) -> register((GenericApplicationContext) context));
			if (this.properties.keySet().stream().noneMatch((name) -> name.startsWith("logging."))) {
				SharedLogging.keep(application);
			}
			return new ListenerApplication(application.run());
		}

		@SuppressWarnings("unchecked")
		private void register(GenericApplicationContext context) {
			// A singleton from outside is not shut down with the context.
			context.getBeanFactory().registerSingleton("redissonClient", this.client);
			this.beans.forEach((name, bean) -> context.registerBean(name, (Class<Object>) this.types.get(name),
					(Supplier<Object>) bean));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ QueueAutoConfiguration.class, ReactiveQueueAutoConfiguration.class,
			QueueMetricsAutoConfiguration.class, LifecycleAutoConfiguration.class,
			PropertyPlaceholderAutoConfiguration.class, JacksonAutoConfiguration.class,
			ValidationAutoConfiguration.class, AopAutoConfiguration.class, TransactionAutoConfiguration.class })
	static class Wiring {

	}

}
