package io.redelay.queue.listener;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.queue.listener.idempotency.KeyedRun;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * The runs that end with one delivery: the one that has the idempotency key of the
 * message, and the one of a tick. There is none for most messages.
 * <p>
 * Safe for use by many threads.
 */
final class DeliveryRuns {

	/**
	 * The run that has the message's idempotency key; {@code null} if it has none, or
	 * none yet.
	 */
	private volatile @Nullable KeyedRun keyed;

	/**
	 * Runs before the settlement of a tick; {@code null} if there is nothing to do.
	 */
	private volatile @Nullable Supplier<CompletableFuture<?>> endOfTick;

	@Nullable KeyedRun keyed() {
		return this.keyed;
	}

	void keyed(KeyedRun run) {
		this.keyed = run;
	}

	void endOfTick(@Nullable Supplier<CompletableFuture<?>> end) {
		this.endOfTick = end;
	}

	/**
	 * Ends the run that has the key, without a success.
	 */
	void drop() {
		KeyedRun present = this.keyed;
		if (present != null) {
			present.end(false, () -> {
			});
		}
	}

	/**
	 * Ends the runs. Their ends are recorded before the settlement is sent.
	 * @param succeeded whether the handling succeeded, so that no other message of the
	 * key is to be handled
	 * @param send sends a settlement
	 */
	void end(Settlement decided, boolean succeeded, Consumer<Settlement> send) {
		KeyedRun run = this.keyed;
		Completion completion = decided.completion();
		if (run == null) {
			afterTick(() -> send.accept(decided));
		}
		else if (completion == null || !decided.isAcknowledgment()) {
			run.end(succeeded, () -> afterTick(() -> send.accept(decided)));
		}
		else {
			// If this instance died between the two, the message would be acknowledged as
			// a duplicate later, without its sections.
			Settlement done = Settlement.done(decided.uid(), decided.claim(),
					new Completion(completion.sections(), (counted) -> {
						completion.tell(counted);
						run.end(succeeded && counted, () -> {
						});
					}));
			afterTick(() -> send.accept(done));
		}
	}

	/**
	 * Records the end of a tick's run before its settlement lets the next one begin.
	 */
	void afterTick(Runnable settlement) {
		Supplier<CompletableFuture<?>> end = this.endOfTick;
		if (end == null) {
			settlement.run();
			return;
		}
		CompletableFuture<?> told;
		try {
			told = end.get();
		}
		catch (Throwable ex) {
			told = CompletableFuture.failedFuture(ex);
		}
		told.whenComplete((done, failure) -> settlement.run());
	}

}
