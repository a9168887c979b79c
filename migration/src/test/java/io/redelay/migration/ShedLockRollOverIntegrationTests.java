package io.redelay.migration;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.migration.ShedLockRollOver.After;
import io.redelay.migration.ShedLockRollOver.Before;
import io.redelay.migration.ShedLockRollOver.Meanwhile;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances of a release and of the next one exclude each other: with the real ShedLock,
 * with both locks, and with {@code @MyLock} alone.
 */
class ShedLockRollOverIntegrationTests {

	private static RedisServer redis;

	private static Instance before;

	private static Instance meanwhile;

	private static Instance another;

	private static Instance after;

	@BeforeAll
	static void start() {
		redis = RedisServer.start();
		before = new Instance(Before.class, Before::report);
		meanwhile = new Instance(Meanwhile.class, Meanwhile::report);
		another = new Instance(Meanwhile.class, Meanwhile::report);
		after = new Instance(After.class, After::report);
	}

	@AfterAll
	static void stop() {
		Stream.of(before, meanwhile, another, after).forEach((instance) -> instance.context.close());
		redis.close();
	}

	@BeforeEach
	void freeTheLocks() {
		Stream.of(before, meanwhile, another, after).forEach(Instance::reset);
		before.context.getBean(RedissonClient.class).getKeys().flushdb();
	}

	static Stream<Instance[]> neighbours() {
		return Stream.of(new Instance[] { before, meanwhile }, new Instance[] { meanwhile, before },
				new Instance[] { meanwhile, another }, new Instance[] { meanwhile, after },
				new Instance[] { after, meanwhile });
	}

	@ParameterizedTest
	@MethodSource("neighbours")
	void oneOfTwoReports(Instance first, Instance second) {
		first.meanwhile = () -> CompletableFuture.runAsync(second::report).join();
		first.report();
		second.report();
		assertThat(first.reports).hasValue(1);
		assertThat(second.reports).hasValue(0);
		freeTheLocks();
		second.report();
		assertThat(second.reports).hasValue(1);
	}

	/**
	 * Why a release is between them.
	 */
	@Test
	void theFirstReleaseAndTheLastDoNotKnowEachOther() {
		before.report();
		after.report();
		assertThat(before.reports).hasValue(1);
		assertThat(after.reports).hasValue(1);
	}

	private static final class Instance {

		private final AtomicInteger reports = new AtomicInteger();

		private final ConfigurableApplicationContext context;

		private final Runnable report;

		private final String release;

		private volatile Runnable meanwhile = () -> {
		};

		<T> Instance(Class<T> release, Consumer<T> report) {
			this.context = new SpringApplicationBuilder(Locks.class, release)
				.initializers((context) -> context.getBeanFactory().registerSingleton("report", (Runnable) this::write))
				.run("--spring.data.redis.url=" + redis.uri(), "--redelay.queue.enabled=false");
			T bean = this.context.getBean(release);
			this.report = () -> report.accept(bean);
			this.release = release.getSimpleName();
		}

		void report() {
			this.report.run();
		}

		private void write() {
			this.reports.incrementAndGet();
			this.meanwhile.run();
		}

		void reset() {
			this.meanwhile = () -> {
			};
			this.reports.set(0);
		}

		@Override
		public String toString() {
			return this.release;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Locks {

		@Bean
		LockProvider shedLock(RedisConnectionFactory redis) {
			return new RedisLockProvider(redis);
		}

	}

}
