package io.redelay.lock;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * The publishers of all libraries that Spring knows, as those of Reactor. Not to be
 * loaded without that.
 *
 * @since 0.1.0
 */
public final class PublisherTypes {

	private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

	/**
	 * Kept, as the registry goes through all that it has each time it is asked.
	 */
	private final ClassValue<Boolean> deferred = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			ReactiveAdapter adapter = (type != Object.class) ? PublisherTypes.this.adapters.getAdapter(type) : null;
			return adapter != null && adapter.getDescriptor().isDeferred();
		}

	};

	/**
	 * Whether something is only done when it is subscribed to.
	 */
	public boolean isPublisher(Class<?> type) {
		return this.deferred.get(type);
	}

	/**
	 * Makes a publisher of what a method returned.
	 */
	@SuppressWarnings("unchecked")
	public Publisher<Object> publisher(@Nullable Object result) {
		if (result == null) {
			return Mono.empty();
		}
		if (result instanceof Publisher<?> publisher) {
			return (Publisher<Object>) publisher;
		}
		ReactiveAdapter adapter = this.adapters.getAdapter(result.getClass());
		return (adapter != null) ? adapter.toPublisher(result) : Mono.just(result);
	}

	/**
	 * Makes a publisher one of another type.
	 */
	public Object as(Class<?> type, Flux<Object> publisher) {
		if (Mono.class.isAssignableFrom(type)) {
			return publisher.singleOrEmpty();
		}
		ReactiveAdapter adapter = this.adapters.getAdapter(type);
		return (adapter != null) ? adapter.fromPublisher(publisher) : publisher;
	}

}
