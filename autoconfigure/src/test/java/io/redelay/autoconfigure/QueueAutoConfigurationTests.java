package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.engine.ColdSweeper;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.FarSweeper;
import io.redelay.queue.admin.engine.instance.InstanceAnnouncer;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.failure.RetryBackoff;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.logging.JsonPayloadMasker;
import io.redelay.queue.logging.MdcDeliveryInterceptor;
import io.redelay.queue.logging.MdcSendInterceptor;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.scheduling.QueueThreads;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.test.MemoryColdChunks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link QueueAutoConfiguration}.
 */
class QueueAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				TaskSchedulingAutoConfiguration.class))
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class));

	private final ApplicationContextRunner idle = this.runner
		.withBean(QueueScripts.class, () -> new IdleStore().scripts())
		.withBean(RecurringStore.class, AbsentRecurringStore::new)
		.withBean(AdminScripts.class, IdleStore::admin);

	@Test
	void setsUpSendingAndListening() {
		this.idle.run((context) -> assertThat(context).hasSingleBean(QueueTemplate.class)
			.hasSingleBean(QueueListenerEndpointRegistry.class)
			.hasSingleBean(QueueListenerContainerFactory.class)
			.hasSingleBean(QueueThreads.class));
	}

	@Test
	void makesTheStoreOfTheClient() {
		RedissonClient client = mock(RedissonClient.class, Answers.RETURNS_MOCKS);
		RTopic topic = mock(RTopic.class);
		given(topic.getChannelNames()).willAnswer((call) -> List.of("prefix:wake:" + "x".repeat(20)));
		given(client.getTopic(anyString(), any())).willReturn(topic);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> client)
			.run((context) -> assertThat(context).hasSingleBean(QueueScripts.class));
	}

	@Test
	void doesNothingWithoutAClient() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(QueueOperations.class)
				.doesNotHaveBean(QueueListenerEndpointRegistry.class));
	}

	@Test
	void doesNothingIfItIsNotWanted() {
		this.idle.withPropertyValues("redelay.queue.enabled=false")
			.withBean(Listener.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(QueueOperations.class)
				.doesNotHaveBean(QueueThreads.class)
				.doesNotHaveBean(QueueListenerEndpointRegistry.class));
	}

	@Test
	void leavesListenersAloneIfTheyAreNotWanted() {
		this.idle.withPropertyValues("redelay.queue.listener.enabled=false")
			.withBean(ImpossibleListener.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(QueueTemplate.class)
				.hasSingleBean(QueueAdmin.class)
				.doesNotHaveBean(QueueListenerContainerFactory.class)
				.doesNotHaveBean(QueueListenerEndpointRegistry.class)
				.doesNotHaveBean(InstanceAnnouncer.class));
	}

	@Test
	void givesEachPartOfTheAdministrationByItsOwnType() {
		this.idle.run((context) -> {
			QueueAdmin admin = context.getBean(QueueAdmin.class);
			assertThat(context.getBean(MessageAdmin.class)).isSameAs(admin.messages());
			assertThat(context.getBean(DeadLetterAdmin.class)).isSameAs(admin.deadLetters());
			assertThat(context.getBean(BulkJobAdmin.class)).isSameAs(admin.jobs());
			assertThat(context.getBean(TopicAdmin.class)).isSameAs(admin.topics());
			assertThat(context.getBean(HandlerAdmin.class)).isSameAs(admin.handlers());
			assertThat(context.getBean(QueueInspector.class)).isSameAs(admin.queues());
			assertThat(context.getBean(QueueControl.class)).isSameAs(admin.control());
			assertThat(context.getBean(QueueLimitAdmin.class)).isSameAs(admin.limits());
		});
	}

	@Test
	void doesNotTakeBeansOfAnotherServerForItsOwn() {
		this.idle.withUserConfiguration(OtherServer.class).run((context) -> {
			assertThat(context).hasNotFailed()
				.hasBean("queueTemplate")
				.hasBean("queueAdmin")
				.hasBean("queueListenerContainerFactory");
			assertThat(context.getBean(QueueOperations.class)).isSameAs(context.getBean("queueTemplate"))
				.isNotSameAs(context.getBean("other"));
			assertThat(context.getBean(QueueAdmin.class)).isSameAs(context.getBean("queueAdmin"));
		});
	}

	@Test
	void backsOffForAStore() {
		this.idle.run((context) -> assertThat(context).hasSingleBean(QueueScripts.class)
			.getBean(QueueScripts.class)
			.extracting(QueueScripts::instance)
			.isEqualTo("idle"));
	}

	@Test
	void backsOffForOperations() {
		QueueOperations own = mock(QueueOperations.class);
		this.idle.withBean("own", QueueOperations.class, () -> own)
			.run((context) -> assertThat(context).hasSingleBean(QueueOperations.class)
				.doesNotHaveBean(QueueTemplate.class)
				.getBean(QueueOperations.class)
				.isSameAs(own));
	}

	@Test
	void takesAConverterOfTheApplications() {
		MessageConverter own = mock(MessageConverter.class);
		this.idle.withBean("redelayMessageConverter", MessageConverter.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed().getBean("redelayMessageConverter").isSameAs(own));
	}

	@Test
	void fillsTheMdcUnlessItIsNotWanted() {
		this.idle.run((context) -> assertThat(context).hasSingleBean(MdcDeliveryInterceptor.class)
			.hasSingleBean(MdcSendInterceptor.class));
		this.idle.withPropertyValues("redelay.queue.mdc.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(MdcDeliveryInterceptor.class)
				.doesNotHaveBean(MdcSendInterceptor.class));
		this.idle.withClassLoader(new FilteredClassLoader(MDC.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(MdcDeliveryInterceptor.class)
				.doesNotHaveBean(MdcSendInterceptor.class));
	}

	@Test
	void masksPayloadsUnlessTheApplicationDoes() {
		this.idle.run((context) -> assertThat(context).hasSingleBean(JsonPayloadMasker.class));
		this.idle.withBean("own", PayloadMasker.class, () -> (payload, contentType) -> "")
			.run((context) -> assertThat(context).hasSingleBean(PayloadMasker.class)
				.doesNotHaveBean(JsonPayloadMasker.class));
	}

	@Test
	void refusesWhatLogsCannotShow() {
		this.idle.withPropertyValues("redelay.queue.log.max-length=-1")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'redelay.queue.log.max-length' must be 0 or more: -1"));
		this.idle.withPropertyValues("redelay.queue.mdc.keys=a,,b")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'redelay.queue.mdc.keys' must not have blank names"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "[a b]", "[orders@a@b]", "[_orders]" })
	void refusesPropertiesOfAQueueThatCannotBe(String name) {
		this.idle.withPropertyValues("redelay.queue.queues." + name + ".concurrency=2")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("'redelay.queue.queues' names '" + name.substring(1, name.length() - 1) + "'"));
		this.idle
			.withPropertyValues("redelay.queue.queues.[orders@billing].concurrency=2",
					"redelay.queue.queues.[orders@_here].concurrency=2")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			ordering-key | "#{payload.customer" | cannot be read
			ordering-key | "#{customer}" | 'customer' is none of [payload, headers, queue, id]
			ordering-key | "" | it is blank
			fairness-key | "#payload.tenant" | Write the expression as #{…}
			fairness-weight | 0 | must be a whole number from 1 to 100
			fairness-weight | heavy | must be a whole number from 1 to 100
			priority | 11 | must be a whole number from 0 to 9
			priority-ageing | 0s | must be 1ms to 365d
			priority-ageing | 400d | Leave it out to let the higher priority always go first
			""")
	void refusesWhatNoMessageCanBeOrderedBy(String property, String value, String problem) {
		this.idle.withPropertyValues("redelay.queue.queues.orders." + property + "=" + value)
			.run((context) -> assertThat(causes(context.getStartupFailure())).contains("." + property + "'")
				.contains(problem));
	}

	@Test
	void refusesToHoldAKeyForWhatIsHandedOn() {
		this.idle
			.withPropertyValues("redelay.queue.queues.orders.dead-holds-key=true",
					"redelay.queue.queues.orders.dead-letter-queue=dead-orders")
			.run((context) -> assertThat(causes(context.getStartupFailure()))
				.contains("cannot hold what 'dead-letter-queue' forwards to 'dead-orders'"));
	}

	private static String causes(Throwable failure) {
		StringBuilder messages = new StringBuilder();
		for (Throwable each = failure; each != null; each = each.getCause()) {
			messages.append(each.getMessage()).append('\n');
		}
		return messages.toString();
	}

	@Test
	void leavesOtherConvertersAlone() {
		MessageConverter other = mock(MessageConverter.class);
		this.idle.withBean("other", MessageConverter.class, () -> other)
			.withBean(Listener.class)
			.run((context) -> assertThat(context.getBean(MessageConverter.class)).isSameAs(other));
	}

	@Test
	void leavesTheExecutorsOfSpringBootAlone() {
		this.idle.withUserConfiguration(Scheduling.class)
			.run((context) -> assertThat(context).hasSingleBean(TaskScheduler.class)
				.getBeanNames(Executor.class)
				.containsExactlyInAnyOrder("applicationTaskExecutor", "taskScheduler"));
	}

	@Test
	void closesItsThreads() {
		QueueThreads[] threads = new QueueThreads[1];
		this.idle.run((context) -> {
			threads[0] = context.getBean(QueueThreads.class);
			assertThat(threads[0].timer().isShutdown()).isFalse();
		});
		assertThat(threads[0].timer().isShutdown()).isTrue();
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void handlesOnVirtualThreadsIfTheApplicationDoes() {
		this.idle.withPropertyValues("spring.threads.virtual.enabled=true").run((context) -> {
			Thread[] thread = new Thread[1];
			CompletableFuture
				.runAsync(() -> thread[0] = Thread.currentThread(), context.getBean(QueueThreads.class).handlers())
				.join();
			assertThat(Thread.class.getMethod("isVirtual").invoke(thread[0])).isEqualTo(true);
			assertThat(thread[0].getName()).startsWith("redelay-handler-");
		});
	}

	@Test
	void sends() {
		this.idle.run((context) -> assertThat(
				context.getBean(QueueOperations.class).send(OutboundMessage.to("orders", Map.of()).id("seven")).id())
			.isEqualTo("seven"));
	}

	@Test
	void startsAndStopsContainersWithTheApplication() {
		this.idle.withBean(Listener.class).run((context) -> {
			QueueListenerEndpointRegistry registry = context.getBean(QueueListenerEndpointRegistry.class);
			assertThat(registry.isRunning()).isTrue();
			assertThat(registry.getPhase()).isEqualTo(Integer.MAX_VALUE);
			assertThat(registry.getContainers()).hasSize(1).allMatch((container) -> container.isRunning());
			registry.stop();
			assertThat(registry.getContainers()).noneMatch((container) -> container.isRunning());
			registry.start();
			assertThat(registry.getContainers()).allMatch((container) -> container.isRunning());
		});
	}

	@Test
	void hasDefaults() {
		this.idle.withBean(Listener.class).run((context) -> {
			ContainerSettings settings = settings(context.getBean(QueueListenerEndpointRegistry.class));
			assertThat(settings.concurrency().least()).isEqualTo(8);
			assertThat(settings.concurrency().most()).isEqualTo(8);
			assertThat(settings.concurrency().prefetch()).isNull();
			assertThat(settings.autoStartup()).isTrue();
			ContainerSettings.QueueSettings queue = settings.queues().get("orders.eu");
			assertThat(queue.leaseTime()).isEqualTo(Duration.ofSeconds(30));
			assertThat(queue.maxHandlingTime()).isNull();
			assertThat(queue.failures().retries().maxAttempts()).isEqualTo(5);
			assertThat(queue.failures().retries().backoff()).isEqualTo(RetryBackoff.DEFAULTS);
			assertThat(queue.failures().retries().resetsOnProgress()).isFalse();
		});
	}

	@Test
	void propertiesOfAllListenersReplaceDefaults() {
		this.idle.withBean(Listener.class)
			.withPropertyValues("redelay.queue.listener.concurrency=2-3", "redelay.queue.listener.lease-time=10s",
					"redelay.queue.listener.max-attempts=9", "redelay.queue.listener.max-handling-time=1m",
					"redelay.queue.listener.prefetch=7", "redelay.queue.listener.auto-startup=false",
					"redelay.queue.listener.reset-attempts-on-progress=true",
					"redelay.queue.listener.backoff.initial-interval=10m", "redelay.queue.listener.backoff.jitter=0")
			.run((context) -> {
				ContainerSettings settings = settings(context.getBean(QueueListenerEndpointRegistry.class));
				assertThat(settings.concurrency().least()).isEqualTo(2);
				assertThat(settings.concurrency().most()).isEqualTo(3);
				assertThat(settings.concurrency().prefetch()).isEqualTo(7);
				assertThat(settings.autoStartup()).isFalse();
				ContainerSettings.QueueSettings queue = settings.queues().get("orders.eu");
				assertThat(queue.leaseTime()).isEqualTo(Duration.ofSeconds(10));
				assertThat(queue.maxHandlingTime()).isEqualTo(Duration.ofMinutes(1));
				assertThat(queue.failures().retries().maxAttempts()).isEqualTo(9);
				assertThat(queue.failures().retries().resetsOnProgress()).isTrue();
				assertThat(queue.failures().retries().backoff())
					.isEqualTo(new RetryBackoff(Duration.ofMinutes(10), 2, Duration.ofMinutes(10), 0));
			});
	}

	@Test
	void theAnnotationGoesBeforePropertiesOfAllListenersAndPropertiesOfAQueueBeforeBoth() {
		String[] ofAll = { "redelay.queue.listener.concurrency=2", "redelay.queue.listener.max-attempts=9",
				"redelay.queue.listener.backoff.multiplier=9" };
		this.idle.withBean(FullListener.class).withPropertyValues(ofAll).run((context) -> {
			ContainerSettings settings = settings(context.getBean(QueueListenerEndpointRegistry.class));
			assertThat(settings.concurrency().most()).isEqualTo(3);
			assertThat(settings.queues().get("orders.eu").failures().retries().maxAttempts()).isEqualTo(3);
			assertThat(settings.queues().get("orders.eu").failures().retries().resetsOnProgress()).isTrue();
			assertThat(settings.queues().get("orders.eu").failures().retries().backoff())
				.hasFieldOrPropertyWithValue("multiplier", 9.0);
		});
		this.idle.withBean(FullListener.class)
			.withPropertyValues(ofAll)
			.withPropertyValues("redelay.queue.queues[orders.eu].concurrency=4",
					"redelay.queue.queues[orders.eu].max-attempts=4",
					"redelay.queue.queues[orders.eu].reset-attempts-on-progress=false",
					"redelay.queue.queues[orders.eu].backoff.multiplier=4", "redelay.queue.queues.other.max-attempts=7")
			.run((context) -> {
				ContainerSettings settings = settings(context.getBean(QueueListenerEndpointRegistry.class));
				assertThat(settings.concurrency().most()).isEqualTo(4);
				assertThat(settings.queues().get("orders.eu").failures().retries().maxAttempts()).isEqualTo(4);
				assertThat(settings.queues().get("orders.eu").failures().retries().resetsOnProgress()).isFalse();
				assertThat(settings.queues().get("other").failures().retries().resetsOnProgress()).isTrue();
				assertThat(settings.queues().get("orders.eu").failures().retries().backoff())
					.hasFieldOrPropertyWithValue("multiplier", 4.0);
				assertThat(settings.queues().get("other").failures().retries().maxAttempts()).isEqualTo(7);
			});
	}

	@Test
	void aQueueThatDropsItsOldestMessagesIsNotPacked() {
		this.idle
			.withPropertyValues("redelay.queue.far-horizon=2h", "redelay.queue.queues.drops.max-length=10",
					"redelay.queue.queues.drops.overflow=drop-oldest", "redelay.queue.queues.refuses.max-length=10",
					"redelay.queue.queues.refuses.far-horizon=3h")
			.run((context) -> assertThat(context.getBean(FarSweeper.class)).extracting("packer.settings")
				.isEqualTo(new FarSettings(Duration.ofHours(2),
						Map.of("drops", Duration.ZERO, "refuses", Duration.ofHours(3)))));
		this.idle
			.withPropertyValues("redelay.queue.queues.drops.max-length=10",
					"redelay.queue.queues.drops.overflow=drop-oldest", "redelay.queue.queues.drops.far-horizon=3h")
			.run((context) -> assertThat(context.getStartupFailure())
				.hasRootCauseInstanceOf(IllegalArgumentException.class)
				.rootCause()
				.hasMessageContaining("must be 0 where 'overflow' is 'drop-oldest'"));
	}

	@Test
	void refusesPropertiesThatMakeNoSense() {
		for (String property : new String[] { "redelay.queue.key-prefix=a{b}", "redelay.queue.safety-poll-interval=1ms",
				"redelay.queue.shutdown-timeout=-1s", "redelay.queue.resend-timeout=-1s",
				"redelay.queue.resend-timeout=301s", "redelay.queue.far-horizon=4m",
				"redelay.queue.send.max-message-size=1GB", "redelay.queue.send.max-waiting=0",
				"redelay.queue.send.caller-connections=-1", "redelay.queue.send.max-waiting-size=0B",
				"redelay.queue.send.report-unconsumed-after=-1s", "redelay.queue.dead-letters.max-count=0",
				"redelay.queue.dead-letters.max-age=0s" }) {
			this.idle.withPropertyValues(property)
				.run((context) -> assertThat(context.getStartupFailure())
					.hasRootCauseInstanceOf(IllegalArgumentException.class)
					.rootCause()
					.hasMessageContaining("'" + property.substring(0, property.indexOf('=')) + "'"));
		}
	}

	@Test
	void refusesAHorizonForADatabaseThatIsNotThere() {
		Map.of("redelay.queue.cold-horizon=1d", "redelay.outbox.enabled", "redelay.queue.cold-horizon=59m",
				"far-horizon', which is PT1H", "redelay.queue.cold-horizon=4m", "at least 300s")
			.forEach((property, words) -> this.idle.withPropertyValues("redelay.queue.far-horizon=1h", property)
				.run((context) -> assertThat(context.getStartupFailure()).rootCause()
					.hasMessageContaining("'redelay.queue.cold-horizon' is PT")
					.hasMessageContaining(words)));
		this.idle.withPropertyValues("redelay.queue.far-horizon=0", "redelay.queue.cold-horizon=1d")
			.withBean(ColdChunks.class, () -> new MemoryColdChunks(() -> 0))
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("no queue has packed messages"));
		this.idle.withPropertyValues("redelay.queue.cold-horizon=1d", "redelay.queue.queues.orders.far-horizon=1h")
			.withBean(ColdChunks.class, () -> new MemoryColdChunks(() -> 0))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void anApplicationThatOnlySendsMovesTheColdMessagesOfQueuesWithAHorizonOfTheirOwn() {
		ApplicationContextRunner cold = this.idle.withPropertyValues("redelay.queue.cold-horizon=1d")
			.withBean(ColdChunks.class, () -> new MemoryColdChunks(() -> 0));
		cold.withPropertyValues("redelay.queue.queues.orders.far-horizon=1h")
			.run((context) -> assertThat(context.getBean(ColdSweeper.class)).extracting("regular.regular").isNotNull());
		cold.run((context) -> assertThat(context.getBean(ColdSweeper.class)).extracting("regular.regular").isNull());
	}

	private static ContainerSettings settings(QueueListenerEndpointRegistry registry) {
		return registry.getContainers().iterator().next().getSettings();
	}

	static class Listener {

		@QueueListener("orders.eu")
		void handle(String text) {
		}

	}

	static class FullListener {

		@QueueListener(queues = { "orders.eu", "other" }, concurrency = "3", maxAttempts = "3",
				resetAttemptsOnProgress = "true")
		void handle(String text) {
		}

	}

	static class ImpossibleListener {

		@QueueListener(queues = "${nowhere}", containerFactory = "nobody")
		void handle(String text) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherServer {

		@Bean
		QueueServer otherServer(QueueServerFactory servers) {
			RTopic topic = mock(RTopic.class);
			given(topic.getChannelNames()).willReturn(List.of("redelay:wake:" + "x".repeat(20)));
			RedissonClient client = mock(RedissonClient.class, Answers.RETURNS_MOCKS);
			given(client.getTopic(anyString(), any())).willReturn(topic);
			return servers.create(client);
		}

		@Bean(defaultCandidate = false)
		QueueOperations other(QueueServer server) {
			return server.template();
		}

		@Bean(defaultCandidate = false)
		QueueAdmin otherAdmin(QueueServer server) {
			return server.admin();
		}

		@Bean
		QueueListenerContainerFactory otherFactory(QueueServer server) {
			return server.containerFactory();
		}

	}

	@EnableScheduling
	static class Scheduling {

	}

}
