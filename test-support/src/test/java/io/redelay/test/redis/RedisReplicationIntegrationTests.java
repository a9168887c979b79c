package io.redelay.test.redis;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisReplication} with real processes.
 */
class RedisReplicationIntegrationTests {

	@Test
	void replicasFollowTheMaster() {
		try (RedisReplication replication = RedisReplication.builder().replicas(2).start()) {
			replication.master().command("SET", "name", "value");
			assertThat(replication.replicas()).hasSize(2);
			assertThat(replication.replicas()).allSatisfy((replica) -> await()
				.untilAsserted(() -> assertThat(replica.command("GET", "name")).isEqualTo("value")));
		}
	}

	@Test
	void replicasGiveThePasswordToTheirMaster() {
		try (RedisReplication replication = RedisReplication.builder().password("s3cret").start()) {
			replication.master().command("SET", "name", "value");
			await().untilAsserted(
					() -> assertThat(replication.replicas().get(0).command("GET", "name")).isEqualTo("value"));
		}
	}

	@Test
	void replicasRefuseWrites() {
		try (RedisReplication replication = RedisReplication.builder().start()) {
			assertThatExceptionOfType(RedisErrorException.class)
				.isThrownBy(() -> replication.replicas().get(0).command("SET", "name", "value"))
				.withMessageContaining("READONLY");
		}
	}

	@Test
	void endsAllServers() {
		RedisReplication replication = RedisReplication.builder().start();
		replication.close();
		assertThat(replication.servers()).hasSize(2).noneMatch(RedisServer::isRunning);
	}

	@Test
	void refusesANegativeNumberOfReplicas() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisReplication.builder().replicas(-1))
			.withMessage("'replicas' must be at least 0, not -1");
	}

}
