package io.redelay.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

import io.redelay.lock.LockAdmin;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.actuate.DashboardEndpoint;
import io.redelay.queue.actuate.LocksEndpoint;
import io.redelay.queue.actuate.QueueList;
import io.redelay.queue.actuate.QueuesEndpoint;
import io.redelay.queue.actuate.QueuesWebExtension;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueSnapshots;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for when there are endpoints.
 */
class QueueEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(QueueEndpointAutoConfiguration.class, LockEndpointAutoConfiguration.class))
		.withBean(QueueAdmin.class, () -> none(QueueAdmin.class))
		.withBean(QueueSnapshots.class, () -> () -> new QueueSnapshots.Look(Instant.EPOCH, Map.of(), Set.of("broken")))
		.withBean(LockAdmin.class, () -> none(LockAdmin.class))
		.withBean(PayloadMasker.class, () -> (payload, contentType) -> "");

	@Test
	void nothingIsExposedByDefault() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(QueuesEndpoint.class)
			.doesNotHaveBean(QueuesWebExtension.class)
			.doesNotHaveBean(LocksEndpoint.class)
			.doesNotHaveBean(DashboardEndpoint.class));
	}

	@Test
	void eachEndpointIsThereIfItIsExposed() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=queues")
			.run((context) -> assertThat(context).hasSingleBean(QueuesEndpoint.class)
				.hasSingleBean(QueuesWebExtension.class)
				.doesNotHaveBean(LocksEndpoint.class)
				.doesNotHaveBean(DashboardEndpoint.class));
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=locks,redelay")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(DashboardEndpoint.class)
				.doesNotHaveBean(QueuesEndpoint.class));
	}

	@Test
	void locksAreNotShownWhereThereAreNone() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(QueueEndpointAutoConfiguration.class, LockEndpointAutoConfiguration.class))
			.withBean(QueueAdmin.class, () -> none(QueueAdmin.class))
			.withBean(QueueSnapshots.class, () -> () -> new QueueSnapshots.Look(Instant.EPOCH, Map.of()))
			.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void locksAreShownWithoutQueues() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, QueueAutoConfiguration.class,
					QueueEndpointAutoConfiguration.class, LockEndpointAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> none(RedissonClient.class))
			.withPropertyValues("redelay.queue.enabled=false", "management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LocksEndpoint.class)
				.doesNotHaveBean(QueuesEndpoint.class));
	}

	@Test
	void isNotThereWithoutAccess() {
		this.runner
			.withPropertyValues("management.endpoints.web.exposure.include=*", "management.endpoint.queues.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(QueuesEndpoint.class)
				.doesNotHaveBean(QueuesWebExtension.class));
	}

	@Test
	void showsQueuesOverJmx() {
		this.runner.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=queues")
			.run((context) -> {
				assertThat(context).hasSingleBean(QueuesEndpoint.class).doesNotHaveBean(QueuesWebExtension.class);
				assertThat(context.getBean(QueuesEndpoint.class).queues()).isInstanceOfSatisfying(QueueList.class,
						(list) -> assertThat(list.failed()).containsExactly("broken"));
			});
	}

	@Test
	void isNotThereWithoutTheActuator() {
		this.runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("queuesEndpoint"));
	}

	@Test
	void isNotThereWithoutQueues() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(QueuesEndpoint.class));
	}

	private static <T> T none(Class<T> type) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				if (method.getName().equals("queues")) {
					return none(QueueInspector.class);
				}
				if (method.getName().equals("histories")) {
					return Map.of();
				}
				if (method.getName().equals("now")) {
					return Instant.EPOCH;
				}
				if (method.getName().equals("getId")) {
					return "client";
				}
				throw new UnsupportedOperationException(method.getName());
			}));
	}

}
