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
import org.jspecify.annotations.Nullable;

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

	/**
	 * The keys whose messages wait in a queue, and the claims that its limits allow.
	 *
	 * @param time the time of the look, by the clock of Redis
	 * @param complete whether all keys were looked at
	 * @param held how many messages are held
	 * @param allowed how many messages may be claimed now by each rate that was asked
	 * about
	 * @param ordering at most 100 ordering keys, the one with the most waiting messages
	 * first
	 * @param fairness at most 100 fairness keys, the one with the most waiting messages
	 * first
	 */
	public record StoredKeys(Instant time, boolean complete, long held, List<Long> allowed, List<Ordering> ordering,
			List<Fairness> fairness) {

		/**
		 * An ordering key.
		 *
		 * @param key the key
		 * @param waiting how many messages wait for their turn
		 * @param uid the message that has the turn
		 * @param lane the lane that holds that message, if one does
		 */
		public record Ordering(String key, long waiting, @Nullable String uid, @Nullable String lane) {

		}

		/**
		 * A fairness key.
		 *
		 * @param key the key
		 * @param waiting how many messages are ready
		 * @param held how many are held
		 * @param gatedUntil until when its gate is closed
		 * @param blocked whether it may not be claimed now
		 */
		public record Fairness(String key, long waiting, long held, @Nullable Instant gatedUntil, boolean blocked) {

		}

	}

}
