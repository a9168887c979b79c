package io.redelay.benchmarks.versions;

import java.util.Locale;

/**
 * What a message cost.
 *
 * @param commands commands of Redis, those that scripts call included
 * @param redisMicros what the process of Redis has computed, in microseconds
 * @param clientMicros what the process of the client has computed, in microseconds
 * @param allocatedBytes how many bytes the client has allocated
 */
record VersionCost(double commands, double redisMicros, double clientMicros, double allocatedBytes) {

	/**
	 * One of the figures.
	 */
	enum Figure {

		COMMANDS("commands", "%.2f"),

		REDIS_CPU("Redis CPU, µs", "%.2f"),

		CLIENT_CPU("client CPU, µs", "%.1f"),

		ALLOCATED("allocated, bytes", "%.0f");

		private final String title;

		private final String format;

		Figure(String title, String format) {
			this.title = title;
			this.format = format;
		}

		String title() {
			return this.title;
		}

		double of(VersionCost cost) {
			return switch (this) {
				case COMMANDS -> cost.commands();
				case REDIS_CPU -> cost.redisMicros();
				case CLIENT_CPU -> cost.clientMicros();
				case ALLOCATED -> cost.allocatedBytes();
			};
		}

		String text(double median) {
			return String.format(Locale.ROOT, this.format, median);
		}

	}

}
