package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.QueueException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.Idempotency;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Runs actions whose keys are in Redis. All actions of an application are runs of one
 * {@link RunOwner}, with one lease.
 *
 * @since 0.1.0
 */
public final class IdempotencyTemplate implements Idempotency, AutoCloseable {

	/**
	 * The key space, in place of a queue; no queue has such a name.
	 */
	static final String KEY_SPACE = ":idempotency";

	private static final Log logger = PlainLog.of(IdempotencyTemplate.class);

	/**
	 * How long to wait at the end for the answer to the last request.
	 */
	private static final Duration LAST_REQUEST = Duration.ofSeconds(2);

	private final RunOwner owner;

	private final Duration lease;

	private final Scheduler scheduler;

	private volatile boolean closed;

	/**
	 * Creates a template.
	 * @param scripts the scripts of the server that keeps the keys
	 * @param lease after what time the keys of an instance that sends no requests are
	 * free
	 * @param scheduler the clock and the timer, and runs actions of futures
	 */
	public IdempotencyTemplate(QueueScripts scripts, Duration lease, Scheduler scheduler) {
		this.owner = new RunOwner(scripts, "the bean Idempotency", KEY_SPACE, lease, IdempotencySettings.DEFAULT_WINDOW,
				scheduler);
		this.lease = lease;
		this.scheduler = scheduler;
	}

	@Override
	public <E extends Exception> boolean once(String key, Duration window, Action<E> action) throws E {
		return run(key, window, true, action) == Outcome.RAN;
	}

	@Override
	public <E extends Exception> Outcome tryOnce(String key, Duration window, Action<E> action) throws E {
		return run(key, window, false, action);
	}

	@Override
	public CompletableFuture<Boolean> onceAsync(String key, Duration window,
			Supplier<? extends CompletionStage<?>> action) {
		return run(key, window, true, action).thenApply((outcome) -> outcome == Outcome.RAN);
	}

	@Override
	public CompletableFuture<Outcome> tryOnceAsync(String key, Duration window,
			Supplier<? extends CompletionStage<?>> action) {
		return run(key, window, false, action);
	}

	@Override
	public boolean isDone(String key) {
		return await(isDoneAsync(key), key);
	}

	@Override
	public CompletableFuture<Boolean> isDoneAsync(String key) {
		return step(RunOnceScript.Step.Action.LOOK, key, Duration.ZERO)
			.thenApply((answer) -> answer.state() == RunOnceScript.Answer.State.DONE);
	}

	@Override
	public Optional<Running> running(String key) {
		return await(runningAsync(key), key);
	}

	@Override
	public CompletableFuture<Optional<Running>> runningAsync(String key) {
		return step(RunOnceScript.Step.Action.LOOK, key, Duration.ZERO)
			.thenApply((answer) -> (answer.state() == RunOnceScript.Answer.State.RUNNING)
					? Optional.of(new Running(answer.elapsed(), answer.rest())) : Optional.empty());
	}

	@Override
	public void markDone(String key, Duration window) {
		await(markDoneAsync(key, window), key);
	}

	@Override
	public CompletableFuture<Void> markDoneAsync(String key, Duration window) {
		IdempotencySettings.check("window", window);
		return step(RunOnceScript.Step.Action.DONE, key, window).thenAccept((answer) -> {
		});
	}

	@Override
	public void forget(String key) {
		await(forgetAsync(key), key);
	}

	@Override
	public CompletableFuture<Void> forgetAsync(String key) {
		return step(RunOnceScript.Step.Action.FORGET, key, Duration.ZERO).thenAccept((answer) -> {
		});
	}

