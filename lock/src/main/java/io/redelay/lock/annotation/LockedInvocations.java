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

/**
 * Subscribes to the publishers that annotated methods return, under the locks of their
 * annotations.
 */
final class LockedInvocations {

	private final MyLockInterceptor interceptor;

	private final Supplier<LockTemplate> template;

	private final PublisherTypes types;

	LockedInvocations(MyLockInterceptor interceptor, Supplier<LockTemplate> template, PublisherTypes types) {
		this.interceptor = interceptor;
		this.template = template;
		this.types = types;
	}

	/**
	 * Returns the converter between publishers of several libraries.
	 */
	PublisherTypes types() {
		return this.types;
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
