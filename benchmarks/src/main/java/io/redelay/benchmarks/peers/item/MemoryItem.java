package io.redelay.benchmarks.peers.item;

import java.util.Map;

import io.redelay.benchmarks.peers.contender.Session;

/**
 * The memory that Redis needs for a message that waits.
 */
record MemoryItem(boolean later) implements Item {

	@Override
	public String name() {
		return this.later ? "memory-later" : "memory";
	}

	@Override
	public String title() {
		return this.later ? "Memory of a message that is scheduled" : "Memory of a message that waits";
	}

	@Override
	public boolean isOfRedis() {
		return true;
	}

	@Override
	public boolean isWarmedUp() {
		return false;
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int messages = stage.sent(4);
		Usage before = Usage.of(stage, session);
		if (this.later) {
			session.fillLater(messages);
		}
		else {
			session.fill(messages);
		}
		long memory = Usage.of(stage, session).since(before).memory();
		return Map.of(Figure.BYTES, (double) memory / messages);
	}

}
