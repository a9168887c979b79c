package io.redelay.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

import io.redelay.delivery.DeliveryScope;
import io.redelay.delivery.LockActivity;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Runs code under a lock: takes the lock, runs the code, releases the lock. The way to
 * lock by hand; {@link MyLock @MyLock} uses it.
 * <p>
 * A lock that the thread holds already is re-entered without a request to Redis. If the
 * result is a {@link CompletableFuture}, or another {@link CompletionStage}, the lock is
 * held until it completes. If it is a publisher, like a {@code Mono}, the lock is
 * released when the code returns, and taken again by each subscription, which holds it
 * until it ends. Inside a transaction the lock is held until that is complete.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class LockTemplate implements AutoCloseable {

	public static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LockTemplate.class.getClassLoader());

	private final LockProviders providers;

	private final LockKeyBuilder keyBuilder;

	private final LockSettings settings;

	private final LockEvents events;

	private final LockRelease release;

	private final LockThreads threads;

	private final UsedLocks activity;

	private final @Nullable PublisherTypes publisherTypes = REACTOR ? new PublisherTypes() : null;

	/**
	 * Creates a template.
	 * @param providers the providers of locks
	 * @param keyBuilder makes keys of names
	 * @param settings the settings of all locks
	 * @param listeners receive the events
	 * @param threads run asynchronous code that continues after an answer of Redis
	 */
	public LockTemplate(LockProviders providers, LockKeyBuilder keyBuilder, LockSettings settings,
			List<LockListener> listeners, LockThreads threads) {
		this.providers = providers;
		this.keyBuilder = keyBuilder;
		this.settings = settings;
		this.activity = new UsedLocks(threads.scheduler());
		this.events = new LockEvents(listeners, this.activity);
		this.threads = threads;
		this.release = new LockRelease(settings, this.events, threads);
	}

	/**
	 * Runs code under a lock, on the calling thread, which waits according to the
	 * strategy.
	 * @param <T> the type of its result
	 * @param <E> the type of its exceptions
	 * @param spec which lock, and for how long to wait and to hold it: without another
	 * word a re-entrant lock is waited for a second and held until the code ends
	 * @param body the code
	 * @return its result; {@code null} if another held the lock and the strategy is to
	 * skip
	 * @throws E what the code throws
	 * @throws LockNotAcquiredException if another held the lock, unless the strategy is
	 * to skip and no message is being handled
	 * @throws LockInterruptedException if the thread was interrupted, or the template
	 * closed, before it had the lock
	 * @throws LockBackendException if the lock could not be requested
	 * @throws LockLostException if the lock was lost before the code ended well, and the
	 * spec requires to throw
	 * @throws LockException if the write lock was requested under the read lock, or no
	 * provider has such locks
	 */
	public <T, E extends Throwable> @Nullable T execute(LockSpec spec, LockedCallback<T, E> body) throws E {
		return execute(spec, body, (ex) -> {
			if (spec.strategy().isSkipping() && !DeliveryScope.isActive()) {
				return null;
			}
			throw ex;
		});
	}

	/**
	 * Runs code under a lock, on the calling thread, or something else if another holds
	 * the lock.
	 * @param <T> the type of its result
	 * @param <E> the type of its exceptions
	 * @param spec which lock, and for how long to wait and to hold it
	 * @param body the code
	 * @param otherwise what to do if another holds the lock, whether the strategy is to
	 * skip or to fail
	 * @return the result of one of them
	 * @throws E what one of them throws
	 * @throws LockInterruptedException if the thread was interrupted, or the template
	 * closed, before it had the lock
	 * @throws LockBackendException if the lock could not be requested
	 * @throws LockLostException if the lock was lost before the code ended well, and the
	 * spec requires to throw
	 * @throws LockException if the write lock was requested under the read lock, or no
	 * provider has such locks
	 */
	public <T, E extends Throwable> @Nullable T execute(LockSpec spec, LockedCallback<T, E> body,
			NotLockedCallback<T, E> otherwise) throws E {
		return execute(spec, null, body, otherwise);
	}

	/**
	 * Runs code of a method under a lock, or other code if another holds the lock.
	 * @param declared the return type of the method, or {@code null} if it is not known
	 */
	public <T, E extends Throwable> @Nullable T execute(LockSpec spec, @Nullable Class<?> declared,
			LockedCallback<T, E> body, NotLockedCallback<T, E> otherwise) throws E {
		LockFrame frame;
		try {
			frame = acquire(spec);
		}
		catch (LockInterruptedException ex) {
			throw ex;
		}
		catch (LockNotAcquiredException ex) {
			return otherwise.run(ex);
		}
		return run(frame, declared, body, otherwise);
	}

	private <T, E extends Throwable> @Nullable T run(LockFrame frame, @Nullable Class<?> declared,
			LockedCallback<T, E> body, NotLockedCallback<T, E> otherwise) throws E {
		HeldLocks held = HeldLocks.push(frame);
		@Nullable T result;
		try {
			result = lockPublisher(frame, declared, body.run(), otherwise);
		}
		catch (Throwable ex) {
			this.release.afterFailure(frame, held);
			throw ex;
		}
		if (result instanceof CompletionStage<?> stage) {
			return this.release.afterStage(frame, held, result, stage, declared);
		}
		this.release.afterSuccess(frame, held);
		return result;
	}

	/**
	 * Lets a publisher that was returned unexpectedly take the lock again when it is
	 * subscribed to.
	 */
	private <T, E extends Throwable> @Nullable T lockPublisher(LockFrame frame, @Nullable Class<?> declared,
			@Nullable T result, NotLockedCallback<T, E> otherwise) {
		PublisherTypes types = this.publisherTypes;
		if (result == null || types == null || !types.isPublisher(result.getClass())) {
			return result;
		}
		T locked = new LockedPublishers(this).lock(frame.spec(), result, otherwise, types);
		if (declared != null && !declared.isInstance(locked)) {
			return result;
		}
		frame.endMinHold();
		return locked;
	}

	private LockFrame acquire(LockSpec spec) {
		if (Thread.currentThread().isInterrupted()) {
			LockInterruptedException ex = new LockInterruptedException(spec.names(), this.settings.giveBackDelay(),
					null);
			this.events.notAcquired(spec, LockOrigin.current(), ex, 0);
			throw ex;
		}
		LockAcquisition acquisition = acquisition(spec, HeldLocks.ofThread());
		try {
			LockFrame frame = await(acquisition);
			this.events.acquired(frame, acquisition.elapsedNanos());
			return frame;
		}
		catch (LockException ex) {
			this.events.notAcquired(spec, acquisition.origin(), ex, acquisition.elapsedNanos());
			throw ex;
		}
	}

	private LockFrame await(LockAcquisition acquisition) {
		try {
			return acquisition.await();
		}
		catch (InterruptedException ex) {
			acquisition.cancel();
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(acquisition.spec().names(), this.settings.giveBackDelay(), ex);
		}
		catch (ExecutionException | CancellationException ex) {
			throw unwrap(ex);
		}
	}

	private static LockException unwrap(Exception ex) {
		if (ex.getCause() instanceof LockException cause) {
			// The exception was created on a thread of the Redis client; the stack of the
			// caller is the useful
			// one.
			cause.setStackTrace(Thread.currentThread().getStackTrace());
			return cause;
		}
		return new LockException("The lock could not be taken", ex);
	}

	/**
	 * Prepares the acquisition of a lock.
	 * @param spec the specification
	 * @param held the locks that can be entered again
	 */
	LockAcquisition acquisition(LockSpec spec, @Nullable HeldLocks held) {
		this.activity.use();
		List<LockKey> keys = new ArrayList<>(spec.names().size());
		spec.names().forEach((name) -> keys.add(key(spec, name)));
		return new LockAcquisition(spec, keys, this.providers.find(spec), this.settings, held, this.activity,
				this.threads.scheduler());
	}

	/**
	 * Which locks are held and waited for.
	 * @return the activity of this template's locks
	 */
	public LockActivity activity() {
		return this.activity;
	}

	/**
	 * Returns the names of the providers that a spec can name.
	 * @return the names
	 */
	public Set<String> providers() {
		return this.providers.named().keySet();
	}

	/**
	 * Looks up the holders of the first lock of a spec, if its provider can do that.
	 * @param spec the spec
	 * @return the holds, or {@code null} if the provider does not look them up
	 * @see LockProvider#holds(String)
	 */
	public @Nullable CompletionStage<List<StoredHold>> holds(LockSpec spec) {
		return this.providers.find(spec).holds(key(spec));
	}

	/**
	 * Returns the key that the first lock of a spec has in Redis.
	 * @param spec the spec
	 * @return the key
	 */
	public String key(LockSpec spec) {
		return key(spec, spec.names().get(0)).key();
	}

	private LockKey key(LockSpec spec, String name) {
		String key = this.keyBuilder.build(name);
		if (!StringUtils.hasText(key)) {
			throw new LockNameException(
					"The LockKeyBuilder made " + ((key != null) ? "a blank text" : "null") + " of the lock's name '"
							+ name
							+ "', which different locks would share. Return a text that differs from name to name",
					null);
		}
		return LockKey.of(this, this.settings.keyPrefix(), spec.family(), key);
	}

	/**
	 * Ends all waiting for locks: each caller that waits, now or later, gets a
	 * {@link LockInterruptedException}. Code that runs under a lock goes on and releases
	 * it.
	 */
	@Override
	public void close() {
		this.activity.close();
	}

	LockRelease release() {
		return this.release;
	}

	LockEvents events() {
		return this.events;
	}

	LockThreads threads() {
		return this.threads;
	}

}
