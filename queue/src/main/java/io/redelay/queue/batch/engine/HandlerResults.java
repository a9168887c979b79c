package io.redelay.queue.batch.engine;

import java.util.concurrent.CompletionStage;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.listener.Paused;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Decides which results of handlers have to be awaited.
 */
public final class HandlerResults {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			HandlerResults.class.getClassLoader());

	private HandlerResults() {
	}

	/**
	 * Returns what to wait for.
	 * @return the future, or {@code null} if the result is none
	 * @throws io.redelay.queue.work.MessageStoppedException if it is a {@link Paused}
	 */
	public static @Nullable CompletionStage<?> await(@Nullable Object result) {
		if (result instanceof Paused paused) {
			throw paused.toException();
		}
		if (result instanceof CompletionStage<?> stage) {
			return stage;
		}
		return (result != null && REACTOR) ? Reactive.await(result) : null;
	}

	private static final class Reactive {

		static @Nullable CompletionStage<?> await(Object result) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
			if (adapter == null) {
				return null;
			}
			Publisher<?> publisher = adapter.toPublisher(result);
			Object current = DeliveryScope.current();
			Object handling = (current != null) ? current : true;
			Mono<?> end = adapter.isMultiValue() ? Flux.from(publisher).then() : Mono.from(publisher);
			return end.contextWrite((context) -> context.put(DeliveryScope.CONTEXT_KEY, handling)).toFuture();
		}

	}

}
