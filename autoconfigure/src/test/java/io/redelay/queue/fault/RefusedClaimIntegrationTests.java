package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is finished while Redis refuses claims, or is away for longer than the lease, is
 * not handled again, for Redis lost nothing.
 */
class RefusedClaimIntegrationTests extends FaultTests {

	private static final int MESSAGES = 4;

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().appendOnly(this.folder).config("appendfsync always").start();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatEndsWhileClaimsAreRefusedIsHandledOnce() {
		SlowListener listener = begin(Duration.ofMinutes(5));
		this.redis.command("ACL", "SETUSER", "default", "-evalsha", "-eval");
		List<Object> refused = new ArrayList<>();
		listener.mayEnd.countDown();
		Awaitility.await().until(() -> listener.ended.get() == MESSAGES);
		// At least one claim with what is finished was refused.
		Awaitility.await().until(() -> {
			refused.addAll((List<?>) this.redis.command("ACL", "LOG"));
			return !refused.isEmpty();
		});
		this.redis.command("ACL", "SETUSER", "default", "+@all");
		assertHandledOnce(listener);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatEndsWhileRedisIsAwayForLongerThanTheLeaseIsHandledOnce() {
		SlowListener listener = begin(LEASE);
		this.redis.kill();
		listener.mayEnd.countDown();
		Awaitility.await().until(() -> listener.ended.get() == MESSAGES);
		// Longer than a lease.
		Awaitility.await().pollDelay(LEASE.plusMillis(500)).until(() -> true);
		this.redis.restart();
		assertHandledOnce(listener);
	}

	private SlowListener begin(Duration lease) {
		ConfigurableApplicationContext application = instance(SlowListener.class, "spring.data.redis.timeout=500ms",
				"redelay.queue.resend-timeout=1s", "redelay.queue.listener.lease-time=" + lease.toSeconds() + "s");
		SlowListener listener = application.getBean(SlowListener.class);
		listener.admin = application.getBean(QueueAdmin.class);
		for (int i = 0; i < MESSAGES; i++) {
			queue(application).send(this.queue, "m" + i);
		}
		Awaitility.await().until(() -> listener.begun.size() == MESSAGES);
		return listener;
	}

	private void assertHandledOnce(SlowListener listener) {
		Awaitility.await().ignoreExceptions().untilAsserted(() -> {
			QueueInfo info = listener.admin.queues().info(this.queue);
			assertThat(info.ready() + info.scheduled() + info.inFlight() + info.dead()).as(info.toString()).isZero();
		});
		assertThat(listener.begun).hasSize(MESSAGES).doesNotHaveDuplicates();
	}

	/**
	 * Handles until it may end.
	 */
	static class SlowListener {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final AtomicInteger ended = new AtomicInteger();

		final CountDownLatch mayEnd = new CountDownLatch(1);

		volatile QueueAdmin admin;

		@QueueListener("${test.queue}")
		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.mayEnd.await();
			this.ended.incrementAndGet();
		}

	}

}
