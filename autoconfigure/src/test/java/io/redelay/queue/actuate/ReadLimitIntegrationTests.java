package io.redelay.queue.actuate;

import java.time.Duration;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

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

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

}
