package io.redelay.benchmarks.peers.item;

import java.util.Map;

import io.redelay.benchmarks.peers.contender.Session;
import io.redelay.benchmarks.peers.contender.Setup;

/**
 * A piece of work that all contenders do.
 *
 * @since 0.1.0
 */
public interface Item {

	/**
	 * Returns the name on the command line.
	 * @return the name
	 */
	String name();

	/**
	 * Returns the name in reports.
	 * @return the name
	 */
	String title();

	/**
	 * Returns what contenders are prepared for.
	 * @param concurrency how many handlers run at the same time
	 * @return the setup
	 */
	default Setup setup(int concurrency) {
		return new Setup(1, concurrency);
	}

	/**
	 * Returns whether it is part of the warm-up.
	 * @return whether it is
	 */
	default boolean isWarmedUp() {
		return true;
	}

	/**
	 * Returns whether it measures Redis more than the contender, so that there is nothing
	 * to measure for one without.
	 * @return whether it does
	 */
	default boolean isOfRedis() {
		return false;
	}

	/**
	 * Does the work.
	 * @param session does it
	 * @param stage what there is to do it with
	 * @return the figures
	 */
	Map<Figure, Double> run(Session session, Stage stage);

}
