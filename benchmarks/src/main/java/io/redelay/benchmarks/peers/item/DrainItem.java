package io.redelay.benchmarks.peers.item;

import java.util.Map;

import io.redelay.benchmarks.peers.contender.Session;

/**
 * Handles and acknowledges what was sent before. The time runs from when one in eleven
 * has been handled, so that no contender's start counts.
 */
record DrainItem() implements Item {

	@Override
	public String name() {
		return "drain";
	}

	@Override
	public String title() {
		return "Handle what is there";
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int messages = stage.handled(1);
		int warmUp = messages / 10;
		int all = messages + warmUp;
		session.expect(all, warmUp);
		session.fill(all);
		Usage before = Usage.of(stage, session);
		session.listen();
		return stage.awaitAll(session, before, all);
	}

}
