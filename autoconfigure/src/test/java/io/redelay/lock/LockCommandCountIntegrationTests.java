package io.redelay.lock;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What locks ask of Redis, counted by a Redis of the test's own.
 */
class LockCommandCountIntegrationTests {

	private static final int CALLS = 100;

	private static final Pattern COMMAND = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	private RedisServer server;

	private RedissonClient redisson;

	private LockApplication application;

	private Guarded guarded;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		// Neither pings nor renewals in between.
		Config config = TestRedis.config().setLockWatchdogTimeout(600_000);
		config.useSingleServer()
			.setAddress(this.server.uri().toString())
			.setConnectionMinimumIdleSize(1)
			.setPingConnectionInterval(0);
		this.redisson = Redisson.create(config);
		this.application = LockApplication.start(this.redisson, Guarded.class);
		this.guarded = this.application.bean(Guarded.class);
	}

	@AfterEach
	void end() {
		this.application.close();
		this.redisson.shutdown();
		this.server.close();
	}

	@Test
	void callCostsWhatABareLockCosts() {
		Runnable nothing = () -> {
		};
		RLock lock = this.redisson.getLock("redelay:lock:{bare}");
		runUnder(lock, nothing);
		Map<String, Integer> bare = commandsOf(() -> {
			for (int i = 0; i < CALLS; i++) {
				runUnder(lock, nothing);
			}
		});
		Map<String, Integer> annotated = commandsOf(() -> {
			for (int i = 0; i < CALLS; i++) {
				this.guarded.run("annotated", nothing);
			}
		});
		assertThat(annotated).isEqualTo(bare).isNotEmpty();
	}

	@Test
	void reenteredCallSendsNoCommand() {
		this.guarded.run("a", () -> assertThat(commandsOf(() -> {
			for (int i = 0; i < CALLS; i++) {
				this.guarded.run("a", () -> this.guarded.runShortly("a"));
				this.application.template().<String, RuntimeException>execute(LockSpec.of("a"), () -> "again");
			}
		})).isEmpty());
	}

	@Test
	void onlyTheNameThatIsNotHeldSendsCommands() {
		this.guarded.runShortly("b");
		this.guarded.run("a", () -> {
			Map<String, Integer> one = commandsOf(() -> this.guarded.run("b", () -> {
			}));
			assertThat(commandsOf(() -> this.guarded.runBoth("a", "b"))).isEqualTo(one).isNotEmpty();
		});
	}

	private static void runUnder(RLock lock, Runnable body) {
		lock.lock();
		try {
			body.run();
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * Counts what Redis did, what scripts called included.
	 */
	private Map<String, Integer> commandsOf(Runnable action) {
		awaitUnlocks();
		this.server.command("CONFIG", "RESETSTAT");
		action.run();
		awaitUnlocks();
		Matcher command = COMMAND.matcher(String.valueOf(this.server.command("INFO", "commandstats")));
		Map<String, Integer> commands = new TreeMap<>();
		while (command.find()) {
			commands.put(command.group(1), Integer.valueOf(command.group(2)));
		}
		commands.keySet().removeAll(List.of("config|resetstat", "info", "keys"));
		return commands;
	}

	/**
	 * An unlock returns before the client has deleted the latch that it left for itself.
	 */
	private void awaitUnlocks() {
		Awaitility.await()
			.until(() -> String.valueOf(this.server.command("KEYS", "redisson_unlock_latch*")).equals("[]"));
	}

	/**
	 * A bean with locks.
	 */
	static class Guarded {

		@MyLock("#{id}")
		void run(String id, Runnable body) {
			body.run();
		}

		@MyLock(name = "#{id}", leaseTime = 1)
		void runShortly(String id) {
		}

		@MyLock({ "#{id}", "#{other}" })
		void runBoth(String id, String other) {
		}

	}

}
