package io.redelay.queue.store;

/**
 * The names of all keys of one queue, which share a hash tag and so a slot.
 */
record QueueKeys(String queue, String messages, String ready, String suspects, String scheduled, String held,
		String lanes, String tries, String dead, String deadMessages, String ids, String sleepers, String meta,
		String sentPrefix) {

	static QueueKeys of(String prefix, String queue) {
		String base = prefix + ":{" + queue + "}:";
		return new QueueKeys(queue, base + "messages", base + "ready", base + "suspects", base + "scheduled",
				base + "held", base + "lanes", base + "tries", base + "dead", base + "dead:messages", base + "ids",
				base + "sleepers", base + "meta", base + "sent:");
	}

	String sent(String lane) {
		return this.sentPrefix + lane;
	}

}
