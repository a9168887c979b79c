package io.redelay.queue.script;

import java.util.List;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The names of the keys of a limit that several queues share. They are in another slot
 * than the queues.
 */
record SharedLimitKeys(String rates, String bursts, String held, String line) {

	private static SharedLimitKeys of(ScriptRunner runner, ClaimLimits.Shared shared) {
		String base = "{limit:" + shared.name() + "}:";
		return new SharedLimitKeys(runner.key(base + "rates"), runner.key(base + "bursts"), runner.key(base + "held"),
				runner.key(base + "line"));
	}

	/**
	 * Adds all keys of the limit that several queues share, if there is one.
	 */
	static void addAll(List<Object> keys, ScriptRunner runner, ClaimLimits limits) {
		ClaimLimits.Shared shared = limits.shared();
		if (shared != null) {
			SharedLimitKeys names = of(runner, shared);
			keys.addAll(List.of(names.rates, names.bursts, names.held, names.line));
		}
	}

	/**
	 * Adds the key of how many messages each lane holds under the limit that several
	 * queues share, if there is one.
	 */
	static void addHeld(List<Object> keys, ScriptRunner runner, ClaimLimits limits) {
		ClaimLimits.Shared shared = limits.shared();
		if (shared != null) {
			keys.add(of(runner, shared).held);
		}
	}

}
