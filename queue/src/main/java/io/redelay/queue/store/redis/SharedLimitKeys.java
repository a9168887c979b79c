package io.redelay.queue.store.redis;

import java.util.List;

/**
 * The names of the keys of a limit that several queues share. They are in another slot
 * than the queues.
 */
record SharedLimitKeys(String rates, String bursts, String held, String line) {

	static SharedLimitKeys of(ScriptRunner runner, String limit) {
		String base = "{limit:" + limit + "}:";
		return new SharedLimitKeys(runner.key(base + "rates"), runner.key(base + "bursts"), runner.key(base + "held"),
				runner.key(base + "line"));
	}

	List<Object> all() {
		return List.of(this.rates, this.bursts, this.held, this.line);
	}

}
