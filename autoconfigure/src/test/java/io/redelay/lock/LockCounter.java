package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;

import static io.redelay.test.Waiting.await;

/**
 * Sells under each exclusive kind of lock, in a JVM of its own.
 */
final class LockCounter {

	static final int ROUNDS = 150;

	static final List<MyLockType> EXCLUSIVE = List.of(MyLockType.RE_ENTRANT_LOCK, MyLockType.FAIR_LOCK,
			MyLockType.WRITE_LOCK);

	private LockCounter() {
	}

	/**
	 * Sells, as soon as it may.
	 * @param args where Redis is, and the name of the lock
	 */
	public static void main(String[] args) {
		RedissonClient client = Redisson.create(LockHolder.config(args[0]));
		String name = args[1];
		try (LockApplication application = LockApplication.start(client, Counter.class)) {
			Counter counter = application.bean(Counter.class);
			client.getAtomicLong(ready(name)).incrementAndGet();
			await().atMost(Duration.ofMinutes(2)).until(() -> client.getBucket(go(name)).isExists());
			for (int i = 0; i < ROUNDS; i++) {
				counter.reentrant(name);
				counter.fair(name);
				counter.write(name);
			}
		}
		client.shutdown();
	}

	static String ready(String name) {
		return name + ":ready";
	}

	static String go(String name) {
		return name + ":go";
	}

	static String count(String name, MyLockType type) {
		return name + ":" + type;
	}

	static class Counter {

		private final RedissonClient client;

		Counter(RedissonClient client) {
			this.client = client;
		}

		@MyLock(name = "#{name}", waitTime = 120)
		void reentrant(String name) {
			sell(count(name, MyLockType.RE_ENTRANT_LOCK));
		}

		@MyLock(name = "fair-#{name}", waitTime = 120, lockType = MyLockType.FAIR_LOCK)
		void fair(String name) {
			sell(count(name, MyLockType.FAIR_LOCK));
		}

		@MyLock(name = "#{name}", waitTime = 120, lockType = MyLockType.WRITE_LOCK)
		void write(String name) {
			sell(count(name, MyLockType.WRITE_LOCK));
		}

		private void sell(String count) {
			new Sale(this.client, count).sell();
		}

	}

}
