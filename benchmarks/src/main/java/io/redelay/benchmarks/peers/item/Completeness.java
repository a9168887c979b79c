package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * Sees that a contender did all of the work, so that no figure is about less.
 */
final class Completeness {

	private static final Duration SETTLING = Duration.ofSeconds(30);

	private static final Duration PAUSE = Duration.ofMillis(10);

	private Completeness() {
	}

	/**
	 * Throws unless each message was handled once, and is acknowledged soon.
	 */
	static void verify(Session session, Stage stage, Handled handled, int expected) {
		if (handled.messages() != expected || handled.repeated() != 0) {
			throw new IllegalStateException("%d of %d messages were handled, and %d of them again"
				.formatted(handled.messages(), expected, handled.repeated()));
		}
		long end = System.nanoTime() + SETTLING.toNanos();
		long left = session.left();
		while (left != 0) {
			if (System.nanoTime() - end > 0) {
				throw new IllegalStateException("%d messages were handled but not acknowledged".formatted(left));
			}
			stage.pause(PAUSE);
			left = session.left();
		}
	}

	/**
	 * Sees to it that no message was handled twice, and returns how late they were.
	 */
	static Map<Figure, Double> latencies(Handled handled) {
		if (handled.repeated() != 0) {
			throw new IllegalStateException("%d messages came again".formatted(handled.repeated()));
		}
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		if (handled.measured() > 0) {
			figures.put(Figure.P50, handled.lateMillis(50));
			figures.put(Figure.P99, handled.lateMillis(99));
		}
		return figures;
	}

}
