package io.redelay.lock;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

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
	void nextGetsTheLockOfAKilledHolderWithinTheTimeOfItsWatchdog() throws Exception {
		Process holder = start();
		try (LockApplication application = LockApplication.start(redis.client())) {
			await().atMost(Duration.ofSeconds(60)).until(() -> !application.isFree(this.name));
			Duration watchdog = Duration.ofMillis(LockHolder.WATCHDOG_MILLIS);
			long left = application.lock(this.name).remainTimeToLive();
			await("renewed").until(() -> application.lock(this.name).remainTimeToLive() > left);
			holder.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
			long start = System.nanoTime();
			String result = application.template()
				.<String, RuntimeException>execute(LockSpec.of(this.name).withStrategy(MyLockStrategy.KEEP_TRYING),
						() -> "next");
			assertThat(result).isEqualTo("next");
			// With Redisson's own watchdog it would take 20 s at least.
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(watchdog.plusSeconds(14));
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
