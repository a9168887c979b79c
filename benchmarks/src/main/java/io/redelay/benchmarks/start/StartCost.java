package io.redelay.benchmarks.start;

import java.util.List;

import io.redelay.benchmarks.CostFigure;

/**
 * What the start of an application took.
 *
 * @param wall from the start of the JVM until it was ready, ms
 * @param cpu what the process had computed by then, ms
 * @param requests what it had sent to Redis by then, without what scripts call
 * @param classes the classes that were loaded when its work was done
 * @param beans the definitions of beans
 * @param threads the threads
 * @param heap the heap after a collection, MB
 * @param other the memory of the JVM outside of the heap: classes and compiled code, MB
 * @param resident the memory of the process, MB
 */
record StartCost(double wall, double cpu, double requests, double classes, double beans, double threads, double heap,
		double other, double resident) {

	static final List<CostFigure<StartCost>> FIGURES = List.of(
			new CostFigure<>("time until ready, ms", "%.0f", StartCost::wall),
			new CostFigure<>("CPU until ready, ms", "%.0f", StartCost::cpu),
			new CostFigure<>("requests until ready", "%.0f", StartCost::requests),
			new CostFigure<>("classes loaded", "%.0f", StartCost::classes),
			new CostFigure<>("beans", "%.0f", StartCost::beans),
			new CostFigure<>("threads", "%.0f", StartCost::threads),
			new CostFigure<>("heap after GC, MB", "%.1f", StartCost::heap),
			new CostFigure<>("classes and code, MB", "%.1f", StartCost::other),
			new CostFigure<>("resident, MB", "%.0f", StartCost::resident));

}
