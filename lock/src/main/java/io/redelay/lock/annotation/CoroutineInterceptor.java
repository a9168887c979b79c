package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.BiFunction;

import io.redelay.kotlin.RunningCoroutines;
import io.redelay.lock.LockedThreads;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.CoroutinesUtils;

/**
 * Runs annotated suspend functions, and functions that return flows: Spring makes a
 * publisher of each, which runs the function in a coroutine of its own, in the context of
 * the caller. The lock is held until that coroutine has ended. A caller that is cancelled
 * does not wait for it.
 *
 * @param publishers runs the publishers that Spring makes of functions
 */
record CoroutineInterceptor(PublisherInterceptor publishers) {

	Object invoke(MethodInvocation invocation, MyLockOperation operation) {
		CoroutineContext caller = continuation(invocation.getArguments()).getContext();
		return lock(invocation, operation, caller, dispatched(caller), this::proceed).singleOrEmpty();
	}

	/**
	 * Runs a function that returns a flow: it is called once for each collector, when its
	 * lock is held.
	 */
	Object invokeFlow(MethodInvocation invocation, MyLockOperation operation) {
		return ReactiveFlowKt.asFlow(
				lock(invocation, operation, EmptyCoroutineContext.INSTANCE, Dispatchers.getDefault(), this::collect));
	}

	private Flux<Object> lock(MethodInvocation invocation, MyLockOperation operation, CoroutineContext caller,
			CoroutineContext dispatched, BiFunction<MethodInvocation, CoroutineContext, Publisher<Object>> body) {
		RunningCoroutines running = RunningCoroutines.in(caller);
		CoroutineContext context = dispatched.plus(running);
		return this.publishers.lock(invocation, operation,
				() -> Flux
					.deferContextual((subscriber) -> body.apply(invocation, LockedThreads.in(context, subscriber))),
				() -> Mono.fromFuture(running::ended));
	}

	@SuppressWarnings("unchecked")
	private Publisher<Object> collect(MethodInvocation invocation, CoroutineContext context) {
		try {
			Object flow = ((ProxyMethodInvocation) invocation).invocableClone().proceed();
			return (flow != null) ? ReactorFlowKt.asFlux((Flow<Object>) flow, context) : Mono.empty();
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * A coroutine that begins on the thread that starts it could be cancelled before it
	 * is known to run.
	 */
	private static CoroutineContext dispatched(CoroutineContext context) {
		boolean confined = context.fold(true, (all, element) -> all && element != Dispatchers.getUnconfined());
		return confined ? context : context.plus(Dispatchers.getDefault());
	}

	private Publisher<Object> proceed(MethodInvocation invocation, CoroutineContext context) {
		@Nullable Object[] arguments = invocation.getArguments().clone();
		arguments[arguments.length - 1] = new Caller(context, continuation(arguments));
		return this.publishers.proceed(((ProxyMethodInvocation) invocation).invocableClone(arguments));
	}

	/**
	 * Calls another suspend function in place of the one that was called.
	 */
	static Publisher<?> call(Method function, @Nullable Object target, @Nullable Object[] arguments) {
		CoroutineContext context = continuation(arguments).getContext().minusKey(Job.Key);
		return CoroutinesUtils.invokeSuspendingFunction(context, function, target, arguments);
	}

	private static Continuation<?> continuation(@Nullable Object[] arguments) {
		return (Continuation<?>) Objects.requireNonNull(arguments[arguments.length - 1]);
	}

	/**
	 * The caller of a function, with the context in which the function is to run.
	 *
	 * @param getContext the context
	 * @param resumed continues after the function
	 */
	private record Caller(CoroutineContext getContext, Continuation<?> resumed) implements Continuation<Object> {

		@Override
		public void resumeWith(Object result) {
			this.resumed.resumeWith(result);
		}

	}

}
