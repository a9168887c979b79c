package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import io.redelay.benchmarks.peers.contender.Session;
import io.redelay.benchmarks.peers.contender.Setup;

/**
 * What listeners cost while nothing is sent, with one handler each. A message at the end
 * shows that there was a listener.
 */
record IdleItem(int queues, Duration duration) implements Item {

	private static final Duration SETTLING = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Override
	public String name() {
		return "idle-" + this.queues;
	}

	@Override
	public String title() {
		return String.format(Locale.ROOT, "Idle, queues: %,d", this.queues);
	}

	@Override
	public Setup setup(int concurrency) {
		return new Setup(this.queues, 1);
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
		session.listen();
		stage.pause(SETTLING);
		Usage before = Usage.of(stage, session);
		long start = System.nanoTime();
		stage.pause(this.duration);
		Usage used = Usage.of(stage, session).since(before);
		double seconds = (System.nanoTime() - start) / 1e9;
		session.expect(1, 0);
		session.fill(1);
		Completeness.verify(session, stage, session.await(PATIENCE), 1);
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.REQUESTS_PER_SECOND, used.reads() / seconds);
		figures.put(Figure.COMMANDS_PER_SECOND, used.commands() / seconds);
		figures.put(Figure.REDIS_LOAD, used.redisCpu().toNanos() / 1e7 / seconds);
		figures.put(Figure.CLIENT_LOAD, used.clientCpu().toNanos() / 1e7 / seconds);
		return figures;
	}

}
