package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * How late 2,000 delayed messages come while others are scheduled for later.
 */
record LatenessItem(int others) implements Item {

	private static final int MESSAGES = 2_000;

	private static final int WARM_UP = 100;

	private static final int PER_SECOND = 500;

	/**
	 * Delays are given in milliseconds, times are taken in microseconds.
	 */
	private static final long TOLERANCE = 1_000;

	private static final Duration FIRST = Duration.ofSeconds(3);

	private static final Duration SETTLING = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Override
	public String name() {
		return "lateness-" + this.others;
	}

	@Override
	public String title() {
		return String.format(Locale.ROOT, "Lateness of delays, %,d others scheduled", this.others);
	}

	@Override
	public boolean isWarmedUp() {
		return this.others == 0;
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int all = MESSAGES + WARM_UP;
		session.expect(all, WARM_UP);
		session.fillLater(this.others);
		session.listen();
		stage.pause(SETTLING);
		session.schedule(all, FIRST, PER_SECOND);
		Handled handled = session.await(FIRST.plusSeconds(all / PER_SECOND).plus(PATIENCE));
		Map<Figure, Double> figures = Completeness.latencies(handled);
		figures.put(Figure.EARLY, (double) Arrays.stream(handled.late()).filter((late) -> late < -TOLERANCE).count());
		figures.put(Figure.HANDLED, 100.0 * handled.messages() / all);
		return figures;
	}

}
