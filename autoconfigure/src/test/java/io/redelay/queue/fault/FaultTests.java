package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueOperations;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.redisson.api.RedissonClient;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * What tests of faults have in common: a Redis of their own, a fresh queue, and instances
 * that are ended at the end.
 */
abstract class FaultTests {

	/**
	 * What a test waits for after the death of a process; long enough for one that lives
	 * on a busy machine. Instances inside this JVM have the default, 30 s, unless a test
	 * waits for the end of theirs.
	 */
	static final Duration LEASE = Duration.ofSeconds(5);

	/**
	 * Remembers what is sent for long enough that a busy machine loses it, finds out and
	 * sends it again.
	 */
	static final String REPLAY = "redelay.queue.replay.duration=5m";

	final String queue = TestRedis.queue();

	private final List<AutoCloseable> toClose = new ArrayList<>();

	RedisServer redis;

	@BeforeEach
	void startRedis() {
		this.redis = startServer();
	}

	RedisServer startServer() {
		return RedisServer.start();
	}

	@AfterEach
	void endAll() throws Exception {
		for (int i = this.toClose.size() - 1; i >= 0; i--) {
			this.toClose.get(i).close();
		}
		this.redis.close();
	}

	ConfigurableApplicationContext instance(Class<?> listener, String... properties) {
		ConfigurableApplicationContext context = Instance.start(listener,
				properties(List.of("spring.lifecycle.timeout-per-shutdown-phase=2s"), properties));
		this.toClose.add(context);
		return context;
	}

	InstanceProcess process(Class<?> listener, String... properties) {
		InstanceProcess process = InstanceProcess.start(listener,
				properties(List.of("redelay.queue.listener.lease-time=" + LEASE.toSeconds() + "s"), properties));
		this.toClose.add(process);
		return process;
	}

	static QueueOperations queue(ConfigurableApplicationContext context) {
		return context.getBean(QueueOperations.class);
	}

	static RedissonClient redisson(ConfigurableApplicationContext context) {
		return context.getBean(RedissonClient.class);
	}

	private List<String> properties(List<String> defaults, String[] properties) {
		List<String> all = new ArrayList<>(List.of("test.queue=" + this.queue));
		all.addAll(defaults);
		all.addAll(List.of(properties));
		if (all.stream().noneMatch((property) -> property.matches("spring\\.data\\.redis\\.(sentinel|cluster)\\..*"))) {
			all.add(0, "spring.data.redis.url=" + this.redis.uri());
		}
		return all;
	}

}
