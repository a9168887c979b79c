package io.redelay.benchmarks.versions;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.embedded.redis.RedisServer;

/**
 * Compares what a message costs in this version and in an earlier one: commands, CPU time
 * of Redis and of the client, and allocations. Both run in this process, each with
 * classes, an application and a Redis of its own, and do the same work one right after
 * the other; in the next round the other one begins.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class VersionBenchmark {

	private VersionBenchmark() {
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --earlier=<classes>}, {@code --rounds=20} and others
	 */
	public static void main(String... args) {
		VersionOptions options = VersionOptions.read(args);
		// Each version has a class loader of its own, and all of them the JVM's
		// properties.
		System.setProperty(VersionApplication.METRICS, Boolean.toString(options.metrics()));
		System.setProperty("redelay.queue.stats.enabled", Boolean.toString(options.stats()));
		JsonLines file = new JsonLines(options.output());
		try (RedisServer server = RedisServer.start()) {
			file.begin(Machine.now(server));
		}
		VersionReport report = new VersionReport(file);
		try (Version earlier = new Version(options.earlier()); Version present = new Version(null)) {
			for (int number = 1 - options.warmUp(); number <= options.rounds(); number++) {
				for (VersionWork work : VersionWork.values()) {
					report.add(round(work, number, options.messages(), earlier, present));
				}
			}
		}
		report.print();
		System.exit(0);
	}

	private static VersionRound round(VersionWork work, int number, int messages, Version earlier, Version present) {
		if (number % 2 == 0) {
			VersionCost ofEarlier = earlier.measure(work, messages);
			return new VersionRound(work, number, ofEarlier, present.measure(work, messages));
		}
		VersionCost ofPresent = present.measure(work, messages);
		return new VersionRound(work, number, earlier.measure(work, messages), ofPresent);
	}

}
