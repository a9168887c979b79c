package io.redelay.queue.simulation;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Looks for a shorter run that fails as well: leaves out one feature or event after the
 * other, as long as the run still fails.
 */
final class Shrinking {

	private static final int MOST_RUNS = 300;

	private final long seed;

	private final MemoryRedis redis;

	private final UnaryOperator<String> scripts;

	private int runs;

	Shrinking(long seed, MemoryRedis redis, UnaryOperator<String> scripts) {
		this.seed = seed;
		this.redis = redis;
		this.scripts = scripts;
	}

	/**
	 * Returns the failure of the shortest run that was found.
	 * @param failure the failure of the whole run
	 */
	AssertionError shrink(AssertionError failure) {
		AssertionError shortest = failure;
		Set<String> dropped = new LinkedHashSet<>();
		boolean goesOn = true;
		while (goesOn) {
			goesOn = false;
			Simulation whole = new Simulation(this.seed, this.redis, this.scripts, dropped);
			fails(whole);
			for (String part : whole.parts()) {
				if (this.runs < MOST_RUNS && dropped.add(part)) {
					AssertionError again = fails(new Simulation(this.seed, this.redis, this.scripts, dropped));
					if (again != null) {
						shortest = again;
						goesOn = true;
					}
					else {
						dropped.remove(part);
					}
				}
			}
		}
		return shortest;
	}

	private AssertionError fails(Simulation simulation) {
		this.runs++;
		try {
			simulation.run();
			return null;
		}
		catch (AssertionError ex) {
			return ex;
		}
	}

}
