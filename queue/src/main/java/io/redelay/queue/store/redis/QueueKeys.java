package io.redelay.queue.store.redis;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.limits.GroupName;

/**
 * The names of all keys of one queue, which share a hash tag and so a slot.
 */
record QueueKeys(String queue, String messages, String ready, String suspects, String scheduled, String held,
		String lanes, String tries, String dead, String deadMessages, String ids, String sleepers, String meta,
		String cancelled, String history, String deadIds, String past, String expiries, String known, String keys,
		String order, String waiting, String seats, String turns, String weights, String blocked, String busy,
		String rates, String bursts, String gates, String dedup, String dedupExpiries, String outbox, String completed,
		String completedMessages, String work, String tags, String completedTags, String handed, String bundles,
		String bundleCallbacks, String bundlesPending, String bundlesDue, String bundlesEarly, String bundlesResults,
		String sentPrefix, String idempotent, String idempotentRunning, String idempotentOwners, String recurring,
		String stats, String redrive, String idle, String inlet) {

	static QueueKeys of(String prefix, String queue) {
		String base = prefix + ":" + tagged(queue) + ":";
		return new QueueKeys(queue, base + "messages", base + "ready", base + "suspects", base + "scheduled",
				base + "held", base + "lanes", base + "tries", base + "dead", base + "dead:messages", base + "ids",
				base + "sleepers", base + "meta", base + "cancelled", base + "history", base + "dead:ids",
				base + "past", base + "expiries", base + "known", base + "keys", base + "order", base + "waiting",
				base + "seats", base + "turns", base + "weights", base + "blocked", base + "busy", base + "rates",
				base + "bursts", base + "gates", base + "dedup", base + "dedup:expiries", base + "outbox",
				base + "completed", base + "completed:messages", base + "work", base + "tags", base + "completed:tags",
				base + "handed", base + "bundles", base + "bundles:callbacks", base + "bundles:pending",
				base + "bundles:due", base + "bundles:early", base + "bundles:results", base + "sent:",
				base + "idempotent", base + "idempotent:running", base + "idempotent:owners", base + "recurring",
				base + "stats", base + "redrive", base + "idle", prefix + ":inlet:" + tagged(queue));
	}

	/**
	 * All groups of a topic share its hash tag, so that one script reaches them all.
	 */
	private static String tagged(String queue) {
		return GroupName.isGroup(queue)
				? "{" + GroupName.topicOf(queue) + "}" + GroupName.ofTopic("") + GroupName.groupOf(queue)
				: "{" + queue + "}";
	}

	/**
	 * Returns all keys but those of senders; first the messages, the dead ones, the
	 * sleepers, the history, the outbox and the bundles.
	 */
	List<Object> all() {
		return withIndex(this.messages, this.dead, this.sleepers, this.past, this.outbox, this.bundles, this.ready,
				this.suspects, this.scheduled, this.held, this.lanes, this.tries, this.deadMessages, this.ids,
				this.meta, this.cancelled, this.history, this.deadIds, this.expiries, this.known, this.idempotent,
				this.idempotentRunning, this.idempotentOwners, this.handed, this.bundleCallbacks, this.bundlesPending,
				this.bundlesDue, this.bundlesEarly, this.bundlesResults, this.recurring, this.stats, this.redrive,
				this.idle);
	}

	/**
	 * Returns all keys but those of senders; first the keys that an empty queue may have.
	 */
	List<Object> forForgetting() {
		List<Object> first = List.of(this.known, this.meta, this.stats, this.idle);
		List<Object> all = new ArrayList<>(first);
		all().stream().filter((key) -> !first.contains(key)).forEach(all::add);
		all.add(this.inlet);
		return all;
	}

	/**
	 * Returns the keys of the scripts that are sent within the one that steers messages.
	 * @param first the key of the lane's last request, or what stands in its place
	 */
	List<Object> steered(String first) {
		List<Object> all = withIndex(first, this.messages, this.ready, this.scheduled, this.held, this.tries, this.dead,
				this.deadMessages, this.ids, this.sleepers, this.cancelled, this.history, this.meta, this.suspects,
				this.lanes, this.deadIds, this.expiries);
		all.add(this.past);
		return all;
	}

	/**
	 * Returns the keys of a script, and behind them the keys that a plain queue does not
	 * use. A queue uses these once a message had a key, a priority, tags or a
	 * deduplication, or a listener a limit. So does a queue that has an outbox, retains
	 * completed messages, or keeps the progress of long work.
	 */
	List<Object> withIndex(String... first) {
		List<Object> all = new ArrayList<>(List.of(first));
		all.addAll(List.of(this.keys, this.order, this.waiting, this.seats, this.turns, this.weights, this.blocked,
				this.busy, this.rates, this.bursts, this.gates, this.dedup, this.dedupExpiries, this.outbox,
				this.completed, this.completedMessages, this.work, this.tags, this.completedTags));
		return all;
	}

	/**
	 * Returns whether a script can name keys of both queues on a cluster.
	 */
	boolean sharesSlot(QueueKeys other) {
		return tag().equals(other.tag());
	}

	private String tag() {
		return this.messages.substring(0, this.messages.indexOf('}'));
	}

	String sent(String lane) {
		return this.sentPrefix + lane;
	}

}
