package io.redelay.lock;

import java.util.Objects;

import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Lets each thread on which a coroutine goes on hold the locks of the coroutine, so that
 * blocking methods which it calls enter them again. Needs coroutines of Kotlin on the
 * class path.
 *
 * @since 0.1.0
 */
public final class LockedThreads extends AbstractCoroutineContextElement
		implements ThreadContextElement<LockedThreads.Before> {

	private static final Key KEY = new Key();

	private final HeldLocks held;

	private LockedThreads(HeldLocks held) {
		super(KEY);
		this.held = held;
	}

	/**
	 * Adds the locks of a subscriber to the context of a coroutine.
	 * @param context the context
	 * @param subscriber the context of the subscriber that holds the locks
	 * @return the context of code that runs under them
	 */
	public static CoroutineContext in(CoroutineContext context, ContextView subscriber) {
		return subscriber.hasKey(HeldLocks.class)
				? context.plus(new LockedThreads(Objects.requireNonNull(subscriber.get(HeldLocks.class)))) : context;
	}

	@Override
	public Before updateThreadContext(CoroutineContext context) {
		return new Before(HeldLocks.swap(this.held.copy()));
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, Before before) {
		HeldLocks.swap(before.held);
	}

	/**
	 * The locks of a thread before a coroutine resumed on it.
	 */
	public static final class Before {

		private final @Nullable HeldLocks held;

		Before(@Nullable HeldLocks held) {
			this.held = held;
		}

	}

	private static final class Key implements CoroutineContext.Key<LockedThreads> {

	}

}
