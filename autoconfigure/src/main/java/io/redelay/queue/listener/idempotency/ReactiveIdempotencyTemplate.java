package io.redelay.queue.listener.idempotency;

import java.time.Duration;

import io.redelay.queue.Idempotency;
import io.redelay.queue.ReactiveIdempotency;
import reactor.core.publisher.Mono;

/**
 * Runs actions by the futures of {@link Idempotency}.
 *
 * @since 0.1.0
 */
public final class ReactiveIdempotencyTemplate implements ReactiveIdempotency {

	private final Idempotency idempotency;

	/**
	 * Creates a template.
	 * @param idempotency runs the actions
	 */
	public ReactiveIdempotencyTemplate(Idempotency idempotency) {
		this.idempotency = idempotency;
	}

	@Override
	public Mono<Boolean> once(String key, Duration window, Mono<?> action) {
		return Mono.deferContextual((context) -> Mono.fromFuture(
				() -> this.idempotency.onceAsync(key, window, () -> action.contextWrite(context).toFuture()), true));
	}

	@Override
	public Mono<Idempotency.Outcome> tryOnce(String key, Duration window, Mono<?> action) {
		return Mono.deferContextual((context) -> Mono.fromFuture(
				() -> this.idempotency.tryOnceAsync(key, window, () -> action.contextWrite(context).toFuture()), true));
	}

	@Override
	public Mono<Boolean> isDone(String key) {
		return Mono.fromFuture(() -> this.idempotency.isDoneAsync(key));
	}

	@Override
	public Mono<Void> markDone(String key, Duration window) {
		return Mono.fromFuture(() -> this.idempotency.markDoneAsync(key, window));
	}

	@Override
	public Mono<Void> forget(String key) {
		return Mono.fromFuture(() -> this.idempotency.forgetAsync(key));
	}

}
