package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.redisson.RedissonConfigCustomizer;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.config.ConstantDelay;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks on a Redis with a replica that receives them or not.
 */
class LockReplicaIntegrationTests {

	/**
	 * Longer than a test waits for anything.
	 */
	private static final Duration LEASE = Duration.ofMinutes(10);

	private final RedisServer master = RedisServer.start();

	private final RedisServer replica = RedisServer.builder()
		.config("replicaof " + this.master.host() + " " + this.master.port())
		.start();

	private final LockSpec spec = LockSpec.of(LockApplication.name()).withWaitTime(Duration.ofMinutes(1));

	@BeforeEach
	void waitForReplica() {
		await().until(() -> ((String) this.master.command("INFO", "replication")).contains("state=online"));
	}

	@AfterEach
	void stop() {
		this.replica.resume();
		this.replica.close();
		this.master.close();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void lockThatNoReplicaReceivedFailsAndIsGivenBack() {
		runner().run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(run(template)).isEqualTo("run");
			this.replica.pause();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> run(template))
				.withMessageContaining("synced");
			await().until(() -> this.master.command("EXISTS", key()).equals(0L));
		});
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void lockThatNoReplicaReceivedIsHadIfThatIsNotChecked() {
		runner().withPropertyValues("redelay.redisson.check-synced-replicas=false").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			this.replica.pause();
			assertThat(run(template)).isEqualTo("run");
		});
	}

	/**
	 * Where there are replicas the script that takes the lock is one of a batch.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void lockWhoseAnswerIsLostWithItsConnectionIsGivenBack() {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.master);
				TcpFaultProxy other = TcpFaultProxy.to(this.replica)) {
			runner(proxy.host(), proxy.port(), other.host(), other.port())
				.withPropertyValues("spring.data.redis.timeout=1m", "redelay.redisson.replica-sync-timeout=1m")
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					assertThat(run(template)).isEqualTo("run");
					// The batch is answered once the replica has the lock.
					this.replica.pause();
					CompletableFuture<String> lost = CompletableFuture.supplyAsync(() -> template
						.<String, RuntimeException>execute(this.spec.withLeaseTime(LEASE), () -> "run"),
							(task) -> new Thread(task).start());
					await().until(() -> this.master.command("EXISTS", key()).equals(1L));
					proxy.dropConnections();
					this.replica.resume();
					assertThat(lost).failsWithin(LEASE)
						.withThrowableThat()
						.withCauseInstanceOf(LockBackendException.class);
					await().until(() -> this.master.command("EXISTS", key()).equals(0L));
				});
		}
	}

	private String run(LockTemplate template) {
		return template.<String, RuntimeException>execute(this.spec, () -> "run");
	}

	private String key() {
		return "redelay:lock:{" + this.spec.names().get(0) + "}";
	}

	private ApplicationContextRunner runner() {
		return runner(this.master.host(), this.master.port(), this.replica.host(), this.replica.port());
	}

	private static ApplicationContextRunner runner(String host, int port, String replicaHost, int replicaPort) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
					LockAutoConfiguration.class))
			// Redisson asks again for a lock that no replica received.
			.withBean(RedissonConfigCustomizer.class,
					() -> (config) -> config.useReplicatedServers()
						.setRetryDelay(new ConstantDelay(Duration.ofMillis(100))))
			.withPropertyValues("redelay.redisson.replica-sync-timeout=1s",
					"spring.data.redis.masterreplica.nodes=%s:%d,%s:%d".formatted(host, port, replicaHost,
							replicaPort));
	}

}
