package io.redelay.lock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RAtomicLong;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for instances of an application, each a JVM of its own, that share locks.
 */
class LockInstancesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	@Test
	void instancesExcludeEachOther() throws Exception {
		Process one = start();
		Process other = start();
		try {
			RAtomicLong ready = redis.client().getAtomicLong(LockCounter.ready(this.name));
			await().until(() -> ready.get() == 2);
			redis.client().getBucket(LockCounter.go(this.name)).set("go");
			assertThat(one.waitFor(2, TimeUnit.MINUTES)).isTrue();
			assertThat(other.waitFor(2, TimeUnit.MINUTES)).isTrue();
			for (MyLockType type : LockCounter.EXCLUSIVE) {
				assertThat(new Sale(redis.client(), LockCounter.count(this.name, type)).sold()).as(type.name())
					.isEqualTo(2 * LockCounter.ROUNDS);
			}
		}
		finally {
			one.destroyForcibly();
			other.destroyForcibly();
		}
	}

	private Process start() throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
				LockCounter.class.getName(), redis.uri().toString(), this.name)
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(Path.of("target", "lock-counter.log").toFile()))
			.start();
	}

}
