package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Lists the keys of which messages wait, and asks what rates allow.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record KeysScript(ScriptRunner runner) {

	/**
	 * @param rates rates of the queue's listeners
	 */
	public CompletableFuture<StoredKeys> run(String queue, List<RateLimit> rates) {
		return this.runner.run("Listing the keys of which messages of the queue '" + queue + "' wait", Script.KEYS,
				this.runner.keys(queue).of(Script.KEYS), rates.stream().map(LimitWords::rate).toArray(),
				KeysScript::keys);
	}

	/**
	 * Looks at a key to deduplicate by.
	 * @return the message that has the key, for each way of deduplication
	 */
	public CompletableFuture<List<Holder>> holders(String queue, String key) {
		return this.runner.run(Script.DEDUP_KEY, queue, "Looking at a key to deduplicate by of", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> new Holder(each.text(), each.text(), each.timeOrNull(), (int) each.number()));
		}, key);
	}

	private static StoredKeys keys(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
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
		return new StoredKeys(time, complete, held, allowed, ordering,
				reply.list((each) -> new StoredKeys.Fairness(each.text(), each.number(), each.number(),
						each.timeOrNull(), each.flag())));
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

	/**
	 * The key to deduplicate by of a message.
	 *
	 * @param way in which way: {@code f} the first wins, {@code d} debounce, {@code a}
	 * aggregate
	 * @param id the message's id or uid
	 * @param until when the key ends, or {@code null} if it does so with its message
	 * @param payloads how many payloads have gathered
	 */
	public record Holder(String way, String id, @Nullable Instant until, int payloads) {

	}

}
