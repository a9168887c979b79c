package io.redelay.lock;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that are kept, waited for in order, and waited for in numbers.
 */
class LeaseIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	private RedissonClient client;

	private LockApplication application;

	@BeforeEach
	void start() {
		Config config = TestRedis.config().setLockWatchdogTimeout(9000);
		config.useSingleServer()
			.setAddress(redis.uri().toString())
			.setTimeout(10_000)
			.setConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(4);
		this.client = Redisson.create(config);
		this.application = LockApplication.start(this.client);
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.client.shutdown();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void watchdogKeepsALockForAsLongAsTheBodyRuns() {
		execute(spec(), () -> {
			awaitRenewal();
			awaitRenewal();
			return "";
		});
		assertThat(this.application.isFree(this.name)).isTrue();
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void fairLockServesInOrder() {
		Runnable release = this.application.hold(this.client.getFairLock(key()));
		List<Integer> order = new CopyOnWriteArrayList<>();
		LockSpec spec = spec().withType(MyLockType.FAIR_LOCK).withWaitTime(Duration.ofMinutes(2));
		Set<Object> seen = new HashSet<>();
		for (int i = 0; i < 12; i++) {
			int number = i;
			// Every third gives up early, which must not cost the others their places.
			LockSpec own = (number % 3 == 1) ? spec.withWaitTime(Duration.ofMillis(700)) : spec;
			CompletableFuture<Void> waiter = async(() -> execute(own, () -> order.add(number)));
			// Who gave up leaves, and comes back for a moment: only a new one counts.
			await().pollInterval(Duration.ofMillis(5)).until(() -> seen.addAll(waiting()) || waiter.isDone());
		}
		await().until(() -> waiting().size() == 8);
		release.run();
		await().until(() -> order.size() == 8);
		assertThat(order).containsExactly(0, 2, 3, 5, 6, 8, 9, 11);
	}

	private void awaitRenewal() {
		AtomicLong before = new AtomicLong(Long.MAX_VALUE);
		await().until(() -> {
			long left = this.application.lock(this.name).remainTimeToLive();
			return left > before.getAndSet(left);
		});
	}

	private Collection<Object> waiting() {
		return this.client.getScoredSortedSet("redisson_lock_timeout:" + key()).readAll();
	}

	private String key() {
		return "redelay:lock:{" + this.name + "}";
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyContendedNamesAreAllServed() {
		int names = 300;
		List<Runnable> releases = IntStream.range(0, names)
			.mapToObj((i) -> this.application.hold(this.name + "-" + i))
			.toList();
		List<CompletableFuture<Void>> all = IntStream.range(0, names)
			.mapToObj((i) -> async(() -> execute(LockSpec.of(this.name + "-" + i).withWaitTime(Duration.ofMinutes(2)),
					() -> "served")))
			.toList();
		await().during(Duration.ofSeconds(3)).until(() -> all.stream().noneMatch(CompletableFuture::isDone));
		releases.forEach(Runnable::run);
		assertThat(all).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofMinutes(2)));
	}

	private LockSpec spec() {
		return LockSpec.of(this.name);
	}

	private <T> T execute(LockSpec spec, LockedCallback<T, RuntimeException> body) {
		return this.application.template().execute(spec, body);
	}

	private static CompletableFuture<Void> async(Runnable action) {
		return CompletableFuture.runAsync(action, (task) -> new Thread(task).start());
	}

}
