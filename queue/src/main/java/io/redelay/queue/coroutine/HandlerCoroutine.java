package io.redelay.queue.coroutine;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.redelay.kotlin.KotlinFunction;
import io.redelay.kotlin.RunningCoroutines;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.HandlingCancelledException;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.CompletableDeferred;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.CoroutineDispatcher;
import org.jspecify.annotations.Nullable;

/**
 * The coroutine of one handling, as a future. It completes when the function and all that
 * it started have ended, also after it was cancelled: a message must not be settled while
 * its handler still works on it.
 * <p>
 * The outcome is that of the function: one that returns although it was cancelled has
 * done its work.
 */
final class HandlerCoroutine extends CompletableFuture<@Nullable Object> implements Continuation<@Nullable Object> {

	/**
	 * A deferred and no simple job, which would leave the failure of a coroutine that the
	 * function launches to the thread's handler of exceptions.
	 */
	private final CompletableDeferred<Unit> job = CompletableDeferredKt.CompletableDeferred(null);

	private final RunningCoroutines running = RunningCoroutines.in(EmptyCoroutineContext.INSTANCE);

	private final CoroutineContext context;

	private final Function<@Nullable Object, @Nullable CompletionStage<?>> results;

	private volatile @Nullable CancellationToken token;

	private CancellationToken.@Nullable Registration registration;

	/**
	 * What the function returned, if that is to be waited for.
	 */
	private volatile @Nullable CompletionStage<?> returned;

	HandlerCoroutine(CoroutineDispatcher dispatcher, Function<@Nullable Object, @Nullable CompletionStage<?>> results) {
		this.results = results;
		this.context = dispatcher.plus(this.job).plus(this.running).plus(new HandlingThreadState());
	}

	void start(KotlinFunction function, Object bean, @Nullable Object[] arguments, CancellationToken token) {
		this.token = token;
		this.registration = token.onCancel((reason) -> cancel(new HandlingCancelledException(reason)));
		try {
			token.throwIfCancelled();
			Object result = function.start(bean, arguments, this);
			if (result != IntrinsicsKt.getCOROUTINE_SUSPENDED()) {
				ended(result, null);
			}
		}
		catch (InvocationTargetException ex) {
			ended(null, ex.getTargetException());
		}
		catch (Throwable ex) {
			ended(null, ex);
		}
	}

	@Override
	public CoroutineContext getContext() {
		return this.context;
	}

	@Override
	public void resumeWith(Object result) {
		try {
			ResultKt.throwOnFailure(result);
			ended(result, null);
		}
		catch (Throwable ex) {
			ended(null, (ex instanceof InvocationTargetException thrown) ? thrown.getTargetException() : ex);
		}
	}

	/**
	 * Called when the function has ended; coroutines that it started in its context may
	 * not have.
	 */
	private void ended(@Nullable Object result, @Nullable Throwable failure) {
		boolean cancelled = this.job.isCancelled();
		if (failure == null) {
			this.job.complete(Unit.INSTANCE);
		}
		else {
			this.job.completeExceptionally(failure);
		}
		this.job.invokeOnCompletion((cause) -> {
			Throwable thrown = first(failure, cause);
			if (cancelled) {
				this.running.ended().whenComplete((all, never) -> end(result, thrown));
			}
			else {
				end(result, thrown);
			}
			return Unit.INSTANCE;
		});
	}

	/**
	 * A coroutine that the function started and that fails cancels the function.
	 */
	private static @Nullable Throwable first(@Nullable Throwable failure, @Nullable Throwable cause) {
		boolean own = failure != null && !(failure instanceof CancellationException);
		return (own || cause == null || cause instanceof CancellationException) ? failure : cause;
	}

	private void end(@Nullable Object result, @Nullable Throwable failure) {
		CompletionStage<?> stage;
		try {
			if (failure != null) {
				throw failure;
			}
			stage = this.results.apply(result);
		}
		catch (Throwable ex) {
			remove();
			completeExceptionally(ex);
			return;
		}
		if (stage == null) {
			remove();
			complete((result != Unit.INSTANCE) ? result : null);
			return;
		}
		this.returned = stage;
		if (this.job.isCancelled()) {
			cancel(stage);
		}
		stage.handle((value, thrown) -> {
			remove();
			return (thrown != null) ? completeExceptionally(thrown) : complete(value);
		});
	}

	private void remove() {
		CancellationToken.Registration registered = this.registration;
		if (registered != null) {
			registered.remove();
		}
	}

	private void cancel(CancellationException cause) {
		this.job.cancel(cause);
		CompletionStage<?> stage = this.returned;
		if (stage != null) {
			cancel(stage);
		}
	}

	private static void cancel(CompletionStage<?> stage) {
		if (stage instanceof Future<?> future) {
			future.cancel(true);
		}
	}

	/**
	 * Cancels the coroutine. The future completes when that has ended. The function sees
	 * the reason of its token even if the callbacks of the token run later.
	 */
	@Override
	public boolean cancel(boolean mayInterrupt) {
		CancellationToken turned = this.token;
		CancellationReason reason = (turned != null) ? turned.reason() : null;
		cancel((reason != null) ? new HandlingCancelledException(reason)
				: new CancellationException("The handling was cancelled"));
		return !isDone();
	}

}
