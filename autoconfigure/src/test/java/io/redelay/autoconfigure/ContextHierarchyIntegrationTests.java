package io.redelay.autoconfigure;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.MyLock;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.listener.ListenerInfo;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.scheduling.QueueThreads;
import io.redelay.test.SharedLogging;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.mockito.Mockito;
import org.redisson.api.RedissonClient;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contexts with a parent: each has listeners and senders of its own.
 */
class ContextHierarchyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String parentQueue = TestRedis.queue();

	private final String childQueue = TestRedis.queue();

	private final List<ConfigurableApplicationContext> contexts = new CopyOnWriteArrayList<>();

	@AfterEach
	void closeAll() {
		for (int i = this.contexts.size() - 1; i >= 0; i--) {
			this.contexts.get(i).close();
		}
	}

	@Test
	void aChildThatIsClosedStopsItsListenersAndTheParentGoesOn() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Listener.class);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Listener.class);
		assertListens(parent, this.parentQueue);
		assertListens(child, this.childQueue);
		assertThat(ids(parent)).hasSize(1);
		assertThat(ids(child)).hasSize(1);
		Listener closed = child.getBean(Listener.class);
		child.close();
		parent.getBean(QueueOperations.class).send(this.childQueue, "late");
		assertListens(parent, this.parentQueue);
		assertThat(parent.getBean(QueueAdmin.class).queues().info(this.childQueue).ready()).isOne();
		assertThat(closed.handled).containsExactly("hello");
	}

	@Test
	void aParentThatIsClosedStopsItsListenersAndTheChildGoesOnWithAClientOfItsOwn() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Listener.class);
		ConfigurableApplicationContext child = run(builder(this.childQueue, Listener.class, OwnClient.class)
			// Spring Boot closes a child with its parent, if it knows of both.
			.initializers((context) -> context.setParent(parent)));
		assertListens(child, this.childQueue);
		Listener closed = parent.getBean(Listener.class);
		parent.close();
		child.getBean(QueueOperations.class).send(this.parentQueue, "late");
		assertListens(child, this.childQueue);
		assertThat(child.getBean(QueueAdmin.class).queues().info(this.parentQueue).ready()).isOne();
		assertThat(closed.handled).isEmpty();
	}

	@Test
	void aParentThatIsClosedWithItsChildrenStopsAllListeners() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Listener.class);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Listener.class);
		ConfigurableApplicationContext other = start(null, TestRedis.queue());
		assertListens(child, this.childQueue);
		parent.close();
		assertThat(child.isActive()).isFalse();
		for (String queue : List.of(this.parentQueue, this.childQueue)) {
			other.getBean(QueueOperations.class).send(queue, "late");
			assertThat(other.getBean(QueueAdmin.class).queues().info(queue).ready()).isOne();
		}
	}

	@Test
	void onlyTheParentListens() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Listener.class);
		ConfigurableApplicationContext child = start(parent, this.parentQueue);
		assertListens(parent, this.parentQueue);
		assertThat(ids(child)).isEmpty();
		child.getBean(QueueOperations.class).send(this.parentQueue, "from the child");
		Awaitility.await().until(() -> parent.getBean(Listener.class).handled.contains("from the child"));
		child.close();
		assertListens(parent, this.parentQueue);
	}

	@Test
	void onlyTheChildListensAndTheParentHasNothingOfQueues() {
		ConfigurableApplicationContext parent = new SpringApplicationBuilder(PropertyPlaceholderAutoConfiguration.class)
			.web(WebApplicationType.NONE)
			.run();
		this.contexts.add(parent);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Listener.class);
		assertListens(child, this.childQueue);
		child.close();
		assertThat(parent.isActive()).isTrue();
	}

	@Test
	void onlyTheChildListens() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue);
		ConfigurableApplicationContext first = start(parent, this.childQueue, Listener.class);
		assertListens(first, this.childQueue);
		assertThat(ids(parent)).isEmpty();
		first.close();
		ConfigurableApplicationContext second = start(parent, this.childQueue, Listener.class);
		assertListens(second, this.childQueue);
	}

	@Test
	void eachContextHasItsOwnOfWhatEndsWithItAndSharesTheClient() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue);
		ConfigurableApplicationContext child = start(parent, this.childQueue);
		for (Class<?> type : List.of(QueueListenerEndpointRegistry.class, QueueThreads.class, QueueListeners.class,
				QueueOperations.class, QueueReceiver.class, QueueAdmin.class, QueueServerFactory.class)) {
			assertThat(child.getBeanNamesForType(type, true, false)).as(type.getName()).hasSize(1);
			assertThat(child.getBean(type)).isNotSameAs(parent.getBean(type));
		}
		assertThat(child.getBean(RedissonClient.class)).isSameAs(parent.getBean(RedissonClient.class));
	}

	@Test
	void aChildHasTheRecurringMessagesOfItsBeans() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Listener.class, Recurring.class);
		Awaitility.await().until(() -> child.getBean(Listener.class).handled.contains("tick"));
	}

	@Test
	void whatAChildDefinesGoesBeforeWhatItsParentHas() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Sender.class);
		ConfigurableApplicationContext plugin = start(parent, this.childQueue, Plugin.class, Sender.class);
		ConfigurableApplicationContext plain = start(parent, this.childQueue, Sender.class);
		assertThat(plugin.getBean(Sender.class).queues).isSameAs(plugin.getBean("queueTemplate"))
			.isNotInstanceOf(QueueTemplate.class);
		assertThat(plugin.getBean(Sender.class).masker).isSameAs(plugin.getBean("maskerOfThePlugin"));
		assertThat(plain.getBean(Sender.class).queues).isSameAs(plain.getBean("queueTemplate"))
			.isNotSameAs(parent.getBean(Sender.class).queues);
		assertThat(plain.getBean(Sender.class).masker).isSameAs(parent.getBean(Sender.class).masker);
	}

	@Test
	void aLockThatABeanOfTheParentHoldsIsEnteredAgainInTheChildAndAnnouncedOnce() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Locked.class);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Locked.class);
		String name = "hierarchy-" + UUID.randomUUID();
		LockAdmin admin = child.getBean(LockAdmin.class);
		int holders = parent.getBean(Locked.class)
			.under(name,
					() -> child.getBean(Locked.class)
						.under(name, () -> Awaitility.await()
							.until(() -> admin.lock(name).stream().mapToInt((lock) -> lock.holders().size()).sum(),
									(sum) -> sum > 0)));
		assertThat(holders).isOne();
	}

	@Test
	void whatAChildHandlesIsMeasuredOnceInTheRegistryOfItsParent() {
		ConfigurableApplicationContext parent = start(null, this.parentQueue, Meters.class);
		ConfigurableApplicationContext child = start(parent, this.childQueue, Listener.class);
		assertListens(child, this.childQueue);
		child.close();
		ConfigurableApplicationContext next = start(parent, this.childQueue, Listener.class);
		assertListens(next, this.childQueue);
		SimpleMeterRegistry registry = parent.getBean(SimpleMeterRegistry.class);
		Awaitility.await()
			.untilAsserted(() -> assertThat(registry.get("redelay.queue.settled")
				.tag("messaging.destination.name", this.childQueue)
				.counters()
				.stream()
				.mapToDouble(Counter::count)
				.sum()).isEqualTo(2));
	}

	private static List<String> ids(ConfigurableApplicationContext context) {
		return context.getBean(QueueListeners.class).list().stream().map(ListenerInfo::id).toList();
	}

	private static void assertListens(ConfigurableApplicationContext context, String queue) {
		Listener listener = context.getBean(Listener.class);
		int before = listener.handled.size();
		context.getBean(QueueOperations.class).send(queue, "hello");
		Awaitility.await().until(() -> listener.handled.size() == before + 1);
		assertThat(listener.handled).last().isEqualTo("hello");
	}

	private ConfigurableApplicationContext start(@Nullable ConfigurableApplicationContext parent, String queue,
			Class<?>... sources) {
		SpringApplicationBuilder builder = builder(queue, sources);
		return run((parent != null) ? builder.parent(parent) : builder);
	}

	private static SpringApplicationBuilder builder(String queue, Class<?>... sources) {
		SpringApplicationBuilder builder = new SpringApplicationBuilder(Wiring.class).sources(sources)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + redis.uri(), "test.queue=" + queue);
		SharedLogging.keep(builder);
		return builder;
	}

	private ConfigurableApplicationContext run(SpringApplicationBuilder builder) {
		ConfigurableApplicationContext context = builder.run();
		this.contexts.add(context);
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class,
			LifecycleAutoConfiguration.class, AopAutoConfiguration.class, RedissonAutoConfiguration.class,
			LockAutoConfiguration.class, QueueAutoConfiguration.class, QueueMetricsAutoConfiguration.class,
			GuardAutoConfiguration.class })
	static class Wiring {

	}

	static class Listener {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

	static class Recurring {

		@RecurringMessage(queue = "${test.queue}", name = "often", every = "200ms")
		String tick() {
			return "tick";
		}

	}

	static class Sender {

		private final QueueOperations queues;

		private final PayloadMasker masker;

		Sender(QueueOperations queues, PayloadMasker masker) {
			this.queues = queues;
			this.masker = masker;
		}

	}

	static class Locked {

		@MyLock("#{#name}")
		<T> T under(String name, Supplier<T> body) {
			return body.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		SimpleMeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClient {

		@Bean(destroyMethod = "shutdown")
		RedissonClient redissonClient() {
			return TestRedis.connect(redis.uri());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Plugin {

		@Bean
		QueueOperations queueTemplate() {
			return Mockito.mock(QueueOperations.class);
		}

		@Bean
		PayloadMasker maskerOfThePlugin() {
			return Mockito.mock(PayloadMasker.class);
		}

	}

}
