package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.lock.LockHandle;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockRequest;
import io.redelay.lock.MyLockType;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.RedissonFencedLock;
import org.redisson.RedissonObject;
import org.redisson.api.RFuture;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.connection.ServiceManager;

/**
 * Acquires locks of Redisson. Each lock has an owner id of its own instead of the id of
 * the thread that requested it, so that any thread can release it.
 *
 * @since 0.1.0
 */
public final class RedissonLockProvider implements LockProvider {

	/**
	 * Redisson takes an owner id where it usually takes the id of a thread; these ids are
	 * higher than any thread's.
	 */
	private static final AtomicLong owners = new AtomicLong(1L << 40);

	private static final LockScript HOLD_ON = LockScript.read("hold-on");

	private static final LockScript RENEW = LockScript.read("renew");

	private static final LockScript FAIR_LEAVE = LockScript.read("fair-leave");

	private final RedissonClient redisson;

	/**
	 * The built-in type, or {@code null} for locks with fencing tokens.
	 */
	private final @Nullable MyLockType type;

	private final Scheduler scheduler;

	private final ResentRequests requests;

	private RedissonLockProvider(RedissonClient redisson, @Nullable MyLockType type) {
		this.redisson = redisson;
		this.type = type;
		// Nothing here blocks, so that nothing is handed to the executor.
		this.scheduler = Scheduler.unclosed(Runnable::run);
		this.requests = new ResentRequests(this.scheduler);
	}

	/**
	 * Creates a provider of a built-in lock type.
	 * @param redisson the client
	 * @param type the type
	 * @return the provider
	 */
	public static RedissonLockProvider of(RedissonClient redisson, MyLockType type) {
		return new RedissonLockProvider(redisson, Objects.requireNonNull(type));
	}

	/**
	 * Creates a provider of locks with fencing tokens.
	 * @param redisson the client
	 * @return the provider
	 */
	public static RedissonLockProvider fenced(RedissonClient redisson) {
		return new RedissonLockProvider(redisson, null);
	}

	@Override
	public CompletableFuture<@Nullable LockHandle> acquire(LockRequest request) {
		Duration watchdog = watchdog();
		Duration asked = request.leaseTime();
		boolean outlives = asked == null && request.minHold().compareTo(watchdog) > 0;
		Duration lease = outlives ? request.minHold() : (asked != null) ? asked : watchdog;
		// Not cached: an RLock keeps the lease time of its last use.
		Attempt attempt = new Attempt(this, lock(request.key()), owners.getAndIncrement(),
				(outlives || asked != null) ? lease.toMillis() : -1, lease, outlives, this.requests, this.scheduler);
		return ((this.type == MyLockType.FAIR_LOCK)
				? new FairRedissonWait(attempt, request.waitTime(), this.redisson.getConfig().getFairLockWaitTimeout())
				: new RedissonWait(attempt, request.waitTime()))
			.start();
	}

	private RLock lock(String key) {
		if (this.type == null) {
			return this.redisson.getFencedLock(key);
		}
		return switch (this.type) {
			case RE_ENTRANT_LOCK -> this.redisson.getLock(key);
			case FAIR_LOCK -> this.redisson.getFairLock(key);
			case READ_LOCK -> this.redisson.getReadWriteLock(key).readLock();
			case WRITE_LOCK -> this.redisson.getReadWriteLock(key).writeLock();
		};
	}

	private Duration watchdog() {
		return Duration.ofMillis(this.redisson.getConfig().getLockWatchdogTimeout());
	}

