package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.List;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.guard.GuardLevel;
import io.redelay.guard.GuardSettings;
import io.redelay.guard.RedisFitness;
import io.redelay.lock.LockAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how long reads of the endpoints wait for Redis.
 */
class ReadLimitIntegrationTests {

	private final String queue = TestRedis.queue();

	@Test
	void aReadFailsSoonWhileRedisDoesNotAnswer() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri());
			try (ListenerApplication application = ListenerApplication.on(client).beans(Locking.class).start()) {
				application.queues().send(this.queue, "x");
				QueueAdmin admin = application.bean(QueueAdmin.class);
				QueueSnapshots snapshots = application.bean(QueueSnapshots.class);
				assertThat(Responses.read(() -> admin.queues().info(this.queue)).getStatus()).isEqualTo(200);
				LockReads locks = new LockReads(application.bean(LockAdmin.class));
				assertThat(Responses.read(() -> locks.locks(null, null, null)).getStatus()).isEqualTo(200);
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT);
				long start = System.nanoTime();
				WebEndpointResponse<Object> response = Responses.read(() -> {
					snapshots.latest();
					return admin.queues().info(this.queue);
				});
				WebEndpointResponse<Object> ofLocks = Responses.read(() -> locks.locks(null, null, null));
				Duration waited = Duration.ofNanos(System.nanoTime() - start);
				proxy.release(TcpFaultProxy.Direction.TO_CLIENT);
				assertThat(response.getStatus()).isEqualTo(503);
				assertThat(response.getBody()).asString().contains("Redis has not answered for 3 s");
				assertThat(ofLocks.getStatus()).isEqualTo(503);
				assertThat(ofLocks.getBody()).asString().contains("Redis has not answered for 3 s");
				assertThat(waited).as("much less than the 30 s for which requests are repeated")
					.isLessThan(Duration.ofSeconds(20));
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void theStatusSaysThatRedisDoesNotAnswerAndKeepsTheFigures() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				application.queues().send(this.queue, "x", Duration.ofHours(1));
				QueueAdmin admin = application.bean(QueueAdmin.class);
				QueueReads reads = new QueueReads(admin, application.bean(QueueSnapshots.class),
						new EndpointRights(Access.NONE, List.of(), Show.NEVER, List.of()),
						new RedisWatch(
								new RedisFitness(client,
										new GuardSettings(GuardLevel.OFF, GuardLevel.OFF, GuardLevel.OFF,
												GuardLevel.OFF),
										0.99)::examine,
								Duration.ZERO, new SimpleAsyncTaskExecutor(), System::nanoTime));
				StatusView before = reads.status();
				assertThat(before.redis()).isNotNull();
				assertThat(before.redis().answers()).isTrue();
				assertThat(before.redis().role()).isEqualTo("master");
				assertThat(before.redis().usedBytes()).isPositive();
				assertThat(before.instances()).isEqualTo(admin.queues().instances().size());
				assertThat(before.scheduled()).isOne();
				assertThat(before.nextDue()).isNotNull();
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT);
				StatusView silent = reads.status();
				proxy.release(TcpFaultProxy.Direction.TO_CLIENT);
				assertThat(silent.redis().answers()).isFalse();
				assertThat(silent.instances()).isNull();
				assertThat(silent.scheduled()).isOne();
				assertThat(silent.time()).as("as old as the look").isEqualTo(before.time());
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

}
