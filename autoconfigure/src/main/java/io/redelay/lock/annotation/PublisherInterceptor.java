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
 */
final class PublisherInterceptor {

	private final MyLockInterceptor interceptor;

	private final Supplier<LockTemplate> template;

	private final PublisherTypes types;

	PublisherInterceptor(MyLockInterceptor interceptor, Supplier<LockTemplate> template, PublisherTypes types) {
		this.interceptor = interceptor;
		this.template = template;
		this.types = types;
	}

	Object invoke(MethodInvocation invocation, MyLockOperation operation) {
		Class<?> type = operation.method().getReturnType();
		Flux<Object> locked = new LockedPublishers(this.template.get()).lock(
				() -> operation.spec(this.interceptor.target(invocation), invocation.getArguments()),
				() -> proceed(invocation), (ex, delivering) -> notLocked(invocation, operation, ex, delivering));
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
