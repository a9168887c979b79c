package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockException;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLockStrategy;
import io.redelay.lock.MyLockType;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.RedissonObject;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for what instances announce: their listeners and locks.
 */
class InstancesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void reportsWhatAListenerDoesAndHowItIsSet() {
		Holding holding = new Holding();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("queue", this.queue)
			.with("redelay.queue.safety-poll-interval", "100ms")
			.bean(holding)
			.start()) {
			// It takes three claims to know how long they take.
			Awaitility.await()
				.until(() -> instance(application),
						(each) -> each != null && listener(each).queues().get(0).claimTime() != null);
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "a"), OutboundMessage.to(this.queue, "b")));
			InstanceListener listener = Awaitility.await()
				.until(() -> instance(application), (each) -> each != null && listener(each).busy() == 1)
				.listeners()
				.get(0);
			assertThat(listener.state()).isEqualTo(InstanceListener.State.RUNNING);
			assertThat(listener.concurrency()).isOne();
			assertThat(listener.queues()).singleElement().satisfies((reported) -> {
				assertThat(reported.queue()).isEqualTo(this.queue);
				assertThat(reported.maxAttempts()).isEqualTo(3);
				assertThat(reported.maxInFlight()).isEqualTo(5);
				assertThat(reported.rateLimit()).isEqualTo("100/1s");
				assertThat(reported.deadLetterQueue()).isEqualTo(this.queue + "-dead");
				assertThat(reported.leaseTime()).isEqualTo(Duration.ofSeconds(7));
				assertThat(reported.sinceClaim()).isNotNull();
			});
			QueueAdmin admin = application.bean(QueueAdmin.class);
			QueuedMessage held = admin.messages().browse(this.queue, MessageState.IN_FLIGHT, 0, 1).messages().get(0);
			assertThat(admin.queues().instances()).filteredOn((each) -> each.instance().equals(held.instance()))
				.singleElement()
				.satisfies((each) -> assertThat(each.name()).endsWith(":" + ProcessHandle.current().pid()));
			holding.done.countDown();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void reportsAStopBeforeTheNextHeartbeat() {
		Holding holding = new Holding();
		holding.done.countDown();
		try (ListenerApplication watching = start(); ListenerApplication application = start(holding)) {
			QueueListeners listeners = application.bean(QueueListeners.class);
			boolean early = false;
			for (int i = 0; i < 5 && !early; i++) {
				InstanceInfo running = awaitState(watching, InstanceListener.State.RUNNING);
				listeners.stop("holding").join();
				InstanceInfo stopped = awaitState(watching, InstanceListener.State.STOPPED);
				// A heartbeat comes after five seconds. A machine that stands still may
				// report it
				// late, but not each time.
				early = Duration.between(running.announcedAt(), stopped.announcedAt())
					.compareTo(Duration.ofSeconds(2)) < 0;
				listeners.start("holding");
			}
			assertThat(early).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInstanceThatEndsIsTakenOffTheList() {
		Holding holding = new Holding();
		holding.done.countDown();
		try (ListenerApplication watching = start()) {
			try (ListenerApplication application = start(holding)) {
				awaitState(watching, InstanceListener.State.RUNNING);
			}
			Awaitility.await().until(() -> instance(watching) == null);
		}
	}

	private InstanceInfo awaitState(ListenerApplication application, InstanceListener.State state) {
		return Awaitility.await()
			.until(() -> instance(application), (reported) -> reported != null && listener(reported).state() == state);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void showsTheHolderAndTheWaitersOfALock() throws InterruptedException {
		String name = "stock:" + this.queue;
		CompletableFuture<Void> done = new CompletableFuture<>();
		try (ListenerApplication first = start(Locking.class); ListenerApplication second = start(Locking.class)) {
			LockAdmin locks = first.bean(LockAdmin.class);
			LockSpec spec = LockSpec.of(name).withStrategy(MyLockStrategy.KEEP_TRYING);
			CountDownLatch held = new CountDownLatch(1);
			Thread holder = new Thread(() -> first.bean(LockTemplate.class).execute(spec, () -> {
				held.countDown();
				done.join();
				return null;
			}), "holder of " + this.queue);
			Thread waiter = new Thread(() -> second.bean(LockTemplate.class).execute(spec, () -> null),
					"waiter for " + this.queue);
			holder.start();
			held.await();
			waiter.start();
			LockInfo reported = Awaitility.await()
				.until(() -> locks.locks().stream().filter((lock) -> lock.name().equals(name)).findFirst().orElse(null),
						(lock) -> lock != null && !lock.waiters().isEmpty() && !lock.holders().isEmpty());
			assertThat(reported.type()).isEqualTo("RE_ENTRANT_LOCK");
			assertThat(reported.holders()).singleElement()
				.satisfies((each) -> assertThat(each.thread()).isEqualTo(holder.getName()));
			assertThat(reported.waiters()).singleElement()
				.satisfies((each) -> assertThat(each.thread()).isEqualTo(waiter.getName()));
			assertThat(reported.holders().get(0).since()).isBefore(reported.waiters().get(0).since().plusSeconds(30));
			assertThat(locks.lock(name)).singleElement().satisfies((lock) -> {
				assertThat(lock.holders()).singleElement().satisfies((each) -> assertThat(each.lease()).isPositive());
				assertThat(lock.waiters()).hasSize(1);
			});
			done.complete(null);
			waiter.join();
			holder.join();
			assertThat(locks.lock(name)).as("its holder is asked for")
				.allSatisfy((lock) -> assertThat(lock.holders()).isEmpty());
			Awaitility.await().until(() -> locks.locks().stream().noneMatch((lock) -> lock.name().equals(name)));
		}
		finally {
			done.complete(null);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void saysThatRedisDoesNotReturnALock() {
		try (ListenerApplication application = start(Locking.class)) {
			LockTemplate template = application.bean(LockTemplate.class);
			LockAdmin locks = application.bean(LockAdmin.class);
			for (MyLockType type : List.of(MyLockType.RE_ENTRANT_LOCK, MyLockType.READ_LOCK)) {
				String name = type + ":" + this.queue;
				// Redis answers with an error.
				redis.client().getBucket(template.key(LockSpec.of(name).withType(type))).set("no lock");
				assertThatExceptionOfType(LockException.class).isThrownBy(() -> locks.lock(name));
			}
			String line = "line:" + this.queue;
			String key = template.key(LockSpec.of(line).withType(MyLockType.FAIR_LOCK));
			redis.client().getBucket(RedissonObject.prefixName("redisson_lock_queue", key)).set("no line");
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> locks.lock(line));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theWaitersForAFairLockAreReadFromItsLine() throws InterruptedException {
		String name = "fair:" + this.queue;
		try (ListenerApplication application = start(Locking.class)) {
			LockAdmin locks = application.bean(LockAdmin.class);
			LockTemplate template = application.bean(LockTemplate.class);
			LockSpec spec = LockSpec.of(name).withType(MyLockType.FAIR_LOCK).withStrategy(MyLockStrategy.KEEP_TRYING);
			// Applications that do not report their locks, on the same Redis.
			RedissonClient holder = TestRedis.connect(redis.uri());
			RedissonClient waiter = TestRedis.connect(redis.uri());
			try {
				holder.getFairLock(template.key(spec)).lock();
				waiter.getFairLock(template.key(spec)).lockAsync(1);
				Awaitility.await().until(() -> waiters(locks, name).equals(List.of(waiter.getId())));
				Thread own = new Thread(() -> template.execute(spec, () -> null), "waiter for " + this.queue);
				own.start();
				LockInfo lock = Awaitility.await()
					.until(() -> locks.locks().stream().filter((each) -> each.name().equals(name)).findFirst(),
							(reported) -> reported.isPresent() && reported.get().waiters().size() == 2)
					.orElseThrow();
				assertThat(lock.type()).isEqualTo("FAIR_LOCK");
				assertThat(lock.waiters().get(0).instance()).isNull();
				assertThat(lock.waiters().get(0).name()).isEqualTo(waiter.getId());
				assertThat(lock.waiters().get(1).thread()).isEqualTo(own.getName());
				assertThat(locks.lock(name)).singleElement().satisfies((asked) -> {
					assertThat(asked.holders()).extracting(LockInfo.Holder::name).containsExactly(holder.getId());
					assertThat(asked.waiters()).hasSize(2).first().isEqualTo(lock.waiters().get(0));
				});
				holder.getFairLock(template.key(spec)).forceUnlock();
				waiter.shutdown();
				own.interrupt();
				own.join();
			}
			finally {
				holder.shutdown();
				waiter.shutdown();
			}
		}
	}

	private static List<String> waiters(LockAdmin locks, String name) {
		return locks.lock(name).stream().flatMap((lock) -> lock.waiters().stream()).map(LockInfo.Waiter::name).toList();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLockThatIsNotHeldIsNotThere() {
		try (ListenerApplication application = start(Locking.class)) {
			LockAdmin locks = application.bean(LockAdmin.class);
			assertThat(locks.lock("nobody:" + this.queue)).isEmpty();
			assertThat(locks.now()).as("by the clock of this machine's Redis")
				.isCloseTo(Instant.now(), within(10, ChronoUnit.MINUTES));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void oneLookAtAllQueuesIsSharedForSeconds() {
		try (ListenerApplication application = start()) {
			IntStream.range(0, 3).forEach((i) -> application.queues().send(this.queue, i));
			QueueSnapshots snapshots = application.bean(QueueSnapshots.class);
			QueueSnapshots.Look look = snapshots.latest();
			assertThat(look.queues().get(this.queue).info().ready()).isEqualTo(3);
			assertThat(look.queues().get(this.queue).status()).isEqualTo(QueueStatus.STOPPED);
			application.queues().send(this.queue, "one more");
			Awaitility.await().until(() -> snapshots.latest().queues().get(this.queue).info().ready() == 4);
			assertThat(Duration.between(look.time(), snapshots.latest().time()))
				.isGreaterThanOrEqualTo(Duration.ofSeconds(4));
		}
	}

	private @Nullable InstanceInfo instance(ListenerApplication application) {
		return application.bean(QueueAdmin.class)
			.queues()
			.instances()
			.stream()
			.filter((instance) -> listener(instance) != null)
			.findFirst()
			.orElse(null);
	}

	private @Nullable InstanceListener listener(InstanceInfo instance) {
		return instance.listeners()
			.stream()
			.filter((listener) -> listener.queues().stream().anyMatch((each) -> each.queue().equals(this.queue)))
			.findFirst()
			.orElse(null);
	}

	private ListenerApplication start(Object... beans) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis).with("queue", this.queue);
		for (Object each : beans) {
			if (each instanceof Class<?> type) {
				builder.beans(type);
			}
			else {
				builder.bean(each);
			}
		}
		return builder.start();
	}

	static class Holding {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", id = "holding", concurrency = "1", maxAttempts = "3", maxInFlight = "5",
				rateLimit = "100/1s", deadLetterQueue = "${queue}-dead", leaseTime = "7s")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

}
