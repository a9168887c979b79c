package io.redelay.queue.handle;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.redelay.queue.failure.FailureText;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Signals the handler of one delivery, or of a batch, that it is to end.
 */
final class DeliveryToken implements CancellationToken {

	private static final Log logger = LogFactory.getLog(DeliveryToken.class);

	private final Set<Callback> callbacks = new LinkedHashSet<>();

	private volatile @Nullable CancellationReason reason;

	/**
	 * Returns a token that turns when all of several tokens have turned, with the last
	 * reason. The reason is a shutdown as long as one of them has it, as its message is
	 * still to be handled.
	 */
	static CancellationToken ofAll(List<CancellationToken> tokens) {
		if (tokens.size() == 1) {
			return tokens.get(0);
		}
		DeliveryToken all = new DeliveryToken();
		tokens.forEach((token) -> token.onCancel((reason) -> {
			if (tokens.stream().allMatch(CancellationToken::isCancelled)) {
				boolean isLeft = tokens.stream().anyMatch((each) -> each.reason() == CancellationReason.SHUTDOWN);
				all.turn(isLeft ? CancellationReason.SHUTDOWN : reason, Runnable::run);
			}
		}));
		return all;
	}

	@Override
	public @Nullable CancellationReason reason() {
		return this.reason;
	}

	/**
	 * Turns the token, unless it has turned for good.
	 * @param executor runs the callbacks, if there are any
	 */
	void turn(CancellationReason why, Executor executor) {
		List<Callback> called;
		synchronized (this) {
			if (this.reason == why || (this.reason != null && this.reason != CancellationReason.SHUTDOWN)) {
				return;
			}
			this.reason = why;
			called = List.copyOf(this.callbacks);
		}
		if (!called.isEmpty()) {
			executor.execute(() -> called.forEach((callback) -> callback.run(why)));
		}
	}

	@Override
	public Registration onCancel(Consumer<CancellationReason> action) {
		Callback callback = new Callback(action);
		CancellationReason present;
		synchronized (this) {
			present = this.reason;
			this.callbacks.add(callback);
		}
		if (present != null) {
			callback.run(present);
		}
		return () -> remove(callback);
	}

	private synchronized void remove(Callback callback) {
		this.callbacks.remove(callback);
	}

	/**
	 * A callback of one registration.
	 */
	private static final class Callback {

		private final Consumer<CancellationReason> action;

		Callback(Consumer<CancellationReason> action) {
			this.action = action;
		}

		void run(CancellationReason why) {
			try {
				this.action.accept(why);
			}
			catch (Throwable ex) {
				FailureText.warn(logger,
						"A callback of a CancellationToken, which turned because of " + why + ", failed", ex);
			}
		}

	}

}
