package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.redelay.queue.request.OutcomeUnknownException;
import org.jspecify.annotations.Nullable;

/**
 * The handling of one message that has an idempotency key, from the request to begin to
 * its end.
 * <p>
 * Safe for use by many threads. Nothing blocks.
 *
 * @since 0.1.0
 */
public final class KeyedRun {

	private final RunOwner owner;

	private final String key;

	private final String name;

	private final Duration window;

	private @Nullable CompletableFuture<RunOnceScript.Answer> answer;

	private boolean ended;

	/**
	 * Whether Redis certainly does not hold the key for this run.
	 */
	private volatile boolean notBegun;

	KeyedRun(RunOwner owner, String key, String name, Duration window) {
		this.owner = owner;
		this.key = key;
		this.name = name;
		this.window = window;
	}

	/**
	 * Asks whether the run may begin. Repeated calls ask only once; an ended run does not
	 * ask.
	 * @return {@link RunOnceScript.Answer.State#MINE} if it may, and its end must be
	 * recorded; fails if the store cannot be asked, or if the run has ended
	 */
	public CompletableFuture<RunOnceScript.Answer> begin() {
		CompletableFuture<RunOnceScript.Answer> asked;
		synchronized (this) {
			if (this.answer != null) {
				return this.answer;
			}
			asked = this.ended ? CompletableFuture.failedFuture(new IllegalStateException("The run has ended"))
					: this.owner.add(step(RunOnceScript.Step.Action.BEGIN)).whenComplete(this::begun);
			this.answer = asked;
		}
		this.owner.send();
		return asked;
	}

	private void begun(RunOnceScript.@Nullable Answer given, @Nullable Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		this.notBegun = (given != null) ? given.state() != RunOnceScript.Answer.State.MINE
				: !(cause instanceof OutcomeUnknownException);
	}

	/**
	 * Returns whether the run has not ended, and the lease that keeps the key for it
	 * cannot be over yet. Its message may end while its handler waits for the answer.
	 * @return whether the run still has its key
	 */
	public synchronized boolean isValid() {
		return !this.ended && this.owner.isValid();
	}

	/**
	 * Ends the run. Only the first call counts.
	 * @param done whether its handling has succeeded
	 * @param then run after the end was recorded, or at once if there is nothing to
	 * record. A success is recorded first, however long that takes. After a failure it
	 * also runs if the key could not be freed yet, which is tried again
	 */
	public void end(boolean done, Runnable then) {
		CompletableFuture<RunOnceScript.Answer> recorded = null;
		synchronized (this) {
			if (!this.ended) {
				this.ended = true;
				this.owner.ended(this.name);
				if (done || (this.answer != null && !this.notBegun)) {
					recorded = this.owner
						.add(step(done ? RunOnceScript.Step.Action.DONE : RunOnceScript.Step.Action.FREE));
				}
			}
		}
		if (recorded == null) {
			then.run();
			return;
		}
		recorded.whenComplete((given, failure) -> then.run());
		this.owner.send();
	}

	private RunOnceScript.Step step(RunOnceScript.Step.Action action) {
		return new RunOnceScript.Step(action, this.key, this.name,
				(action == RunOnceScript.Step.Action.DONE) ? this.window : Duration.ZERO);
	}

}
