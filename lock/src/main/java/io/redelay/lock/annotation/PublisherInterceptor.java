package io.redelay.lock.annotation;

import java.util.function.Supplier;

import io.redelay.lock.LockNotAcquiredException;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockedPublishers;
import io.redelay.lock.PublisherTypes;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Runs annotated methods that return publishers. The method is called once for each
 * subscription, when its lock is held.
 *
 * @param interceptor makes the result of a call whose lock another holds
 * @param template takes the locks
 * @param types converts between the publishers of several libraries
 */
record PublisherInterceptor(MyLockInterceptor interceptor, Supplier<LockTemplate> template, PublisherTypes types) {

	Object invoke(MethodInvocation invocation, MyLockOperation operation) {
		Flux<Object> locked = lock(invocation, operation,
				() -> proceed(((ProxyMethodInvocation) invocation).invocableClone()), Mono::empty);
		return this.types.as(operation.method().getReturnType(), locked);
	}

	/**
	 * Calls a method.
	 * @return the publisher that it returns, or one that fails as the method did
	 */
	Publisher<Object> proceed(MethodInvocation invocation) {
		try {
			return this.types.publisher(invocation.proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * Returns a publisher that takes the lock of a call when it is subscribed to.
	 * @param body calls the method
	 * @param ended completes when a method that was cancelled has ended; until then the
	 * lock is held
	 */
	Flux<Object> lock(MethodInvocation invocation, MyLockOperation operation, Supplier<Publisher<Object>> body,
			Supplier<Mono<Void>> ended) {
		return new LockedPublishers(this.template.get()).lock(
				() -> operation.spec(this.interceptor.target(invocation), invocation.getArguments()), body,
				(ex, delivering) -> notLocked(invocation, operation, ex, delivering), ended);
	}

	private Publisher<Object> notLocked(MethodInvocation invocation, MyLockOperation operation,
			LockNotAcquiredException exception, boolean delivering) {
		try {
			return this.types.publisher(this.interceptor.notLocked(invocation, operation, exception, delivering));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

}
