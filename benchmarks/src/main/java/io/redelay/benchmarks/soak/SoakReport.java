package io.redelay.benchmarks.soak;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

import io.redelay.benchmarks.JsonLines;

/**
 * Writes samples to a file, and prints them with what follows from them.
 */
final class SoakReport {

	private static final double MEBIBYTE = 1024 * 1024;

	private final JsonLines file;

	private final PrintStream out;

	private final List<SoakSample> samples = new ArrayList<>();

	SoakReport(JsonLines file, PrintStream out) {
		this.file = file;
		this.out = out;
	}

	void begin(Object setting) {
		this.file.begin(setting);
		this.out.printf("%8s %9s %8s %9s %12s %6s %10s %9s %12s %9s%n", "seconds", "heap, MB", "threads", "handlers",
				"connections", "keys", "Redis, MB", "backlog", "handled", "p99, ms");
	}

	synchronized void add(SoakSample sample) {
		this.file.add(sample);
		this.samples.add(sample);
		this.out.printf("%8.0f %9.1f %8d %9d %12d %6d %10.1f %,9d %,12d %9.2f%n", sample.seconds(),
				sample.heap() / MEBIBYTE, sample.threads(), sample.handlers(), sample.clients(), sample.keys(),
				sample.memory() / MEBIBYTE, sample.backlog(), sample.handled(), sample.p99());
	}

	/**
	 * Prints what is flat, and what is not.
	 * @return whether all is
	 */
	synchronized boolean printTrends() {
		List<Trend> trends = Trend.of(this.samples);
		this.out.printf("%n%-12s %12s %12s %16s%n", "", "first third", "last third", "may grow by");
		for (Trend trend : trends) {
			this.out.printf("%-12s %12.1f %12.1f %16.1f   %s%n", trend.name(), trend.first(), trend.last(),
					trend.allowance(), trend.isFlat() ? "flat" : "NOT FLAT");
		}
		return trends.stream().allMatch(Trend::isFlat);
	}

}
