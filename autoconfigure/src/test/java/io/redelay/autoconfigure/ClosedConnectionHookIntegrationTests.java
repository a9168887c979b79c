package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.RedisCluster;
import io.redelay.test.redis.RedisReplication;
import io.redelay.test.redis.RedisSentinel;
import io.redelay.test.redis.TcpFaultProxy;
import io.redelay.test.redis.TcpFaultProxy.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.RedisException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for {@link ClosedConnectionHook}: a connection that is closed by
 * Redis while an answer is awaited on it is noticed long before the timeout of the
 * answer.
 */
class ClosedConnectionHookIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	private static final Duration SOON = TIMEOUT.dividedBy(4);

	@Test
	void anActionThatIsRemovedIsNotCalledAnyMore() {
		Config config = new Config();
		ClosedConnectionHook.install(config);
		ClosedConnectionHook hook = (ClosedConnectionHook) config.getNettyHook();
		AtomicInteger calls = new AtomicInteger();
		Runnable removal = hook.onSuspend(calls::incrementAndGet);
		hook.suspend();
		removal.run();
		hook.suspend();
		assertThat(calls).hasValue(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void standalone() {
		try (RedisServer server = RedisServer.start()) {
			assertThatClosedConnectionsAreNoticed(TestConnectionDetails.standaloneAt(server.host(), server.port()),
					List.of(server));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sentinel() {
		try (RedisSentinel redis = RedisSentinel.builder().sentinels(1).downAfter(Duration.ofMinutes(1)).start()) {
			assertThatClosedConnectionsAreNoticed(
					TestConnectionDetails.sentinelAt(redis.masterName(), 0, nodes(redis.sentinels())),
					List.of(redis.master()));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void masterReplica() {
		try (RedisReplication redis = RedisReplication.builder().start()) {
			assertThatClosedConnectionsAreNoticed(
					TestConnectionDetails.masterReplicaAt(nodes(List.of(redis.master(), redis.replicas().get(0)))),
					List.of(redis.master()));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void cluster() {
		try (RedisCluster redis = RedisCluster.builder().start()) {
			assertThatClosedConnectionsAreNoticed(TestConnectionDetails.clusterAt(nodes(redis.nodes())), redis.nodes());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLockWhoseAnswerWasLostIsNotAcquiredTwice() {
		try (RedisServer server = RedisServer.start(); TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			assertThatALockIsAcquiredOnce(TestConnectionDetails.standaloneAt(proxy.host(), proxy.port()), proxy,
					server);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLockWhoseAnswerWasLostIsNotAcquiredTwiceWhereThereAreReplicas() {
		try (RedisReplication redis = RedisReplication.builder().start();
				TcpFaultProxy master = TcpFaultProxy.to(redis.master());
				TcpFaultProxy replica = TcpFaultProxy.to(redis.replicas().get(0))) {
			assertThatALockIsAcquiredOnce(TestConnectionDetails.masterReplicaAt(node(master), node(replica)), master,
					redis.master());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anApplicationsOwnClient() {
		try (RedisServer server = RedisServer.start()) {
			Config config = TestRedis.config();
			config.useSingleServer().setAddress(server.uri().toString()).setTimeout((int) TIMEOUT.toMillis());
			ClosedConnectionHook.install(config);
			RedissonClient client = Redisson.create(config);
			try {
				assertThatClosedConnectionsAreNoticed(client, List.of(server));
			}
			finally {
				client.shutdown(0, 1, TimeUnit.SECONDS);
			}
		}
	}

	private static void assertThatClosedConnectionsAreNoticed(TestConnectionDetails details,
			Collection<RedisServer> servers) {
		RedissonClient client = client(details);
		try {
			assertThatClosedConnectionsAreNoticed(client, servers);
		}
		finally {
			client.shutdown(0, 1, TimeUnit.SECONDS);
		}
	}

	private static RedissonClient client(TestConnectionDetails details) {
		DataRedisProperties properties = new DataRedisProperties();
		properties.setTimeout(TIMEOUT);
		return new RedissonClientFactory(details, properties,
				new RedelayRedissonProperties(4, 4, 32, 8, false, true, Duration.ofSeconds(1)), List.of())
			.create();
	}

	private static void assertThatALockIsAcquiredOnce(TestConnectionDetails details, TcpFaultProxy proxy,
			RedisServer master) {
		RedissonClient client = client(details);
		try {
			RLock lock = client.getLock("lock");
			// The first lock asks Redis what it can do.
			assertThat(lock.tryLockAsync(1).toCompletableFuture()).succeedsWithin(SOON).isEqualTo(true);
			assertThat(lock.unlockAsync(1).toCompletableFuture()).succeedsWithin(SOON);
			proxy.hold(Direction.TO_CLIENT);
			CompletableFuture<Boolean> locked = lock.tryLockAsync(2).toCompletableFuture();
			await().until(() -> master.command("EXISTS", "lock").equals(1L));
			proxy.dropConnections();
			proxy.release(Direction.TO_CLIENT);
			assertThat(locked).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(RedisException.class);
			assertThat((List<?>) master.command("HVALS", "lock")).asString().isEqualTo("[1]");
			// The first connection that is taken may be one that was dropped, too.
			await().until(() -> {
				lock.unlockAsync(2).toCompletableFuture().exceptionally((failure) -> null).join();
				return master.command("EXISTS", "lock").equals(0L);
			});
		}
		finally {
			client.shutdown(0, 1, TimeUnit.SECONDS);
		}
	}

	private static void assertThatClosedConnectionsAreNoticed(RedissonClient client, Collection<RedisServer> servers) {
		RScript once = client.getScript(OptionalOptions.defaults().codec(StringCodec.INSTANCE).retryAttempts(0));
		String script = "return redis.call('INCR', KEYS[1])";
		assertThat(once.<Long>eval(RScript.Mode.READ_WRITE, script, RScript.ReturnType.LONG, List.of("script")))
			.isEqualTo(1);
		servers.forEach((server) -> server.command("CLIENT", "PAUSE", "600000", "WRITE"));
		CompletableFuture<Long> scripted = once
			.<Long>evalAsync(RScript.Mode.READ_WRITE, script, RScript.ReturnType.LONG, List.of("script"))
			.toCompletableFuture();
		CompletableFuture<Void> repeated = client.getBucket("command", StringCodec.INSTANCE)
			.setAsync("value")
			.toCompletableFuture();
		await().until(() -> servers.stream().mapToLong(ClosedConnectionHookIntegrationTests::waiting).sum() == 2);
		servers.forEach((server) -> {
			server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			server.command("CLIENT", "UNPAUSE");
		});
		assertThat(scripted).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(RedisReconnectedException.class);
		assertThat(repeated).succeedsWithin(SOON);
	}

	/**
	 * How many connections wait for Redis to write again.
	 */
	private static long waiting(RedisServer server) {
		return String.valueOf(server.command("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> line.contains(" flags=b "))
			.count();
	}

	private static Node node(TcpFaultProxy proxy) {
		return new Node(proxy.host(), proxy.port());
	}

	private static Node[] nodes(List<RedisServer> servers) {
		return servers.stream().map((server) -> new Node(server.host(), server.port())).toArray(Node[]::new);
	}

}
