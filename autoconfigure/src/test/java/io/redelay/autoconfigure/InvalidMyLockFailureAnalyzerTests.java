package io.redelay.autoconfigure;

import io.redelay.lock.MyLock;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link InvalidMyLockFailureAnalyzer}.
 */
class InvalidMyLockFailureAnalyzerTests {

	@Test
	void namesTheBeanTheMethodTheAttributeAndTheMend() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean("coupons", Coupons.class)
			.run((context) -> {
				FailureAnalysis analysis = new InvalidMyLockFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription())
					.isEqualTo("The attribute 'leaseTime' of the @MyLock on the method " + Coupons.class.getName()
							+ ".claim of the bean 'coupons' cannot work: " + "Redis cannot hold a lock for 0 seconds.");
				assertThat(analysis.getAction())
					.isEqualTo("Use at least 1 ms and at most 100 years, or -1 to hold the lock for as long as the "
							+ "method runs.");
			});
	}

	@Test
	void isFoundBySpringBoot() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, (type, name, failure) -> {
			})).hasAtLeastOneElementOfType(InvalidMyLockFailureAnalyzer.class);
	}

	static class Coupons {

		@MyLock(name = "coupon", leaseTime = 0)
		void claim() {
		}

	}

}
