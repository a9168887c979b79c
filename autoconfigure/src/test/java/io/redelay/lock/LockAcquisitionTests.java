package io.redelay.lock;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.redelay.test.TestSettings;
import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAcquisition}: whenever it is cancelled, nothing stays taken.
 */
class LockAcquisitionTests {

	private final VirtualTime time = new VirtualTime();

	private final Queue<CompletableFuture<@Nullable LockHandle>> requests = new ArrayDeque<>();

	/**
	 * The caller is interrupted while it waits, and cancels when the grant has come.
	 */
	@Test
	void aLockThatIsGrantedAtTheMomentOfTheCancellationIsReleased() {
		Granted granted = new Granted();
		CompletableFuture<@Nullable LockHandle> request = request(false);
		LockAcquisition acquisition = acquisition("a");
		CompletableFuture<LockFrame> frame = acquisition.start();
		request.complete(granted);
		assertThat(frame).isCompleted();
		acquisition.cancel();
		assertThat(granted.releases).isEqualTo(1);
		acquisition.cancel();
		assertThat(granted.releases).as("once").isEqualTo(1);
	}

	@Test
	void allLocksThatAreGrantedAtTheMomentOfTheCancellationAreReleased() {
		List<Granted> granted = List.of(new Granted(), new Granted());
		granted.forEach((each) -> request(false).complete(each));
		LockAcquisition acquisition = acquisition("a", "b");
		assertThat(acquisition.start()).isCompleted();
		acquisition.cancel();
		assertThat(granted).extracting((each) -> each.releases).containsExactly(1, 1);
	}

	@Test
	void aRequestThatWaitsIsCancelled() {
		CompletableFuture<@Nullable LockHandle> request = request(false);
		LockAcquisition acquisition = acquisition("a");
		CompletableFuture<LockFrame> frame = acquisition.start();
		acquisition.cancel();
		assertThat(request).isCancelled();
		assertThat(frame).isCompletedExceptionally();
	}

	@Test
	void aLockThatIsGrantedAfterTheCancellationIsReleased() {
		Granted granted = new Granted();
		CompletableFuture<@Nullable LockHandle> request = request(true);
		LockAcquisition acquisition = acquisition("a");
		acquisition.start();
		acquisition.cancel();
		request.complete(granted);
		assertThat(granted.releases).isEqualTo(1);
	}

	@Test
	void theLocksBeforeTheOneThatWaitsAreReleased() {
		Granted granted = new Granted();
		request(false).complete(granted);
		request(false);
		LockAcquisition acquisition = acquisition("a", "b");
		acquisition.start();
		acquisition.cancel();
		assertThat(granted.releases).isEqualTo(1);
	}

	private LockAcquisition acquisition(String... names) {
		LockProvider provider = (request) -> this.requests.remove();
		List<LockKey> keys = Stream.of(names).map((name) -> LockKey.of(this, "redelay", "memory", name)).toList();
		return new LockAcquisition(LockSpec.of(names).withProvider("memory"), keys, provider, TestSettings.LOCK, null,
				new UsedLocks(this.time), this.time);
	}

	/**
	 * Prepares the answer to the next request.
	 * @param deaf whether a cancellation comes too late for the provider
	 */
	private CompletableFuture<@Nullable LockHandle> request(boolean deaf) {
		CompletableFuture<@Nullable LockHandle> request = deaf ? new DeafFuture() : new CompletableFuture<>();
		this.requests.add(request);
		return request;
	}

	private static final class Granted implements LockHandle {

		private int releases;

		@Override
		public CompletionStage<Boolean> release() {
			this.releases++;
			return CompletableFuture.completedFuture(true);
		}

	}

	private static final class DeafFuture extends CompletableFuture<@Nullable LockHandle> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			return false;
		}

	}

}
