package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLockType;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what {@link LockAdmin} knows where there are no queues.
 */
class LocksWithoutQueuesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void aLockOfThisInstanceIsToldByItselfAndByRedis() {
		String name = "report:" + TestRedis.queue();
		RedissonClient client = redis.client();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("redelay.queue.enabled=false", "redelay.queue.instance-name=shop-1")
			.run((context) -> {
				LockAdmin locks = context.getBean(LockAdmin.class);
				assertThat(locks.locks()).isEmpty();
				context.getBean(LockTemplate.class).execute(LockSpec.of(name), () -> {
					assertThat(locks.locks()).singleElement().satisfies((told) -> {
						assertThat(told.name()).isEqualTo(name);
						assertThat(told.holders()).singleElement().satisfies((holder) -> {
							assertThat(holder.name()).isEqualTo("shop-1");
							assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
						});
					});
					LockInfo asked = locks.lock(name).get(0);
					assertThat(asked.holders()).singleElement()
						.satisfies((holder) -> assertThat(holder.lease()).isPositive());
					return null;
				});
				assertThat(locks.lock(name)).isEmpty();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "RE_ENTRANT_LOCK", "FAIR_LOCK", "WRITE_LOCK", "fencedLockProvider" })
	void aLockThatIsHeldOnHasTheHolderThatItHad(String kind) {
		String name = "report:" + TestRedis.queue();
		LockSpec spec = LockSpec.of(name).withMinHold(Duration.ofMinutes(5));
		RedissonClient client = redis.client();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("redelay.queue.enabled=false", "redelay.queue.instance-name=shop-1")
			// It keeps something else under the key.
			.withBean("another", LockProvider.class,
					() -> (request) -> CompletableFuture.completedFuture(() -> CompletableFuture.completedFuture(true)))
			.run((context) -> {
				LockAdmin locks = context.getBean(LockAdmin.class);
				client.getBucket("redelay:another:{" + name + "}").set("text");
				context.getBean(LockTemplate.class)
					.execute(kind.endsWith("_LOCK") ? spec.withType(MyLockType.valueOf(kind)) : spec.withProvider(kind),
							() -> null);
				assertThat(locks.lock(name)).singleElement()
					.satisfies((lock) -> assertThat(lock.holders()).singleElement().satisfies((holder) -> {
						assertThat(holder.name()).isEqualTo("shop-1");
						assertThat(holder.thread()).isNull();
						assertThat(holder.lease()).isBetween(Duration.ofMinutes(3), Duration.ofMinutes(5));
					}));
			});
	}

}
