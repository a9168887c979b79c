package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.lock.LockHandle;
import io.redelay.lock.MyLockType;
import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.misc.CompletableFutureWrapper;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link RedissonWait}.
 */
class RedissonWaitTests {

	private static final long OWNER = 7;

	private static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * The waiting thread is interrupted, and Redisson has the grant already. All releases
	 * without an answer were sent before.
	 */
	@Test
	void aLockThatIsGrantedAfterTheInterruptIsReleased() {
		RLock lock = mock();
		RedissonClient client = mock();
		VirtualTime time = new VirtualTime();
		CompletableFuture<Boolean> answer = new DeafFuture();
		given(lock.tryLockAsync(anyLong(), anyLong(), any(), eq(OWNER)))
			.willReturn(new CompletableFutureWrapper<>(answer));
		given(lock.unlockAsync(OWNER)).willReturn(new CompletableFutureWrapper<>((Void) null));
		given(lock.isHeldByThreadAsync(OWNER)).willReturn(new CompletableFutureWrapper<>(false));
		RedissonLockProvider.Attempt attempt = new RedissonLockProvider.Attempt(
				RedissonLockProvider.of(client, MyLockType.RE_ENTRANT_LOCK), lock, OWNER, LEASE.toMillis(), LEASE,
				false, new ResentRequests(time), time);
		CompletableFuture<@Nullable LockHandle> result = new RedissonWait(attempt, Duration.ofMinutes(5)).start();
		result.cancel(true);
		time.advance(Duration.ofMinutes(2));
		clearInvocations(lock);
		answer.complete(true);
		verify(lock, atLeastOnce()).unlockAsync(OWNER);
	}

	private static final class DeafFuture extends CompletableFuture<Boolean> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return false;
		}

	}

}
