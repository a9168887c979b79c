package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Signals the handler of one delivery, or of a batch, that it is to end.
 */
final class DeliveryToken implements CancellationToken {

	private static final Log logger = PlainLog.of(DeliveryToken.class);

	/**
	 * The callbacks by their registrations.
	 */
	private final Map<Object, Consumer<CancellationReason>> callbacks = new LinkedHashMap<>();

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
		List<Consumer<CancellationReason>> called;
		synchronized (this) {
			if (this.reason == why || (this.reason != null && this.reason != CancellationReason.SHUTDOWN)) {
				return;
			}
			this.reason = why;
			// A callback may be null, whose call fails and is logged.
			called = new ArrayList<>(this.callbacks.values());
		}
		if (!called.isEmpty()) {
			executor.execute(() -> called.forEach((callback) -> call(callback, why)));
		}
	}

	@Override
	public Registration onCancel(Consumer<CancellationReason> action) {
		Object key = new Object();
		CancellationReason present;
		synchronized (this) {
			present = this.reason;
			this.callbacks.put(key, action);
		}
		if (present != null) {
			call(action, present);
		}
		return () -> remove(key);
	}

	private synchronized void remove(Object key) {
		this.callbacks.remove(key);
	}

	private static void call(Consumer<CancellationReason> callback, CancellationReason why) {
		try {
			callback.accept(why);
		}
		catch (Throwable ex) {
			FailureText.warn(logger, "A callback of a CancellationToken, which turned because of " + why + ", failed",
					ex);
		}
	}

}
