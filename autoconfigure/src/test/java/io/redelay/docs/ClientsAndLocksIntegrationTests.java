package io.redelay.docs;

import java.util.stream.IntStream;

import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the chapters "Locks", "The Redis client" and "Capacity" does what they say.
 */
class ClientsAndLocksIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void codeOfTheChaptersRuns() {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("spring.data.redis.url=" + redis.uri(), "redelay.queue.key-prefix=" + TestRedis.queue())
			.run((context) -> {
				assertThat(context.getBean(RedissonClient.class).getConfig().getLockWatchdogTimeout())
					.isEqualTo(10_000);
				ClientsAndLocks.Coupons coupons = context.getBean(ClientsAndLocks.Coupons.class);
				coupons.claim("launch", 7);
				assertThat(coupons.users()).containsExactly(7L);
				ClientsAndLocks.Partitions partitions = context.getBean(ClientsAndLocks.Partitions.class);
				IntStream.range(0, 10)
					.forEach((id) -> partitions.place(new ClientsAndLocks.Partitions.Order("order-" + id)));
				Awaitility.await().untilAsserted(() -> assertThat(partitions.handled).hasSize(10));
			});
	}

	@Test
	void aClientOfOnesOwnGetsTheHook() {
		RedissonClient client = ClientsAndLocks.ownClient(redis.uri().toString());
		try {
			assertThat(client.getConfig().getNettyHook()).isNotNull();
			assertThat(client.getKeys().count()).isNotNegative();
		}
		finally {
			client.shutdown();
		}
	}

	@EnableAutoConfiguration
	@Import({ ClientsAndLocks.class, ClientsAndLocks.Coupons.class, ClientsAndLocks.Partitions.class })
	static class Application {

	}

}
