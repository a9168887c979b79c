package io.redelay.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.test.MemoryLocks;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link MicrometerLockListener}.
 */
class MicrometerLockListenerTests {

	private static final String TEMPLATE = "order:#{id}";

	private final MemoryLocks locks = new MemoryLocks();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void timesWaitAndHoldAndCountsBoth() {
		run((work) -> work.run("7"));
		assertThat(timer("redelay.lock.wait", "acquired")).isEqualTo(1);
		assertThat(timer("redelay.lock.hold", "released")).isEqualTo(1);
		assertThat(this.registry.get("redelay.lock.hold").timer().totalTime(TimeUnit.NANOSECONDS)).isPositive();
		assertThat(count("acquired")).isEqualTo(1);
		assertThat(count("released")).isEqualTo(1);
		assertThat(this.registry.getMeters()).hasSize(4);
	}

	@Test
	void countsLocksThatAreBusyLostOrNotReleased() {
		run((work) -> {
			this.locks.hold("redelay:memory:{order:7}");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.run("7"));
			this.locks.onRelease((key) -> CompletableFuture.completedFuture(false));
			work.run("8");
			this.locks.onRelease((key) -> CompletableFuture.failedFuture(new IllegalStateException("gone")));
			work.run("9");
		});
		assertThat(timer("redelay.lock.wait", "busy")).isEqualTo(1);
		assertThat(timer("redelay.lock.hold", "lost")).isEqualTo(1);
		assertThat(timer("redelay.lock.hold", "release_failed")).isEqualTo(1);
		assertThat(count("busy")).isEqualTo(1);
		assertThat(count("lost")).isEqualTo(1);
		assertThat(count("release_failed")).isEqualTo(1);
	}

	@Test
	void tagsHaveTheTemplateAndNeverItsValue() {
		run((work) -> {
			for (int i = 0; i < 20; i++) {
				work.run("secret" + i);
			}
		});
		assertThat(this.registry.getMeters()).hasSize(4)
			.extracting(Meter::getId)
			.allSatisfy((id) -> assertThat(id.getTags()).contains(Tag.of("name", TEMPLATE))
				.noneMatch((tag) -> tag.getValue().contains("secret")));
	}

	private long timer(String name, String outcome) {
		return this.registry.get(name).tags("name", TEMPLATE, "outcome", outcome).timer().count();
	}

	private double count(String outcome) {
		return this.registry.get("redelay.lock.outcomes").tags("name", TEMPLATE, "outcome", outcome).counter().count();
	}

	private void run(Consumer<Work> consumer) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("memory", LockProvider.class, () -> this.locks)
			.withBean(MeterRegistry.class, () -> this.registry)
			.withBean(Work.class)
			.run((context) -> consumer.accept(context.getBean(Work.class)));
	}

	static class Work {

		@MyLock(name = TEMPLATE, lockProvider = "memory", lockStrategy = MyLockStrategy.FAIL_FAST)
		void run(String id) {
		}

	}

}
