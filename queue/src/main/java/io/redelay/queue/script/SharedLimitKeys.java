package io.redelay.queue.script;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ScriptKey;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a limit that several queues share.
 */
final class SharedLimitKeys {

	private SharedLimitKeys() {
	}

	/**
	 * Returns the keys of a queue, and all of a limit that it shares.
	 */
	static QueueKeys withAll(ScriptRunner runner, String queue, ClaimLimits limits) {
		String base = base(runner, limits);
		return (base == null) ? runner.keys(queue)
				: withHeld(runner, queue, limits).with(ScriptKey.SHARED_RATES, base + "rates")
					.with(ScriptKey.SHARED_BURSTS, base + "bursts")
					.with(ScriptKey.SHARED_LINE, base + "line");
	}

	/**
	 * Returns the keys of a queue, and that of what is held of a limit that it shares.
	 */
	static QueueKeys withHeld(ScriptRunner runner, String queue, ClaimLimits limits) {
		String base = base(runner, limits);
		return (base == null) ? runner.keys(queue) : runner.keys(queue).with(ScriptKey.SHARED_HELD, base + "held");
	}

	private static @Nullable String base(ScriptRunner runner, ClaimLimits limits) {
		ClaimLimits.Shared shared = limits.shared();
		return (shared != null) ? runner.key("{limit:" + shared.name() + "}:") : null;
	}

}
