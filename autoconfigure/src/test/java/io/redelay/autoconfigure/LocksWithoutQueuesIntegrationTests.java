package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockException;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLockType;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what {@link LockAdmin} knows where there are no queues.
 */
class LocksWithoutQueuesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	void aLockOfThisInstanceIsReportedByItselfAndByRedis() {
		String name = "report:" + TestRedis.queue();
		RedissonClient client = redis.client();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(RedissonClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("redelay.queue.enabled=false", "redelay.queue.instance-name=shop-1")
			.run((context) -> {
				LockAdmin locks = context.getBean(LockAdmin.class);
				assertThat(locks.locks()).isEmpty();
				context.getBean(LockTemplate.class).execute(LockSpec.of(name), () -> {
					assertThat(locks.locks()).singleElement().satisfies((reported) -> {
						assertThat(reported.name()).isEqualTo(name);
						assertThat(reported.holders()).singleElement().satisfies((holder) -> {
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

	@Test
	void aLockOfAQuorumThatIsHeldIsListedWithItsHolderWhereTheClientOfTheApplicationIsOfAMember() {
		String name = "report:" + TestRedis.queue();
		try (RedisServer own = RedisServer.start();
				RedisServer second = RedisServer.start();
				RedisServer third = RedisServer.start()) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
						RedissonAutoConfiguration.class, LockAutoConfiguration.class))
				.withPropertyValues("spring.data.redis.url=" + own.uri(), "redelay.queue.enabled=false",
						"redelay.queue.instance-name=shop-1", "redelay.lock.quorum.timeout=5s",
						"redelay.lock.quorum.addresses=" + own.uri() + "," + second.uri() + "," + third.uri())
				.run((context) -> {
					LockAdmin locks = context.getBean(LockAdmin.class);
					context.getBean(LockTemplate.class).execute(LockSpec.of(name).withProvider("quorum"), () -> {
						// Two of three have answered; this one may answer later.
						Awaitility.await()
							.until(() -> own.command("EXISTS", "redelay:quorum:{" + name + "}").equals(1L));
						assertThat(locks.locks()).singleElement()
							.satisfies((lock) -> assertHeldByThisThread(lock, name));
						assertThat(locks.lock(name)).singleElement().satisfies((lock) -> {
							assertHeldByThisThread(lock, name);
							assertThat(lock.holders().get(0).lease()).isPositive();
						});
						own.command("DEL", "redelay:quorum:{" + name + "}");
						assertThat(locks.lock(name)).as("two of three have it")
							.singleElement()
							.satisfies((lock) -> assertHeldByThisThread(lock, name));
						return null;
					});
					assertThat(locks.locks()).isEmpty();
					assertThat(locks.lock(name)).isEmpty();
				});
		}
	}

	private static void assertHeldByThisThread(LockInfo lock, String name) {
		assertThat(lock.name()).isEqualTo(name);
		assertThat(lock.type()).isEqualTo("quorum");
		assertThat(lock.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.name()).isEqualTo("shop-1");
			assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
		});
	}

	@Test
	void aLockOfAQuorumIsReadFromItsServersWhoseOneIsTheRedisOfTheApplication() {
		String name = "report:" + TestRedis.queue();
		String key = "redelay:quorum:{" + name + "}";
		RedissonClient client = redis.client();
		try (RedisServer second = RedisServer.start(); RedisServer third = RedisServer.start()) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
				.withBean(RedissonClient.class, () -> client, (definition) -> definition.setDestroyMethodName(""))
				.withPropertyValues("redelay.queue.enabled=false", "redelay.queue.instance-name=shop-1",
						"redelay.lock.quorum.timeout=5s",
						"redelay.lock.quorum.addresses=" + redis.uri() + "," + second.uri() + "," + third.uri())
				.run((context) -> {
					LockAdmin locks = context.getBean(LockAdmin.class);
					second.command("SET", key, "stranger:1", "PX", "600000");
					third.command("SET", key, "other:1", "PX", "600000");
					assertThat(locks.lock(name)).isEmpty();
					third.command("SET", key, "stranger:1", "PX", "300000");
					assertThat(locks.lock(name)).singleElement().satisfies((lock) -> {
						assertThat(lock.type()).isEqualTo("quorum");
						assertThat(lock.holders()).singleElement().satisfies((holder) -> {
							assertThat(holder.name()).isEqualTo("stranger");
							assertThat(holder.lease()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(5));
						});
					});
					second.command("DEL", key);
					third.command("DEL", key);
					context.getBean(LockTemplate.class)
						.execute(LockSpec.of(name).withProvider("quorum").withMinHold(Duration.ofMinutes(5)),
								() -> null);
					assertThat(locks.lock(name)).singleElement()
						.satisfies((lock) -> assertThat(lock.holders()).singleElement().satisfies((holder) -> {
							assertThat(holder.name()).isEqualTo("shop-1");
							assertThat(holder.lease()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(5));
						}));
					second.close();
					third.close();
					assertThatExceptionOfType(LockException.class).isThrownBy(() -> locks.lock(name))
						.withMessageContaining("No majority of the quorum answers");
				});
		}
	}

}
