package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.delivery.LockUse;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.guard.GuardLevel;
import io.redelay.guard.GuardSettings;
import io.redelay.guard.RedisFitness;
import io.redelay.lock.LockProviders;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockThreads;
import io.redelay.lock.MyLockType;
import io.redelay.lock.redisson.InstanceLocks;
import io.redelay.lock.redisson.LockDirectory;
import io.redelay.lock.redisson.StoredHolds;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.TestSettings;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for how long reads of the endpoints wait for Redis.
 */
class ReadLimitIntegrationTests {

	private final String queue = TestRedis.queue();

	@Test
	void aReadFailsSoonWhileRedisDoesNotAnswer() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				application.queues().send(this.queue, "x");
				QueueAdmin admin = application.bean(QueueAdmin.class);
				QueueSnapshots snapshots = application.bean(QueueSnapshots.class);
				assertThat(Responses.read(() -> admin.queues().info(this.queue)).getStatus()).isEqualTo(200);
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT);
				long start = System.nanoTime();
				WebEndpointResponse<Object> response = Responses.read(() -> {
					snapshots.latest();
					return admin.queues().info(this.queue);
				});
				Duration waited = Duration.ofNanos(System.nanoTime() - start);
				proxy.release(TcpFaultProxy.Direction.TO_CLIENT);
				assertThat(response.getStatus()).isEqualTo(503);
				assertThat(response.getBody()).asString().contains("Redis has not answered for 3 s");
				assertThat(waited).as("much less than the 30 s for which requests are repeated")
					.isLessThan(Duration.ofSeconds(20));
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void aReadThatWaitsForAnotherOneFailsSoonAsWell() throws Exception {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				application.queues().send(this.queue, "x");
				QueueSnapshots snapshots = application.bean(QueueSnapshots.class);
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT);
				Thread first = new Thread(() -> Responses.of(snapshots::latest));
				first.start();
				Awaitility.await().until(() -> first.getState() == Thread.State.WAITING);
				WebEndpointResponse<Object> response = Responses.read(snapshots::latest);
				boolean isStillWaiting = first.isAlive();
				proxy.release(TcpFaultProxy.Direction.TO_CLIENT);
				first.join();
				assertThat(response.getStatus()).isEqualTo(503);
				assertThat(response.getBody()).asString().contains("Redis has not answered for 3 s");
				assertThat(isStillWaiting).as("the other one, which has no limit").isTrue();
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
				QueueReads reads = reads(application, client);
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
				assertThat(silent.lookedAt()).as("as old as the look")
					.isCloseTo(before.lookedAt(), within(1, ChronoUnit.SECONDS));
				assertThat(silent.time()).as("by which pages set their clocks").isAfter(before.time());
			}
			finally {
				client.shutdown();
			}
		}
	}

	@Test
	void theStatusOfARedisThatDoesNotSayHowItIsHasTheRest() {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				application.queues().send(this.queue, "x", Duration.ofHours(1));
				QueueReads reads = reads(application, client);
				assertThat(reads.status().redis()).isNotNull();
				server.command("ACL", "SETUSER", "default", "-info");
				StatusView status = reads.status();
				assertThat(status.redis()).as("it answers").isNull();
				assertThat(status.instances())
					.isEqualTo(application.bean(QueueAdmin.class).queues().instances().size());
				assertThat(status.scheduled()).isOne();
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static QueueReads reads(ListenerApplication application, RedissonClient client) {
		GuardSettings off = new GuardSettings(GuardLevel.OFF, GuardLevel.OFF, GuardLevel.OFF, GuardLevel.OFF);
		return new QueueReads(application.bean(QueueAdmin.class), application.bean(QueueSnapshots.class),
				new EndpointRights(Access.NONE, List.of(), Show.NEVER, List.of()),
				new RedisWatch(new RedisFitness(client, off, 0.99)::examine, Duration.ZERO,
						new SimpleAsyncTaskExecutor(), System::nanoTime));
	}

	@Test
	void aReadOfLocksDoesSoAsWell() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			RedissonClient client = TestRedis.connect(proxy.uri());
			client.getReadWriteLock(this.queue).readLock().lock();
			LockThreads threads = LockThreads.platform();
			LockTemplate locks = new LockTemplate(new LockProviders(Map.of(), Map.of()), (name) -> name,
					TestSettings.LOCK, List.of(), threads);
			StoredHolds stored = new StoredHolds(client);
			List<InstanceLocks> reported = List.of(new InstanceLocks("one", "one", client.getId(), Instant.now(),
					List.of(new LockUse(this.queue, MyLockType.FAIR_LOCK.name(), false, "main", Duration.ZERO, null))));
			LockReads known = new LockReads(new LockDirectory(() -> CompletableFuture.completedFuture(reported), stored,
					locks, InstantSource.fixed(Instant.EPOCH)));
			LockReads asked = new LockReads(
					new LockDirectory(CompletableFuture::new, stored, locks, InstantSource.system()));
			try {
				WebEndpointResponse<Object> held = Responses.read(() -> known.lock(this.queue));
				assertThat(held.getStatus()).isEqualTo(200);
				assertThat(held.getBody()).asString().contains("time=" + Instant.EPOCH);
				proxy.hold(TcpFaultProxy.Direction.TO_CLIENT);
				long start = System.nanoTime();
				List<WebEndpointResponse<Object>> responses = Stream
					.<Supplier<Object>>of(() -> known.locks(null, null, null), () -> known.lock(this.queue),
							() -> asked.locks(null, null, null), () -> asked.lock(this.queue))
					.map(Responses::read)
					.toList();
				Duration waited = Duration.ofNanos(System.nanoTime() - start);
				proxy.release(TcpFaultProxy.Direction.TO_CLIENT);
				assertThat(responses).allSatisfy((response) -> {
					assertThat(response.getStatus()).isEqualTo(503);
					assertThat(response.getBody()).asString().contains("Redis has not answered for 3 s");
				});
				assertThat(waited).as("four times three seconds").isLessThan(Duration.ofSeconds(25));
			}
			finally {
				locks.close();
				threads.close();
				client.shutdown();
			}
		}
	}

}
