package io.redelay.benchmarks.versions;

/**
 * What one work cost in both versions, which did it one right after the other.
 *
 * @param work what was done
 * @param number the number of the round; those below 1 do not count
 * @param earlier the cost in the earlier version
 * @param present the cost in this version
 */
record VersionRound(VersionWork work, int number, VersionCost earlier, VersionCost present) {

	double ratio(VersionCost.Figure figure) {
		return figure.of(this.present) / figure.of(this.earlier);
	}

}
