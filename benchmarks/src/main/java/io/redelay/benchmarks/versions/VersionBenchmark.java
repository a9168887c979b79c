package io.redelay.benchmarks.versions;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.embedded.redis.RedisServer;

/**
 * Compares what a message costs in this version and in earlier ones: commands, CPU time
 * of Redis and of the client, and allocations. All run in this process, each with
 * classes, an application and a Redis of its own, and do the same work one right after
 * the other; in the next round another one begins.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class VersionBenchmark {

	private static final String PRESENT = "present";

	private VersionBenchmark() {
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --earlier=<commit>,<commit>}, {@code --rounds=20} and others
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
		Map<String, Version> versions = start(options);
		VersionReport report = new VersionReport(file, List.copyOf(versions.keySet()));
		for (int number = 1 - options.warmUp(); number <= options.rounds(); number++) {
			for (VersionWork work : options.works()) {
				report.add(round(work, number, work.messages(options.messages()), versions));
			}
		}
		versions.values().forEach(Version::close);
		report.print();
		if (options.landing() != null) {
			report.addTo(options.landing(), VersionBuild.present());
		}
		System.exit(0);
	}

	private static Map<String, Version> start(VersionOptions options) {
		Map<String, Version> versions = new LinkedHashMap<>();
		for (String earlier : options.earlier()) {
			versions.put(VersionBuild.name(earlier), new Version(VersionBuild.of(earlier)));
		}
		versions.put(PRESENT, new Version(null));
		return versions;
	}

	private static VersionRound round(VersionWork work, int number, int messages, Map<String, Version> versions) {
		List<Map.Entry<String, Version>> order = new ArrayList<>(versions.entrySet());
		Collections.rotate(order, number);
		Map<String, VersionCost> costs = new LinkedHashMap<>();
		order.forEach((version) -> costs.put(version.getKey(), version.getValue().measure(work, messages)));
		return new VersionRound(work, number, costs);
	}

}
