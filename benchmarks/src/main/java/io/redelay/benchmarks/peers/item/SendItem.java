package io.redelay.benchmarks.peers.item;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Sending;
import io.redelay.benchmarks.peers.contender.Session;

/**
 * Sends, while no listener is there.
 */
record SendItem(Sending sending) implements Item {

	@Override
	public String name() {
		return "send-" + this.sending.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	@Override
	public String title() {
		return "Send, " + this.sending.title();
	}

	@Override
	public Map<Figure, Double> run(Session session, Stage stage) {
		int messages = stage.sent(part());
		session.send(this.sending, messages / 10);
		stage.awaitCompilation();
		Usage before = Usage.of(stage, session);
		long start = System.nanoTime();
		session.send(this.sending, messages);
		double seconds = (System.nanoTime() - start) / 1e9;
		Usage used = Usage.of(stage, session).since(before);
		long there = session.left();
		if (there != messages + messages / 10) {
			throw new IllegalStateException("%d of %d messages arrived".formatted(there, messages + messages / 10));
		}
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.PER_SECOND, messages / seconds);
		used.addTo(figures, messages);
		return figures;
	}

	private int part() {
		return switch (this.sending) {
			case ONE_THREAD -> 5;
			case THREADS, VIRTUAL_THREADS, FUTURES -> 4;
			case BULK -> 1;
		};
	}

}
