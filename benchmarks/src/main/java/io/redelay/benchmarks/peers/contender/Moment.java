package io.redelay.benchmarks.peers.contender;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time of this process: since 1970 like the clock's, but it never jumps.
 */
final class Moment {

	@SuppressWarnings("TimeInStaticInitializer") // the one moment at which the clock is
													// read
	private static final long EPOCH = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())
			- System.nanoTime() / 1000;

	private Moment() {
	}

	static long micros() {
		return EPOCH + System.nanoTime() / 1000;
	}

}
