package io.redelay.lock;

import java.io.IOException;
import java.nio.file.Path;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for holders that die.
 */
class LockHolderCrashIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	@Test
	void nextGetsTheLockOfAKilledHolderAfterTheTimeOfItsWatchdog() throws Exception {
		Process holder = start();
		try (LockApplication application = LockApplication.start(redis.client())) {
			await().until(() -> !application.isFree(this.name));
			long left = application.lock(this.name).remainTimeToLive();
			await("renewed").until(() -> application.lock(this.name).remainTimeToLive() > left);
			holder.destroyForcibly().waitFor();
			// With Redisson's own watchdog it would be 20 s at least.
			assertThat(application.lock(this.name).remainTimeToLive()).isLessThanOrEqualTo(LockHolder.WATCHDOG_MILLIS);
			String result = application.template()
				.<String, RuntimeException>execute(LockSpec.of(this.name).withStrategy(MyLockStrategy.KEEP_TRYING),
						() -> "next");
			assertThat(result).isEqualTo("next");
		}
		finally {
			holder.destroyForcibly();
		}
	}

	private Process start() throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
				LockHolder.class.getName(), redis.uri().toString(), this.name)
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(Path.of("target", "lock-holder.log").toFile()))
			.start();
	}

}
