package io.redelay.queue.coroutine;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.redelay.kotlin.KotlinFunction;
import io.redelay.queue.work.CancellationToken;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.CoroutineDispatcher;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.ExecutorsKt;
import kotlinx.coroutines.flow.FlowKt;
import org.jspecify.annotations.Nullable;

/**
 * Calls the suspend functions of one listener. A function begins on the thread that calls
 * it. After it was suspended, it goes on on a thread of the listener's handlers, so it
 * may block on each of its threads.
 * <p>
 * Needs {@code kotlin-reflect} and {@code kotlinx-coroutines-reactor}.
 *
 * @since 0.1.0
 */
public final class HandlerCoroutines {

	private final CoroutineDispatcher dispatcher;

	private final Function<@Nullable Object, @Nullable CompletionStage<?>> results;

	/**
	 * Creates the coroutines of a listener.
	 * @param executor the threads of its handlers
	 * @param results returns the stage to wait for if a function returned one, or
	 * {@code null}
	 */
	public HandlerCoroutines(Executor executor, Function<@Nullable Object, @Nullable CompletionStage<?>> results) {
		this.dispatcher = ExecutorsKt.from((task) -> execute(executor, task));
		this.results = results;
	}

	/**
	 * A coroutine must always go on: if the application is closing, or no thread can be
	 * started, it runs on a thread of Kotlin.
	 */
	private static void execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (Throwable ex) {
			Dispatchers.getIO().dispatch(EmptyCoroutineContext.INSTANCE, task);
		}
	}

	/**
	 * Starts a suspend function.
	 * @param function the function
	 * @param bean the bean, through whose proxies it is called
	 * @param arguments its arguments
	 * @param token cancels the coroutine when it turns
	 * @return completes when the coroutine has ended, with what the function returned
	 */
	public CompletionStage<?> start(KotlinFunction function, Object bean, @Nullable Object[] arguments,
			CancellationToken token) {
		HandlerCoroutine coroutine = new HandlerCoroutine(this.dispatcher, this.results);
		coroutine.start(function, bean, arguments, token);
		return coroutine;
	}

	/**
	 * Makes a flow of the elements of a batch. It ends between two elements if the
	 * coroutine that collects it is cancelled.
	 */
	public static Object flow(List<?> batch) {
		return FlowKt.cancellable(FlowKt.asFlow(batch));
	}

}
