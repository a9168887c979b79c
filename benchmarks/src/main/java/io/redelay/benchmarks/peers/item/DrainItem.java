package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * Handles and acknowledges what was sent before. The time runs from when one in eleven
 * has been handled, so that no contender's start counts.
 */
record DrainItem() implements Item {

	private static final Duration LIMIT = Duration.ofMinutes(10);

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
		Handled handled = session.await(LIMIT);
		Completeness.verify(session, stage, handled, all);
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.PER_SECOND, handled.measured() / handled.seconds());
		Usage.of(stage, session).since(before).addTo(figures, all);
		return figures;
	}

}
