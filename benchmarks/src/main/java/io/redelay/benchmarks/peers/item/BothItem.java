package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.NotOfferedException;
import io.redelay.benchmarks.peers.contender.Sending;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * Sends, with 16 sends on their way, while handlers run.
 */
record BothItem() implements Item {

	private static final Duration LIMIT = Duration.ofMinutes(10);

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
		Handled handled = session.await(LIMIT);
		Completeness.verify(session, stage, handled, all);
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.PER_SECOND, handled.measured() / handled.seconds());
		Usage.of(stage, session).since(before).addTo(figures, all);
		return figures;
	}

}
