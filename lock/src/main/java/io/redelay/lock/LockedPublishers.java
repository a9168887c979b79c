package io.redelay.lock;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.delivery.DeliveryScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Subscribes to publishers under a lock: each subscription takes the lock for itself, and
 * holds it until it ends or is cancelled. No thread is blocked, and no thread of the
 * Redis client runs the subscribed publisher.
 *
 * @since 0.1.0
 */
public final class LockedPublishers {

	private final LockTemplate template;

	public LockedPublishers(LockTemplate template) {
		this.template = template;
	}

	/**
	 * Returns a publisher that takes the lock when it is subscribed to.
	 * @param specs makes the specification on subscription; {@code null} for no lock
	 * @param body the publisher to subscribe to under the lock
	 * @param otherwise makes the publisher to subscribe to if another holds the lock; it
	 * is passed whether a message is being delivered
	 */
	public <T> Flux<T> lock(Supplier<@Nullable LockSpec> specs, Supplier<Publisher<T>> body, NotLocked<T> otherwise) {
		return lock(specs, body, otherwise, Mono::empty);
	}

	/**
	 * Returns a publisher that takes the lock when it is subscribed to, for code that may
	 * go on for a while after it was cancelled.
	 * @param specs makes the specification on subscription; {@code null} for no lock
	 * @param body the publisher to subscribe to under the lock
	 * @param otherwise makes the publisher to subscribe to if another holds the lock; it
	 * is passed whether a message is being delivered
	 * @param ended completes when code that was cancelled has ended; until then the lock
	 * is held
	 */
	public <T> Flux<T> lock(Supplier<@Nullable LockSpec> specs, Supplier<Publisher<T>> body, NotLocked<T> otherwise,
			Supplier<Mono<Void>> ended) {
		return Flux.deferContextual((context) -> {
			LockSpec spec = specs.get();
			if (spec == null) {
				return body.get();
			}
			boolean delivering = DeliveryScope.isActive() || context.hasKey(DeliveryScope.CONTEXT_KEY);
			HeldLocks held = context.getOrDefault(HeldLocks.class, HeldLocks.ofThread());
			return ReactiveTransaction.current()
				.flatMapMany((transaction) -> locked(spec, HeldLocks.both(held, transaction.held()), transaction, body,
						(failure) -> otherwise.publisher(failure, delivering), ended));
		});
	}

	/**
	 * Returns a publisher that takes the lock when it is subscribed to, for code that was
	 * not known to return one.
	 * @param spec the specification of the lock
	 * @param result the publisher, of any library that Spring knows
	 * @param otherwise makes the result if another holds the lock
	 * @param types converts between the libraries
	 * @return a publisher of the same library
	 */
	@SuppressWarnings("unchecked")
	public <T, E extends Throwable> T lock(LockSpec spec, T result, NotLockedCallback<T, E> otherwise,
			PublisherTypes types) {
		Flux<Object> locked = lock(() -> spec, () -> types.publisher(result), (ex, delivering) -> {
			try (DeliveryScope scope = delivering ? DeliveryScope.open() : null) {
				return types.publisher(otherwise.run(ex));
			}
			catch (Throwable failure) {
				return Mono.error(failure);
			}
		});
		return (T) types.as(result.getClass(), locked);
	}

	private <T> Flux<T> locked(LockSpec spec, @Nullable HeldLocks held, ReactiveTransaction transaction,
			Supplier<Publisher<T>> body, Function<LockNotAcquiredException, Publisher<T>> otherwise,
			Supplier<Mono<Void>> ended) {
		AtomicReference<@Nullable Outcome> last = new AtomicReference<>();
		Flux<T> locked = Flux.usingWhen(acquire(spec, held).doOnNext(last::set),
				(outcome) -> (outcome.failure() != null) ? otherwise.apply(outcome.failure())
						: run(outcome.get(), held, body),
				(outcome) -> release(outcome, transaction), (outcome, ex) -> release(outcome, transaction),
				(outcome) -> ended.get().then(Mono.defer(() -> release(outcome, transaction))));
		return (spec.leaseLost() == LeaseLost.THROW) ? locked.concatWith(lost(last)) : locked;
	}

