package io.redelay.benchmarks.versions;

import java.util.Map;
import java.util.Objects;

import io.redelay.benchmarks.CostFigure;

/**
 * What one work cost in each version, which did it one right after the other.
 *
 * @param work what was done
 * @param number the number of the round; those below 1 do not count
 * @param costs the cost by the name of the version
 */
record VersionRound(VersionWork work, int number, Map<String, VersionCost> costs) {

	double of(String version, CostFigure<VersionCost> figure) {
		return figure.of(Objects.requireNonNull(this.costs.get(version)));
	}

	double ratio(String version, String other, CostFigure<VersionCost> figure) {
		return of(version, figure) / of(other, figure);
	}

}
