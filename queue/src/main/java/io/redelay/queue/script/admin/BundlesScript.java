package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import io.redelay.queue.message.PendingMember;
import io.redelay.queue.script.NameLists;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bundles that a queue keeps.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record BundlesScript(ScriptRunner runner) {

	private static final String PAGE = "500";

	/**
	 * As in the script that keeps bundles.
	 */
	private static final List<String> WAYS = List.of("acknowledged", "dead", "cancelled", "purged", "expired",
			"dropped", "replaced", "duplicate", "unaccounted");

	/**
	 * Returns the names of the queues where bundles were ever opened.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> queues() {
		return new NameLists(this.runner).read("Listing the queues of bundles", NameLists.BUNDLED);
	}

	/**
	 * Lists bundles that have not ended.
	 * @param queue the queue where they are kept
	 * @param cursor where to go on, {@code 0} at first
	 * @return some of the bundles, and where to go on
	 */
	public CompletableFuture<BundlePage> list(String queue, String cursor) {
		return run(queue, "LIST", cursor, "", BundlesScript::page);
	}

	/**
	 * Looks for a bundle.
	 * @param queue the queue where it is kept
	 * @param bundle its id
	 * @return a page with the bundle, or with none
	 */
	public CompletableFuture<BundlePage> find(String queue, String bundle) {
		return run(queue, "ONE", bundle, "", BundlesScript::page);
	}

	/**
	 * Lists messages of a bundle that have not ended.
	 * @param queue the queue where it is kept
	 * @param bundle its id
	 * @param after the message behind which to go on, if any were listed before
	 * @return some of them
	 */
	public CompletableFuture<PendingMembers> pending(String queue, String bundle, @Nullable PendingMember after) {
		return run(queue, "PENDING", bundle, (after != null) ? after.queue() + "\0" + after.member() : "",
				(reply, time) -> {
					boolean relaying = reply.flag();
					return new PendingMembers(reply.list((each) -> new PendingMember(each.text(), each.text())),
							relaying);
				});
	}

	/**
	 * Asks which messages of bundles a queue no longer has.
	 * @param queue the name that the store has for a partition of the queue
	 * @param members at most 500 of them
	 * @return those
	 */
	public CompletableFuture<PendingMembers> missing(String queue, List<PendingMember> members) {
		List<Object> args = new ArrayList<>(2 * members.size());
		members.forEach((member) -> args.addAll(List.of(member.uid(), member.id())));
		return this.runner.run(Script.BUNDLED, queue, "Looking for messages of bundles in", (reply) -> {
			reply.text();
			boolean relaying = reply.flag();
			return new PendingMembers(reply.list((each) -> members.get((int) each.number())), relaying);
		}, args.toArray());
	}

	private <T> CompletableFuture<T> run(String queue, String what, String where, String after,
			BiFunction<ReplyReader, Instant, T> reader) {
		return this.runner.run(Script.BUNDLES, queue, "Looking at the bundles of",
				(reply) -> reader.apply(reply, reply.timeAfterStatus()), what, where, after, PAGE);
	}

	private static BundlePage page(ReplyReader reply, Instant time) {
		String cursor = reply.text();
		return new BundlePage(reply.list((each) -> bundle(each.text(), each.words())), cursor, time);
	}

	private static StoredBundle bundle(String id, ReplyReader words) {
		boolean open = words.text().equals("open");
		BundleTimes times = new BundleTimes(words.time(), words.time(), words.time());
		words.text();
		int added = (int) words.number();
		int pending = (int) words.number();
		Map<String, Integer> ends = new HashMap<>();
		for (String way : WAYS) {
			ends.put(way, (int) words.number());
		}
		if (!words.hasNext()) {
			return new StoredBundle(id, open, times, added, pending, ends, false, KeptResults.NONE);
		}
		boolean cancelled = words.text().equals("cancelled");
		words.number();
		words.number();
		int results = (int) words.number();
		words.number();
		return new StoredBundle(id, open, times, added, pending, ends, cancelled,
				new KeptResults(results, (int) words.number()));
	}

	/**
	 * A page of bundles.
	 *
	 * @param bundles the bundles
	 * @param cursor where to go on; {@code 0} if these are the last ones
	 * @param time the store's clock when it was read
	 */
	public record BundlePage(List<StoredBundle> bundles, String cursor, Instant time) {
	}

	/**
	 * The state of a bundle that has not ended.
	 *
	 * @param id its id
	 * @param open whether it stays when all its messages have ended
	 * @param times when it was opened and changed
	 * @param added how many messages were added
	 * @param pending how many of them have not ended
	 * @param ends how many have ended, by the way in which they ended
	 * @param cancelled whether the rest is to be cancelled
	 * @param results how many results of its handlers are kept
	 */
	public record StoredBundle(String id, boolean open, BundleTimes times, int added, int pending,
			Map<String, Integer> ends, boolean cancelled, KeptResults results) {

	}

	/**
	 * When a bundle was opened and changed, by the store's clock.
	 *
	 * @param openedAt when it was opened
	 * @param openUntil until when it may be open
	 * @param movedAt when a message was last added or ended
	 */
	public record BundleTimes(Instant openedAt, Instant openUntil, Instant movedAt) {

	}

	/**
	 * The results of the handlers of a bundle.
	 *
	 * @param kept how many are kept
	 * @param leftOut how many had no room
	 */
	public record KeptResults(int kept, int leftOut) {

		private static final KeptResults NONE = new KeptResults(0, 0);

	}

	/**
	 * Messages of bundles.
	 *
	 * @param members the messages
	 * @param relaying whether the outbox of the asked queue has notes
	 */
	public record PendingMembers(List<PendingMember> members, boolean relaying) {

	}

}
