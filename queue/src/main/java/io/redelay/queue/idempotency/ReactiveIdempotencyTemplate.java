package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.work.Idempotency;
import io.redelay.queue.work.ReactiveIdempotency;
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
		return run(action, (begun) -> this.idempotency.onceAsync(key, window, begun));
	}

	@Override
	public Mono<Idempotency.Outcome> tryOnce(String key, Duration window, Mono<?> action) {
		return run(action, (begun) -> this.idempotency.tryOnceAsync(key, window, begun));
	}

	/**
	 * Runs an action with the context of the subscriber. If the subscriber has cancelled
	 * before the action has its key, the action does not begin and the key is free again.
	 */
	private static <T> Mono<T> run(Mono<?> action,
			Function<Supplier<CompletionStage<?>>, CompletableFuture<T>> request) {
		return Mono.deferContextual((context) -> {
			AtomicBoolean cancelled = new AtomicBoolean();
			return Mono.fromFuture(() -> request.apply(() -> cancelled.get()
					? CompletableFuture.failedFuture(new CancellationException("The subscriber cancelled"))
					: action.contextWrite(context).toFuture()), true)
				.doOnCancel(() -> cancelled.set(true));
		});
	}

	@Override
	public Mono<Boolean> isDone(String key) {
		return Mono.fromFuture(() -> this.idempotency.isDoneAsync(key));
	}

	@Override
	public Mono<Idempotency.Running> running(String key) {
		return Mono.fromFuture(() -> this.idempotency.runningAsync(key)).flatMap(Mono::justOrEmpty);
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
