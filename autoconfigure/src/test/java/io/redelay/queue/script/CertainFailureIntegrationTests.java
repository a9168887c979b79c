package io.redelay.queue.script;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that a request which certainly did nothing is not said to be of unknown outcome.
 */
class CertainFailureIntegrationTests {

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final Duration RESEND = Duration.ofSeconds(1);

	@AfterAll
	static void stop() {
		timer.shutdownNow();
	}

	@Test
	void aServerThatWasGoneBeforeTheFirstSendTookNothing() {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri(), Duration.ofMillis(500));
			try {
				TestQueue queue = new TestQueue(
						TestScripts.create(client, "redelay", RESEND, timer, ReplayMemory.NONE));
				TestSender batcher = new TestSender(queue.store, queue.name, 10, null);
				server.kill();
				assertNotSent(batcher, queue);
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void aSenderWhoseLaneWasPerhapsOpenedSentNothing() throws IOException {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri(), Duration.ofMillis(300));
			try {
				TestQueue queue = new TestQueue(
						TestScripts.create(client, "redelay", RESEND, timer, ReplayMemory.NONE));
				TestSender batcher = new TestSender(queue.store, queue.name, 10, null);
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT, Duration.ofMinutes(1));
				assertNotSent(batcher, queue);
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void aClientThatWasShutDownSentNothing() {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			TestQueue queue = new TestQueue(TestScripts.create(client, "redelay", RESEND, timer, ReplayMemory.NONE));
			TestSender batcher = new TestSender(queue.store, queue.name, 10, null);
			TestQueue.get(batcher.send(queue.messages(1)));
			client.shutdown();
			assertNotSent(batcher, queue);
		}
	}

	private static void assertNotSent(TestSender batcher, TestQueue queue) {
		Throwable thrown = catchThrowable(() -> TestQueue.get(batcher.send(queue.messages(1))));
		assertThat(thrown).isExactlyInstanceOf(StoreException.class);
	}

}