	/**
	 * Frees the keys of actions that still run. One that succeeds nevertheless is still
	 * recorded.
	 */
	@Override
	public void close() {
		this.closed = true;
		try {
			this.owner.close().get(LAST_REQUEST.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The keys of actions that run are free when the lease is over", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private <E extends Exception> Outcome run(String key, Duration window, boolean waits, Action<E> action) throws E {
		CompletableFuture<Begun> begin = begin(key, window, waits);
		Begun begun;
		try {
			begun = await(begin, key);
		}
		catch (QueueException ex) {
			// The run may still begin, and no other code would end it.
			begin.thenAccept((late) -> late.end(false));
			throw ex;
		}
		KeyedRun run = begun.run();
		if (run == null) {
			return begun.outcome();
		}
		boolean succeeded = false;
		try {
			action.run();
			succeeded = true;
		}
		finally {
			if (!succeeded) {
				begun.end(false);
			}
		}
		await(succeeded(begun, key), key);
		return Outcome.RAN;
	}

	private CompletableFuture<Outcome> run(String key, Duration window, boolean waits,
			Supplier<? extends CompletionStage<?>> action) {
		return begin(key, window, waits).thenCompose((begun) -> {
			if (begun.run() == null) {
				return CompletableFuture.completedFuture(begun.outcome());
			}
			CompletableFuture<Outcome> outcome = new CompletableFuture<>();
			Runnable task = () -> invoke(action).whenComplete((result, failure) -> {
				if (failure != null) {
					begun.end(false);
					outcome.completeExceptionally(unwrapped(failure));
				}
				else {
					succeeded(begun, key).whenComplete((recorded, problem) -> complete(outcome, problem));
				}
			});
			if (!this.scheduler.execute(task)) {
				begun.end(false);
				outcome.completeExceptionally(
						new QueueException("There is no thread to run the action of the key '" + key + "' on"));
			}
			return outcome;
		});
	}

	private static void complete(CompletableFuture<Outcome> outcome, @Nullable Throwable problem) {
		if (problem != null) {
			outcome.completeExceptionally(unwrapped(problem));
		}
		else {
			outcome.complete(Outcome.RAN);
		}
	}

	/**
	 * Records a success. This is tried for as long as the application lives; the future
	 * waits for it within the lease.
	 */
	private CompletableFuture<Void> succeeded(Begun begun, String key) {
		return this.scheduler.limit(begun.end(true), this.lease).exceptionally((failure) -> {
			throw new QueueException(
					"The action of the idempotency key '" + key + "' succeeded, but Redis has not recorded that within "
							+ this.lease + "; until it does, another one may run",
					failure);
		});
	}

	private static CompletionStage<?> invoke(Supplier<? extends CompletionStage<?>> action) {
		try {
			return action.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Asks for a key until it is free or done.
	 * @param waits whether to wait while another run has the key
	 */
	private CompletableFuture<Begun> begin(String key, Duration window, boolean waits) {
		IdempotencySettings.check("window", window);
		check(key);
		KeyedRun run = this.owner.run(key, window);
		return run.begin().handle((answer, failure) -> {
			if (answer == null || answer.state() != RunOnceScript.Answer.State.MINE) {
				run.end(false, () -> {
				});
			}
			if (failure != null) {
				throw failed(key, failure);
			}
			return answer;
		}).thenCompose((answer) -> switch (answer.state()) {
			case MINE -> CompletableFuture.completedFuture(new Begun(run, Outcome.RAN));
			case DONE -> CompletableFuture.completedFuture(new Begun(null, Outcome.DONE_BEFORE));
			default -> waits ? later(answer.lookAgain(), key).thenCompose((ready) -> begin(key, window, true))
					: CompletableFuture.completedFuture(new Begun(null, Outcome.RUNS_ELSEWHERE));
		});
	}

	private CompletableFuture<Void> later(Duration pause, String key) {
		CompletableFuture<Void> later = new CompletableFuture<>();
		if (this.scheduler.schedule(() -> later.complete(null), pause) == null) {
			later.completeExceptionally(closed(key));
		}
		return later;
	}

	private CompletableFuture<RunOnceScript.Answer> step(RunOnceScript.Step.Action action, String key,
			Duration window) {
		check(key);
		return this.scheduler.limit(this.owner.key(action, key, window), this.lease).exceptionally((failure) -> {
			throw failed(key, failure);
		});
	}

	private void check(String key) {
		Assert.hasText(key, "'key' must not be blank");
		if (this.closed) {
			throw closed(key);
		}
	}

	private static QueueException closed(String key) {
		return new QueueException("The application is closing, so the key '" + key + "' was not asked for");
	}

	private static QueueException failed(String key, Throwable failure) {
		Throwable cause = unwrapped(failure);
		return (cause instanceof QueueException exception) ? exception
				: new QueueException("Redis could not be asked for the idempotency key '" + key + "': "
						+ ((cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getSimpleName()),
						cause);
	}

	private static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static <T> T await(CompletableFuture<T> future, String key) {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			throw failed(key, (ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueException("Interrupted while waiting for the idempotency key '" + key + "'", ex);
		}
	}

	/**
	 * The outcome of asking for a key.
	 *
	 * @param run the run that has the key, or {@code null} if it was not begun
	 * @param outcome why it was not begun
	 */
	private record Begun(@Nullable KeyedRun run, Outcome outcome) {

		CompletableFuture<Void> end(boolean succeeded) {
			CompletableFuture<Void> recorded = new CompletableFuture<>();
			if (this.run != null) {
				this.run.end(succeeded, () -> recorded.complete(null));
			}
			else {
				recorded.complete(null);
			}
			return recorded;
		}

	}

}
