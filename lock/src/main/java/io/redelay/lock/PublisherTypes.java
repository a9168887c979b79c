package io.redelay.lock;

import java.util.concurrent.Flow;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Converts between Reactor's publishers and those of the other libraries that Spring
 * knows. Needs Reactor on the class path.
 *
 * @since 0.1.0
 */
public final class PublisherTypes {

	/**
	 * Cached, since the registry searches all its adapters on each call.
	 */
	private final ClassValue<Boolean> deferred = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			ReactiveAdapter adapter = isPlain(type) ? null : Adapters.REGISTRY.getAdapter(type);
			return adapter != null && adapter.getDescriptor().isDeferred();
		}

	};

	/**
	 * Returns whether values of a type do nothing before they are subscribed to.
	 */
	public boolean isPublisher(Class<?> type) {
		return this.deferred.get(type);
	}

	/**
	 * Converts the result of a method to a publisher.
	 */
	@SuppressWarnings("unchecked")
	public Publisher<Object> publisher(@Nullable Object result) {
		if (result == null) {
			return Mono.empty();
		}
		if (result instanceof Publisher<?> publisher) {
			return (Publisher<Object>) publisher;
		}
		ReactiveAdapter adapter = Adapters.REGISTRY.getAdapter(result.getClass());
		return (adapter != null) ? adapter.toPublisher(result) : Mono.just(result);
	}

	/**
	 * Converts a publisher to another library's type.
	 */
	public Object as(Class<?> type, Flux<Object> publisher) {
		if (Mono.class.isAssignableFrom(type)) {
			return publisher.singleOrEmpty();
		}
		ReactiveAdapter adapter = Adapters.REGISTRY.getAdapter(type);
		return (adapter != null) ? adapter.fromPublisher(publisher) : publisher;
	}

	/**
	 * Returns whether a type of the JDK is no publisher, without a look at the registry.
	 */
	private static boolean isPlain(Class<?> type) {
		return type.isPrimitive()
				|| (type.getName().startsWith("java.") && !Flow.Publisher.class.isAssignableFrom(type));
	}

	/**
	 * Created when a method may return a publisher: the registry loads the classes of
	 * each reactive library that is there, some 500 of RxJava alone.
	 */
	private static final class Adapters {

		private static final ReactiveAdapterRegistry REGISTRY = ReactiveAdapterRegistry.getSharedInstance();

	}

}
