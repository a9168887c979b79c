package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * How long it takes from the call that sends a message to its handler, at 500 messages a
 * second.
 */
record LatencyItem(Duration duration) implements Item {

	private static final int PER_SECOND = 500;

	/**
	 * Not measured; so many that what each message goes through has been compiled.
	 */
	private static final int WARM_UP = 5000;

	private static final Duration SETTLING = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	@Override
	public String name() {
		return "latency";
	}

	@Override
	public String title() {
		return "From send to handler, 500/s";
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int messages = Math.toIntExact(this.duration.toSeconds() * PER_SECOND);
		int all = messages + WARM_UP;
		session.expect(all, WARM_UP);
		session.listen();
		stage.pause(SETTLING);
		session.pace(WARM_UP, 2 * PER_SECOND);
		stage.awaitCompilation();
		session.pace(messages, PER_SECOND);
		Handled handled = session.await(PATIENCE);
		Map<Figure, Double> figures = Completeness.latencies(handled);
		figures.put(Figure.HANDLED, 100.0 * handled.messages() / all);
		return figures;
	}

}
