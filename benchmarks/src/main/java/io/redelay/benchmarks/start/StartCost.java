package io.redelay.benchmarks.start;

import java.util.Locale;

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

		WALL("time until ready, ms", "%.0f"),

		CPU("CPU until ready, ms", "%.0f"),

		REQUESTS("requests until ready", "%.0f"),

		CLASSES("classes loaded", "%.0f"),

		BEANS("beans", "%.0f"),

		THREADS("threads", "%.0f"),

		HEAP("heap after GC, MB", "%.1f"),

		OTHER("classes and code, MB", "%.1f"),

		RESIDENT("resident, MB", "%.0f");

		private final String title;

		private final String format;

		Figure(String title, String format) {
			this.title = title;
			this.format = format;
		}

		String title() {
			return this.title;
		}

		double of(StartCost cost) {
			return switch (this) {
				case WALL -> cost.wall();
				case CPU -> cost.cpu();
				case REQUESTS -> cost.requests();
				case CLASSES -> cost.classes();
				case BEANS -> cost.beans();
				case THREADS -> cost.threads();
				case HEAP -> cost.heap();
				case OTHER -> cost.other();
				case RESIDENT -> cost.resident();
			};
		}

		String text(double value) {
			return String.format(Locale.ROOT, this.format, value);
		}

	}

}
