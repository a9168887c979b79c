package io.redelay.benchmarks.start;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The start of an application with one listener, or one locked method, loads no classes
 * and makes no beans that it did not before. The figures depend on no machine, and are
 * compared with the ones of spring-data-redis in the same JVM. If a start needs more on
 * purpose, raise the bound, and say why in the commit.
 */
class StartIntegrationTests {

	/**
	 * How many classes more than an application with spring-data-redis: what was measured
	 * and 2 % of it.
	 */
	private static final double CLASSES = (Runtime.version().feature() < 21) ? 3030 : 3210;

	private static final double LOCK_CLASSES = -260;

	private static final double BEANS = 154;

	private static RedisServer server;

	private static StartCost data;

	@BeforeAll
	static void startWithoutRedelay() {
		server = RedisServer.start();
		data = start(StartedKind.DATA);
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@Test
	void anApplicationWithAListenerLoadsNoMoreThanBefore() {
		StartCost queue = start(StartedKind.REDELAY);
		assertThat(queue.classes() - data.classes()).as("classes").isLessThanOrEqualTo(CLASSES);
		assertThat(queue.beans() - data.beans()).as("beans").isLessThanOrEqualTo(BEANS);
	}

	@Test
	void anApplicationWithALockLoadsNoMoreThanBefore() {
		StartCost lock = start(StartedKind.LOCK);
		assertThat(lock.classes() - data.classes()).as("classes").isLessThanOrEqualTo(LOCK_CLASSES);
	}

	private static StartCost start(StartedKind kind) {
		return new StartProcess(server).run(kind, null, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
	}

}
