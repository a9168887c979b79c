package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Lists the keys of which messages wait, and asks what rates allow.
 *
 * @since 0.1.0
 */
public final class KeysScript {

	private final ScriptRunner runner;

	KeysScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * @param rates rates of the queue's listeners
	 */
	public CompletableFuture<StoredKeys> run(String queue, List<RateLimit> rates) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Listing the keys of which messages of the queue '" + queue + "' wait", Script.KEYS,
				keys.of(Script.KEYS), rates.stream().map(LimitWords::rate).toArray(), KeysScript::keys);
	}

	private static StoredKeys keys(Reply reply) {
		reply.text();
		Instant time = reply.time();
		boolean complete = reply.flag();
		long held = reply.number();
		List<Long> allowed = new ArrayList<>();
		for (long left = reply.number(); left > 0; left--) {
			allowed.add(reply.number());
		}
		List<StoredKeys.Ordering> ordering = new ArrayList<>();
		for (long left = reply.number(); left > 0; left--) {
			ordering.add(new StoredKeys.Ordering(reply.text(), reply.number(), reply.textOrNull(),
					StoredMessages.lane(reply.textOrNull())));
		}
		List<StoredKeys.Fairness> fairness = new ArrayList<>();
		while (reply.hasNext()) {
			fairness.add(new StoredKeys.Fairness(reply.text(), reply.number(), reply.number(), reply.timeOrNull(),
					reply.flag()));
		}
		return new StoredKeys(time, complete, held, allowed, ordering, fairness);
	}

}
