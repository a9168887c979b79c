package io.redelay.queue.store.redis;

import java.util.List;

/**
 * The names of all keys of one queue, which share a hash tag and so a slot.
 */
record QueueKeys(String queue, String messages, String ready, String suspects, String scheduled, String held,
		String lanes, String tries, String dead, String deadMessages, String ids, String sleepers, String meta,
		String cancelled, String history, String deadIds, String past, String expiries, String known,
		String sentPrefix) {

	static QueueKeys of(String prefix, String queue) {
		String base = prefix + ":{" + queue + "}:";
		return new QueueKeys(queue, base + "messages", base + "ready", base + "suspects", base + "scheduled",
				base + "held", base + "lanes", base + "tries", base + "dead", base + "dead:messages", base + "ids",
				base + "sleepers", base + "meta", base + "cancelled", base + "history", base + "dead:ids",
				base + "past", base + "expiries", base + "known", base + "sent:");
	}

	/**
	 * All keys but those of senders, the messages, the dead ones, the sleepers and what
	 * is known of the past first.
	 */
	List<Object> all() {
		return List.of(this.messages, this.dead, this.sleepers, this.past, this.ready, this.suspects, this.scheduled,
				this.held, this.lanes, this.tries, this.deadMessages, this.ids, this.meta, this.cancelled, this.history,
				this.deadIds, this.expiries, this.known);
	}

	String sent(String lane) {
		return this.sentPrefix + lane;
	}

}
