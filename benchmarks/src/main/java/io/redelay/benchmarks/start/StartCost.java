package io.redelay.benchmarks.start;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

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

	/**
	 * One of the figures.
	 */
	enum Figure {

		WALL("time until ready, ms", "%.0f", StartCost::wall),

		CPU("CPU until ready, ms", "%.0f", StartCost::cpu),

		REQUESTS("requests until ready", "%.0f", StartCost::requests),

		CLASSES("classes loaded", "%.0f", StartCost::classes),

		BEANS("beans", "%.0f", StartCost::beans),

		THREADS("threads", "%.0f", StartCost::threads),

		HEAP("heap after GC, MB", "%.1f", StartCost::heap),

		OTHER("classes and code, MB", "%.1f", StartCost::other),

		RESIDENT("resident, MB", "%.0f", StartCost::resident);

		private final String title;

		private final String format;

		private final ToDoubleFunction<StartCost> value;

		Figure(String title, String format, ToDoubleFunction<StartCost> value) {
			this.title = title;
			this.format = format;
			this.value = value;
		}

		String title() {
			return this.title;
		}

		double of(StartCost cost) {
			return this.value.applyAsDouble(cost);
		}

		String text(double value) {
			return String.format(Locale.ROOT, this.format, value);
		}

	}

}
