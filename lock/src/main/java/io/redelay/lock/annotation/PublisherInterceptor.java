package io.redelay.lock.annotation;

import io.redelay.lock.PublisherTypes;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Runs annotated methods that return publishers. The method is called once for each
 * subscription, when its lock is held.
 */
final class PublisherInterceptor {

	private final LockedInvocations locks;

	private final PublisherTypes types;

	PublisherInterceptor(LockedInvocations locks) {
		this.locks = locks;
		this.types = locks.types();
	}

	Object invoke(MethodInvocation invocation, MyLockOperation operation) {
		Class<?> type = operation.method().getReturnType();
		Flux<Object> locked = this.locks.lock(invocation, operation, () -> proceed(invocation), Mono::empty);
		return this.types.as(type, locked);
	}

	private Publisher<Object> proceed(MethodInvocation invocation) {
		try {
			return this.types.publisher(((ProxyMethodInvocation) invocation).invocableClone().proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

}
