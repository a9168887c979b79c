package io.redelay.lock;

import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Runs annotated methods that return publishers. The method is called when there is a
 * subscription, under the lock, and once for each.
 */
final class PublisherInterceptor {

	private final MyLockInterceptor interceptor;

	private final Supplier<LockTemplate> template;

	private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

	/**
	 * Kept, as the registry goes through all that it has each time it is asked.
	 */
	private final ClassValue<Boolean> deferred = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			ReactiveAdapter adapter = (type != Object.class) ? PublisherInterceptor.this.adapters.getAdapter(type)
					: null;
			return adapter != null && adapter.getDescriptor().isDeferred();
		}

	};

	PublisherInterceptor(MyLockInterceptor interceptor, Supplier<LockTemplate> template) {
		this.interceptor = interceptor;
		this.template = template;
	}

	/**
	 * Whether something is only done when it is subscribed to.
	 */
	boolean isPublisher(Class<?> type) {
		return this.deferred.get(type);
	}

	Object invoke(MethodInvocation invocation, MyLockOperation operation) {
		Class<?> type = operation.method().getReturnType();
		Flux<Object> locked = new LockedPublishers(this.template.get()).lock(
				() -> operation.spec(this.interceptor.target(invocation), invocation.getArguments()),
				() -> proceed(invocation), (ex, delivering) -> notLocked(invocation, operation, ex, delivering));
		if (type == Flux.class || type == Publisher.class) {
			return locked;
		}
		if (type == Mono.class) {
			return locked.singleOrEmpty();
		}
		return adapter(type).fromPublisher(locked);
	}

	private Publisher<Object> proceed(MethodInvocation invocation) {
		try {
			return publisher(((ProxyMethodInvocation) invocation).invocableClone().proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Publisher<Object> notLocked(MethodInvocation invocation, MyLockOperation operation,
			LockNotAcquiredException exception, boolean delivering) {
		try {
			return publisher(this.interceptor.notLocked(invocation, operation, exception, delivering));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private Publisher<Object> publisher(@Nullable Object result) {
		if (result == null) {
			return Mono.empty();
		}
		return (result instanceof Publisher<?> publisher) ? (Publisher<Object>) publisher
				: adapter(result.getClass()).toPublisher(result);
	}

	private ReactiveAdapter adapter(Class<?> type) {
		ReactiveAdapter adapter = this.adapters.getAdapter(type);
		if (adapter == null) {
			throw new LockException("There is no adapter for " + type.getName());
		}
		return adapter;
	}

}