	/**
	 * Takes the lock. If the subscription is cancelled between the grant and the moment
	 * when Reactor has it, this gives the lock back.
	 */
	private Mono<Outcome> acquire(LockSpec spec, @Nullable HeldLocks held) {
		return Mono.create((sink) -> {
			LockAcquisition acquisition = this.template.acquisition(spec, held);
			AtomicReference<@Nullable Object> state = new AtomicReference<>();
			sink.onCancel(() -> {
				Object before = state.getAndSet(acquisition);
				if (before == null) {
					acquisition.cancel();
					this.template.events().cancelled(spec, acquisition.elapsedNanos());
				}
				else if (before instanceof Outcome outcome && outcome.frame() != null) {
					giveBack(outcome.frame());
				}
			});
			acquisition.start().whenCompleteAsync((frame, ex) -> {
				if (!state.compareAndSet(null, (ex == null) ? frame : ex)) {
					return;
				}
				if (ex == null) {
					this.template.events().acquired(frame, acquisition.elapsedNanos());
					Outcome outcome = new Outcome(frame, null, new AtomicBoolean(true));
					if (state.compareAndSet(frame, outcome)) {
						sink.success(outcome);
					}
					else {
						giveBack(frame);
					}
					return;
				}
				this.template.events().notAcquired(spec, acquisition.origin(), ex, acquisition.elapsedNanos());
				if (ex instanceof LockNotAcquiredException busy && !(ex instanceof LockInterruptedException)) {
					sink.success(new Outcome(null, busy, new AtomicBoolean(true)));
				}
				else {
					sink.error(ex);
				}
			}, this.template.threads().executor());
		});
	}

	private void giveBack(LockFrame frame) {
		frame.endMinHold();
		this.template.release().releaseAsync(frame);
	}

	private static <T> Publisher<T> run(LockFrame frame, @Nullable HeldLocks held, Supplier<Publisher<T>> body) {
		HeldLocks all = HeldLocks.with(held, frame);
		return Flux.defer(body)
			.contextWrite(
					(context) -> context.put(HeldLocks.class, all).put(LockContext.class, new LockContext(frame)));
	}

	private Mono<Void> release(Outcome outcome, ReactiveTransaction transaction) {
		LockFrame frame = outcome.frame();
		if (frame == null) {
			return Mono.empty();
		}
		if (!transaction.hold(frame, () -> this.template.release().releaseAsync(frame))) {
			return Mono.fromFuture(this.template.release().releaseAsync(frame), true)
				.doOnNext(outcome.kept()::set)
				.then();
		}
		// A loss that is reported here rolls the transaction back; after the commit it
		// would go unnoticed.
		return frame.throwsIfLost() ? Mono.fromFuture(frame.isHeld(), true).doOnNext(outcome.kept()::set).then()
				: Mono.empty();
	}

	/**
	 * Fails if the locks were lost. Subscribed after the release: an exception of the
	 * release itself would reach the subscriber as a failure to clean up.
	 */
	private static <T> Mono<T> lost(AtomicReference<@Nullable Outcome> ended) {
		return Mono.defer(() -> {
			Outcome outcome = ended.get();
			LockFrame frame = (outcome != null) ? outcome.frame() : null;
			return (outcome != null && frame != null && !outcome.kept().get() && frame.throwsIfLost())
					? Mono.error(new LockLostException(frame.spec().names())) : Mono.empty();
		});
	}

	/**
	 * Makes the publisher that is subscribed to if another holds the lock.
	 *
	 * @param <T> the type of its elements
	 */
	@FunctionalInterface
	public interface NotLocked<T> {

		Publisher<T> publisher(LockNotAcquiredException exception, boolean delivering);

	}

	/**
	 * The end of the wait for a lock.
	 *
	 * @param frame the lock
	 * @param failure the reason why it was not acquired
	 * @param kept whether the lock was held until the end, once that is known
	 */
	private record Outcome(@Nullable LockFrame frame, @Nullable LockNotAcquiredException failure, AtomicBoolean kept) {

		LockFrame get() {
			if (this.frame == null) {
				throw new IllegalStateException("There is no lock");
			}
			return this.frame;
		}

	}

}
