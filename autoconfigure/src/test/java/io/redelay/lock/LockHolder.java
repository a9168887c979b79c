package io.redelay.lock;

import java.util.concurrent.CountDownLatch;

import io.redelay.test.TestRedis;
import org.redisson.Redisson;
import org.redisson.config.Config;

/**
 * Takes a lock and keeps it, in a JVM of its own.
 */
final class LockHolder {

	static final int WATCHDOG_MILLIS = 5000;

	private LockHolder() {
	}

	/**
	 * Takes a lock, and waits to be killed.
	 * @param args where Redis is, and the name of the lock
	 */
	public static void main(String[] args) throws InterruptedException {
		LockApplication.start(Redisson.create(config(args[0]).setLockWatchdogTimeout(WATCHDOG_MILLIS)))
			.template()
			.<String, InterruptedException>execute(LockSpec.of(args[1]), () -> {
				new CountDownLatch(1).await();
				return "";
			});
	}

	static Config config(String uri) {
		Config config = TestRedis.config();
		config.useSingleServer().setAddress(uri).setTimeout(10_000).setConnectionMinimumIdleSize(1);
		return config;
	}

}
