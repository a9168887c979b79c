package io.redelay.benchmarks;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.annotation.LockNameBenchmark;
import io.redelay.lock.annotation.LockNameBenchmark.Template;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link LockBenchmark} and {@link LockNameBenchmark}, and prints what locks cost
 * beside what they are made of.
 * <p>
 * All runs in this one JVM, against JMH's habit: what is compared is then measured in
 * turns, so that both meet the same load of the machine.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class LockCosts {

	private final URI redis;

	private final int rounds;

	/**
	 * The nanoseconds of a call, a value a round, by what is called.
	 */
	private final Map<String, List<Double>> nanos = new HashMap<>();

	private LockCosts(URI redis, int rounds) {
		this.redis = redis;
		this.rounds = rounds;
	}

	/**
	 * Measures and prints.
	 * @param args {@code --redis=redis://host:port}, {@code --rounds=5}
	 * @throws RunnerException if JMH cannot run
	 */
	public static void main(String... args) throws RunnerException {
		LockOptions options = BenchmarkOptions.read(LockOptions.class, args);
		URI redis = options.redis();
		if (redis != null) {
			new LockCosts(redis, options.rounds()).run();
			return;
		}
		try (RedisServer server = RedisServer.start()) {
			new LockCosts(server.uri(), options.rounds()).run();
		}
	}

	private void run() throws RunnerException {
		measureTurns("", 1);
		measureTurns(", 4", 4);
		for (String benchmark : List.of("annotatedWithoutRedis", "reentered")) {
			for (IterationResult result : measureLocks(benchmark, 1)) {
				add(benchmark, result.getPrimaryResult().getScore());
			}
		}
		measureNames();
		print();
	}

	private void measureTurns(String suffix, int threads) throws RunnerException {
		for (IterationResult result : measureLocks("inTurns", threads)) {
			add("raw" + suffix, counter(result, "rawNanos") / counter(result, "rawCalls"));
			add("annotated" + suffix, counter(result, "annotatedNanos") / counter(result, "annotatedCalls"));
		}
	}

	private Collection<IterationResult> measureLocks(String benchmark, int threads) throws RunnerException {
		RunResult result = new Runner(options(LockBenchmark.class, benchmark).threads(threads)
			.warmupIterations(2)
			.warmupTime(TimeValue.seconds(5))
			.measurementIterations(this.rounds)
			.measurementTime(TimeValue.seconds(3))
			.param("redis", this.redis.toString())
			.build()).runSingle();
		return result.getBenchmarkResults().iterator().next().getIterationResults();
	}

	private void measureNames() throws RunnerException {
		for (int round = 0; round <= this.rounds; round++) {
			for (Template template : Template.values()) {
				for (String benchmark : (round % 2 == 0) ? List.of("expressions", "name")
						: List.of("name", "expressions")) {
					double measured = measureName(benchmark, template);
					if (round > 0) {
						add(benchmark + ", " + template, measured);
					}
				}
			}
		}
	}

	private static double measureName(String benchmark, Template template) throws RunnerException {
		RunResult result = new Runner(options(LockNameBenchmark.class, benchmark).warmupIterations(1)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(1)
			.measurementTime(TimeValue.milliseconds(500))
			.param("template", template.name())
			.build()).runSingle();
		return result.getPrimaryResult().getStatistics().getPercentile(50) / LockNameBenchmark.CALLS;
	}

	private static ChainedOptionsBuilder options(Class<?> type, String benchmark) {
		return new OptionsBuilder().include(type.getName() + "\\." + benchmark + "$")
			.forks(0)
			.verbosity(VerboseMode.SILENT);
	}

	private void add(String name, double measured) {
		System.out.printf("%s %,.1f ns%n", name, measured);
		this.nanos.computeIfAbsent(name, (key) -> new ArrayList<>()).add(measured);
	}

	private static List<Comparison> comparisons() {
		return Stream
			.concat(Stream.of(
					new Comparison("annotation without Redis", "annotatedWithoutRedis", "raw", false, "time < 0.05"),
					new Comparison("annotation", "annotated", "raw", true, "rate >= 0.95"),
					new Comparison("annotation, 4 threads", "annotated, 4", "raw, 4", true, "rate >= 0.95"),
					new Comparison("annotation, re-entered", "reentered", "raw", false, "time")),
					Stream.of(Template.values())
						.map((template) -> new Comparison(template.toString(), "name, " + template,
								"expressions, " + template, false, "time <= 1.5")))
			.toList();
	}

	private static double counter(IterationResult result, String name) {
		Result<?> counter = result.getSecondaryResults().get(name);
		if (counter == null) {
			throw new IllegalStateException("JMH did not count '" + name + "'");
		}
		return counter.getScore();
	}

	private void print() {
		System.out.printf("%n%-32s %34s %34s %20s  %s%n", "nanoseconds a call", "ours", "bare", "ratio", "aim");
		for (Comparison each : comparisons()) {
			List<Double> ours = this.nanos.getOrDefault(each.ours(), List.of());
			List<Double> bare = this.nanos.getOrDefault(each.bare(), List.of());
			Spread ratios = spread(IntStream.range(0, ours.size())
				.mapToObj((i) -> each.rate() ? bare.get(i) / ours.get(i) : ours.get(i) / bare.get(i))
				.toList());
			System.out.printf("%-32s %34s %34s %20s  %s%n", each.title(), spread(ours).format("%,.0f"),
					spread(bare).format("%,.0f"), ratios.format("%.3f"), each.aim());
		}
	}

	private static Spread spread(List<Double> values) {
		return new Spread(values.stream().mapToDouble(Double::doubleValue).sorted().toArray());
	}

	/**
	 * What is compared.
	 *
	 * @param title what it is about
	 * @param ours what we do
	 * @param bare what it is made of
	 * @param rate whether the ratio is that of the rates, and not of the times
	 * @param aim what the ratio should be
	 */
	private record Comparison(String title, String ours, String bare, boolean rate, String aim) {

	}

}
