package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.lock.LockEvent;
import io.redelay.lock.LockKeyBuilder;
import io.redelay.lock.LockListener;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockProviders;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockThreads;
import io.redelay.lock.MicrometerLockListener;
import io.redelay.lock.MyLock;
import io.redelay.lock.annotation.AsyncDeliveryBeanPostProcessor;
import io.redelay.lock.annotation.MyLockBeanPostProcessor;
import io.redelay.test.MemoryLocks;
import io.redelay.test.TestSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAutoConfigurationTests {

	private final MemoryLocks locks = new MemoryLocks();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
		.withBean("memory", LockProvider.class, () -> this.locks)
		.withBean("recording", LockListener.class, () -> this.events::add)
		.withBean(Work.class);

	@Test
	void annotatedMethodsAreLocked() {
		this.contextRunner.run((context) -> assertThat(context.getBean(Work.class).run()).isEqualTo("run"));
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{work}");
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void nothingIsLockedIfLocksAreDisabledWhichIsReportedOnce(CapturedOutput output) {
		this.contextRunner.withPropertyValues("redelay.lock.enabled=false")
			.withBean("second", Work.class)
			.run((context) -> {
				assertThat(context).doesNotHaveBean(LockTemplate.class).doesNotHaveBean(MyLockBeanPostProcessor.class);
				context.getBean("second", Work.class).run();
			});
		assertThat(this.locks.keys()).isEmpty();
		assertThat(output.toString().lines().filter((line) -> line.contains("redelay.lock.enabled"))).hasSize(1)
			.allSatisfy((line) -> assertThat(line).contains("WARN").contains("@MyLock").contains(Work.class.getName()));
	}

	@Test
	void nothingIsReportedIfLocksAreDisabledAndThereAreNone(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("redelay.lock.enabled=false")
			.withBean("text", String.class, () -> "text")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("redelay.lock.enabled");
	}

	@Test
	void withoutAClientAnApplicationWithoutLocksStarts() {
		withoutClient().run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockTemplate.class));
	}

	@Test
	void withoutAClientAnApplicationWithLocksFailsAndSaysWhy() {
		withoutClient().withBean("work", Work.class)
			.withBean("memory", LockProvider.class, () -> this.locks)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidMyLockFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).contains("'work'")
					.contains(Work.class.getName() + ".run")
					.contains("no LockTemplate");
				assertThat(analysis.getAction()).contains("RedissonClient").contains("redelay.lock.enabled=false");
			});
	}

	@Test
	void withoutAClientAnApplicationsOwnTemplateLocks() {
		withoutClient().withBean("work", Work.class)
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean(LockTemplate.class,
					() -> new LockTemplate(new LockProviders(Map.of(), Map.of("memory", this.locks)), (name) -> name,
							TestSettings.LOCK, List.of(), LockThreads.platform()))
			.run((context) -> context.getBean(Work.class).run());
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{work}");
	}

	@Test
	void templateOfTheParentContextIsFound() {
		this.contextRunner
			.run((parent) -> withoutClient().withParent(parent).withBean("inner", Work.class).run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean("inner", Work.class).run();
			}));
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{work}");
	}

	private static ApplicationContextRunner withoutClient() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class));
	}

	@Test
	void keysBeginWithThePrefix() {
		this.contextRunner.withPropertyValues("redelay.lock.key-prefix=shop:eu")
			.run((context) -> context.getBean(Work.class).run());
		assertThat(this.locks.keys()).containsExactly("shop:eu:memory:{work}");
	}

	@Test
	void keyBuilderChangesNames() {
		this.contextRunner.withBean(LockKeyBuilder.class, () -> (name) -> "tenant7/" + name)
			.run((context) -> context.getBean(Work.class).run());
		assertThat(this.locks.keys()).containsExactly("redelay:memory:{tenant7/work}");
		assertThat(this.events).allSatisfy((event) -> assertThat(event.names()).containsExactly("work"));
	}

	@Test
	void releaseIsAwaitedForTheReleaseTimeout() {
		this.locks.onRelease((key) -> new CompletableFuture<>());
		this.contextRunner.withPropertyValues("redelay.lock.release-timeout=50ms").run((context) -> {
			// By default it is 5 s. Once more if the machine took the others.
			Awaitility.await().untilAsserted(() -> {
				long start = System.nanoTime();
				assertThat(context.getBean(Work.class).run()).isEqualTo("run");
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(50),
						Duration.ofMillis(4900));
			});
		});
		assertThat(this.events).extracting(LockEvent::type)
			.startsWith(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASE_FAILED);
	}

	@Test
	void messagesAreGivenBackForTheGiveBackDelay() {
		this.locks.hold("redelay:memory:{work}");
		this.contextRunner.withPropertyValues("redelay.lock.give-back-delay=7s")
			.run((context) -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Work.class).run())
				.satisfies((ex) -> assertThat(ex.getGiveBackDelay()).isEqualTo(Duration.ofSeconds(7))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redelay.lock.key-prefix={a}", "redelay.lock.release-timeout=0s",
			"redelay.lock.give-back-delay=-1s", "redelay.lock.quorum.timeout=0s", "redelay.lock.quorum.lease-time=2s",
			"redelay.lock.quorum.lease-time=40000d" })
	void valuesThatCannotWorkAreRefused(String property) {
		this.contextRunner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'" + property.substring(0, property.indexOf('=')) + "'"));
	}

	@Test
	void applicationsOwnBeansAreUsedInstead() {
		MemoryLocks own = new MemoryLocks();
		LockTemplate template = new LockTemplate(new LockProviders(Map.of(), Map.of("memory", own)), (name) -> name,
				TestSettings.LOCK, List.of(), LockThreads.platform());
		this.contextRunner.withBean("ownTemplate", LockTemplate.class, () -> template)
			.withBean("ownThreads", LockThreads.class, LockThreads::platform)
			.withBean("ownLocking", MyLockBeanPostProcessor.class)
			.withBean("ownHandOver", AsyncDeliveryBeanPostProcessor.class)
			.withBean("fencedLockProvider", LockProvider.class, () -> own)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("ownMetrics", MicrometerLockListener.class,
					() -> new MicrometerLockListener(new SimpleMeterRegistry()))
			.run((context) -> {
				assertThat(context).hasSingleBean(LockTemplate.class)
					.hasSingleBean(LockThreads.class)
					.hasSingleBean(MyLockBeanPostProcessor.class)
					.hasSingleBean(AsyncDeliveryBeanPostProcessor.class)
					.hasSingleBean(MicrometerLockListener.class)
					.getBean("fencedLockProvider")
					.isSameAs(own);
				context.getBean(Work.class).run();
			});
		assertThat(own.keys()).containsExactly("redelay:memory:{work}");
		assertThat(this.locks.keys()).isEmpty();
	}

	@Test
	void countsOnlyIfTheApplicationCounts() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(MicrometerLockListener.class));
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(MicrometerLockListener.class));
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void futuresGoOnOnVirtualThreadsIfTheApplicationDoes() {
		this.contextRunner
			.run((context) -> assertThat(isVirtual(threadAfterFuture(context.getBean(LockTemplate.class)))).isFalse());
		this.contextRunner.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> Awaitility.await()
				.until(() -> isVirtual(threadAfterFuture(context.getBean(LockTemplate.class)))));
	}

	/**
	 * The thread that goes on, unless the lock was released so fast that it is the one
	 * which completed the future.
	 */
	private static Thread threadAfterFuture(LockTemplate template) {
		CompletableFuture<String> body = new CompletableFuture<>();
		CompletableFuture<Thread> thread = template
			.<CompletableFuture<String>, RuntimeException>execute(LockSpec.of("x").withProvider("memory"), () -> body)
			.thenApply((value) -> Thread.currentThread());
		body.complete("value");
		return thread.join();
	}

	private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
		return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
	}

	public static class Work {

		@MyLock(name = "work", lockProvider = "memory", waitTime = 0)
		public String run() {
			return "run";
		}

	}

}
