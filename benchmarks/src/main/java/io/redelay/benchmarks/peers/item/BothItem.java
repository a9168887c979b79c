package io.redelay.benchmarks.peers.item;

import java.util.Map;

import io.redelay.benchmarks.peers.contender.NotOfferedException;
import io.redelay.benchmarks.peers.contender.Sending;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * Sends, with 16 sends on their way, while handlers run.
 */
record BothItem() implements Item {

	@Override
	public String name() {
		return "both";
	}

	@Override
	public String title() {
		return "Send and handle at once";
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int messages = stage.handled(1);
		int warmUp = messages / 10;
		int all = messages + warmUp;
		session.expect(all, warmUp);
		session.listen();
		Usage before = Usage.of(stage, session);
		try {
			session.send(Sending.FUTURES, all);
		}
		catch (NotOfferedException ex) {
			session.send(Sending.THREADS, all);
		}
		return stage.awaitAll(session, before, all);
	}

}
