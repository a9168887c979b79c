package io.redelay.benchmarks.versions;

import java.util.List;

import io.redelay.benchmarks.CostFigure;

/**
 * What a message cost.
 *
 * @param commands commands of Redis, those that scripts call included
 * @param redisMicros what the process of Redis has computed, in microseconds
 * @param clientMicros what the process of the client has computed, in microseconds
 * @param allocatedBytes how many bytes the client has allocated
 */
record VersionCost(double commands, double redisMicros, double clientMicros, double allocatedBytes) {

	static final CostFigure<VersionCost> CLIENT_CPU = new CostFigure<>("client CPU, µs", "%.1f",
			VersionCost::clientMicros);

	static final List<CostFigure<VersionCost>> FIGURES = List.of(
			new CostFigure<>("commands", "%.2f", VersionCost::commands),
			new CostFigure<>("Redis CPU, µs", "%.2f", VersionCost::redisMicros), CLIENT_CPU,
			new CostFigure<>("allocated, bytes", "%.0f", VersionCost::allocatedBytes));

}
