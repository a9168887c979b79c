package io.redelay.lock;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for scheduled methods of many instances whose clocks differ.
 */
class ScheduledLockIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	@Test
	void scheduledMethodRunsOnceThoughTheClocksOfTheInstancesDiffer() {
		List<LockApplication> instances = new ArrayList<>();
		try {
			for (int skew : new int[] { 0, 250, 500 }) {
				instances.add(LockApplication.start(redis.client(), (context) -> prepare(context, skew), Job.class));
			}
			await().until(() -> instances.stream().allMatch((instance) -> tries(instance) >= 3));
			assertThat(runs()).isEqualTo(1);
			assertThat(types(instances)).containsOnlyOnce(LockEvent.Type.ACQUIRED).contains(LockEvent.Type.BUSY);
			// As if the time were over.
			redis.client().getBucket("redelay:lock:{" + this.name + "}").delete();
			await().until(() -> runs() == 2);
		}
		finally {
			instances.forEach(LockApplication::close);
		}
	}

	private void prepare(AnnotationConfigApplicationContext context, int skewMillis) {
		TestPropertyValues.of("job=" + this.name).applyTo(context);
		context.registerBean("taskScheduler", ThreadPoolTaskScheduler.class, () -> {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setClock(Clock.offset(Clock.systemUTC(), Duration.ofMillis(skewMillis)));
			scheduler.setDaemon(true);
			return scheduler;
		});
	}

	private static long tries(LockApplication instance) {
		return instance.eventTypes()
			.stream()
			.filter((type) -> type == LockEvent.Type.ACQUIRED || type == LockEvent.Type.BUSY)
			.count();
	}

	private static List<LockEvent.Type> types(List<LockApplication> instances) {
		return instances.stream().flatMap((instance) -> instance.eventTypes().stream()).toList();
	}

	private long runs() {
		return redis.client().getAtomicLong(this.name + ":runs").get();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Job {

		@Bean
		Report report(RedissonClient client, @Value("${job}") String name) {
			return new Report(client, name);
		}

	}

	static class Report {

		private final RedissonClient client;

		private final String name;

		Report(RedissonClient client, String name) {
			this.client = client;
			this.name = name;
		}

		@Scheduled(cron = "* * * * * *")
		@MyLock(name = "${job}", lockStrategy = MyLockStrategy.SKIP_FAST, minHold = 10, unit = TimeUnit.MINUTES)
		public void run() {
			this.client.getAtomicLong(this.name + ":runs").incrementAndGet();
		}

	}

}
