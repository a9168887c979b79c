package io.redelay.benchmarks.peers.item;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import io.redelay.benchmarks.peers.contender.Handled;
import io.redelay.benchmarks.peers.contender.Session;
import io.redelay.embedded.redis.RedisServer;

/**
 * What there is for one item of one contender.
 *
 * @param server the Redis
 * @param messages how many messages the fastest is given
 * @param slowness how many times fewer this one is given where it handles them
 * @since 0.1.0
 */
public record Stage(RedisServer server, int messages, int slowness) {

	private static final int FEWEST = 100;

	private static final Duration LIMIT = Duration.ofMinutes(10);

	/**
	 * Without a compilation in such a time all is compiled.
	 */
	private static final Duration CALM = Duration.ofMillis(500);

	private static final Duration LONGEST_COMPILATION = Duration.ofSeconds(10);

	/**
	 * Returns how many messages are sent.
	 * @param part which part of the whole it is: a half, a third, …
	 * @return the number
	 */
	int sent(int part) {
		return Math.max(FEWEST, this.messages / part);
	}

	/**
	 * Returns how many messages are sent and handled.
	 * @param part which part of the whole it is: a half, a third, …
	 * @return the number
	 */
	int handled(int part) {
		return sent(part * this.slowness);
	}

	/**
	 * Waits until this JVM has compiled what the past has made worth compiling, such as
	 * the start of an application, so that no other is measured beside it. It is not
	 * waited for longer than {@link #LONGEST_COMPILATION}.
	 */
	public void awaitCompilation() {
		CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
		long end = System.nanoTime() + LONGEST_COMPILATION.toNanos();
		long before;
		do {
			before = compilation.getTotalCompilationTime();
			pause(CALM);
		}
		while (compilation.getTotalCompilationTime() > before && System.nanoTime() < end);
	}

	/**
	 * Waits until all messages are handled.
	 * @return how fast that was, and what it took
	 */
	Map<Figure, Double> awaitAll(Session session, Usage before, int all) {
		Handled handled = session.await(LIMIT);
		Completeness.verify(session, this, handled, all);
		Map<Figure, Double> figures = new EnumMap<>(Figure.class);
		figures.put(Figure.PER_SECOND, handled.measured() / handled.seconds());
		Usage.of(this, session).since(before).addTo(figures, all);
		return figures;
	}

	void pause(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		for (long wait = duration.toNanos(); wait > 0; wait = end - System.nanoTime()) {
			LockSupport.parkNanos(wait);
		}
	}

}