	/**
	 * The attempt of one owner to acquire one lock.
	 *
	 * @param provider the provider
	 * @param lock the lock
	 * @param owner the owner
	 * @param leaseMillis the lease, or -1 to have Redisson renew it as long as the client
	 * lives
	 * @param lease how long the lock outlives the client
	 * @param renewed whether its handle renews the lock beyond the first lease, as
	 * Redisson does not
	 * @param requests sends requests that may arrive twice
	 * @param scheduler the clock and the timer
	 */
	record Attempt(RedissonLockProvider provider, RLock lock, long owner, long leaseMillis, Duration lease,
			boolean renewed, ResentRequests requests, Scheduler scheduler) {

		private static final Duration MAX_CLEAN_UP = Duration.ofMinutes(1);

		private static final int MAX_CLEAN_UPS = 200;

		private static final long OVERTAKEN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

		/**
		 * Requests the lock and waits for it.
		 * @return the answer, of which {@link #handle} makes a handle. If it is
		 * cancelled, Redisson releases a lock that it gets after that.
		 */
		RFuture<?> ask(long waitMillis) {
			if (this.lock instanceof RedissonFencedLock fenced) {
				return fenced.tryLockAndGetTokenAsync(waitMillis, this.leaseMillis, TimeUnit.MILLISECONDS, this.owner);
			}
			return this.lock.tryLockAsync(waitMillis, this.leaseMillis, TimeUnit.MILLISECONDS, this.owner);
		}

		/**
		 * Makes a handle of an answer.
		 * @param answer a fencing token, {@code true}, or another value if the lock was
		 * not acquired
		 * @param repeated whether the owner may have acquired the lock more than once
		 */
		@Nullable LockHandle handle(@Nullable Object answer, boolean repeated) {
			if (answer instanceof Long token) {
				return new RedissonLockHandle(this, token, repeated);
			}
			return Boolean.TRUE.equals(answer) ? new RedissonLockHandle(this, null, repeated) : null;
		}

		/**
		 * Returns whether Redisson may have sent a request twice by itself: where there
		 * are replicas, it does so when the answer is late.
		 */
		boolean isLate(long nanos) {
			return this.lock instanceof RedissonObject redissonLock && nanos >= TimeUnit.MILLISECONDS
				.toNanos(redissonLock.getServiceManager().getConfig().getTimeout());
		}

		/**
		 * Returns whether this owner holds the lock.
		 */
		CompletionStage<Boolean> isHeld() {
			return this.lock.isHeldByThreadAsync(this.owner);
		}

		/**
		 * Releases the lock if this owner holds it.
		 */
		CompletionStage<Boolean> unlock() {
			return this.lock.unlockAsync(this.owner).handle((done, ex) -> {
				Throwable failure = (ex != null) ? ResentRequests.causeOf(ex) : null;
				if (failure == null) {
					return true;
				}
				if (failure instanceof IllegalMonitorStateException
						|| failure.getCause() instanceof IllegalMonitorStateException) {
					return false;
				}
				throw new CompletionException(failure);
			});
		}

		/**
		 * Releases the lock as often as this owner acquired it: each request that arrives
		 * acquires it once more, the answer to which may have been lost.
		 * @return whether this owner held it
		 */
		CompletionStage<Boolean> unlockAll() {
			return unlock().thenCompose((unlocked) -> {
				if (!unlocked) {
					return CompletableFuture.completedFuture(false);
				}
				return isHeld().thenCompose((held) -> held ? unlockAll().thenApply((rest) -> true)
						: CompletableFuture.completedFuture(true));
			});
		}

		/**
		 * Leaves the line of a fair lock without a request for the lock, which could
		 * acquire it. The release after that wakes the next one in the line.
		 */
		CompletionStage<Boolean> leaveLine() {
			RedissonClient redisson = this.provider.redisson;
			String key = this.lock.getName();
			return FAIR_LEAVE
				.run(redisson, List.of("redisson_lock_queue:" + key, "redisson_lock_timeout:" + key),
						redisson.getId() + ":" + this.owner, redisson.getConfig().getFairLockWaitTimeout())
				.thenCompose((left) -> unlockAll());
		}

		/**
		 * How long to try to release the lock. It is free after its lease anyway.
		 */
		Duration cleanUpLimit() {
			return (this.lease.compareTo(MAX_CLEAN_UP) < 0) ? this.lease : MAX_CLEAN_UP;
		}

		/**
		 * Sets the time to live of the lock if this owner holds it, and stops renewing
		 * it. Redisson's watchdog would otherwise look once more, and go on renewing if
		 * Redis had gone back in time before that.
		 */
		CompletionStage<Boolean> holdOn(Duration time) {
			String key = this.lock.getName();
			if (this.provider.redisson instanceof Redisson client) {
				ServiceManager services = client.getServiceManager();
				services.getRenewalScheduler().cancelLockRenewal(services.getNameMapper().map(key), this.owner);
			}
			String queue = (isFair() ? "redisson_lock_queue:" : "redelay_no_queue:") + key;
			return HOLD_ON
				.run(this.provider.redisson, List.of(key, queue), field(), StoredHolds.HELD_ON + field(),
						Math.max(1, time.toMillis()), "redisson_lock__channel:" + key)
				.thenApply((reply) -> reply == 1);
		}

		/**
		 * Renews the lock if this owner holds it: one whose first lease was longer than
		 * those of Redisson's watchdog, which would shorten it.
		 */
		CompletionStage<Boolean> renew() {
			return RENEW.run(this.provider.redisson, List.of(this.lock.getName()), field(), watchdog().toMillis())
				.thenApply((reply) -> reply == 1);
		}

		private String field() {
			return this.provider.redisson.getId() + ":" + this.owner
					+ ((this.provider.type == MyLockType.WRITE_LOCK) ? ":write" : "");
		}

		/**
		 * The lease of each renewal.
		 */
		Duration watchdog() {
			return this.provider.watchdog();
		}

		boolean isFair() {
			return this.provider.type == MyLockType.FAIR_LOCK;
		}

		boolean isRead() {
			return this.provider.type == MyLockType.READ_LOCK;
		}

		/**
		 * Releases a lock that may have been granted although no answer came. The release
		 * is repeated, as it may have overtaken the request.
		 */
		void giveBack() {
			cleanUp((again) -> unlockAll(), cleanUpLimit());
		}

		/**
		 * Sends a request without which the lock or its queue stays blocked, and repeats
		 * it, as it may overtake the request that it cleans up after. If too many are
		 * pending, as while Redis is away, further ones are sent once only.
		 */
		void cleanUp(ResentRequests.Request<Boolean> request, Duration limit) {
			if (this.requests.count() > MAX_CLEAN_UPS) {
				this.requests.send(request, Duration.ZERO);
				return;
			}
			this.requests.send(request, limit)
				.thenRun(() -> this.scheduler.schedule(() -> this.requests.send(request, limit), OVERTAKEN_NANOS));
		}

	}

}
