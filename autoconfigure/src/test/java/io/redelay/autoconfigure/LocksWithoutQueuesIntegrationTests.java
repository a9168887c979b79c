package io.redelay.autoconfigure;

import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
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

}
