package io.redelay.benchmarks.start;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.CostFigure;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.Spread;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * Compares the starts of applications: with spring-data-redis, with Redisson alone, with
 * Redelay and one listener, and with its locks alone. Each starts in a JVM of its own;
 * they take turns, and each round begins with another one.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class StartBenchmark {

	private StartBenchmark() {
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --rounds=7} and others
	 */
	public static void main(String... args) {
		StartOptions options = StartOptions.read(args);
		JsonLines file = new JsonLines(options.output());
		Map<Contender, List<StartCost>> costs = new LinkedHashMap<>();
		for (Contender contender : contenders(options.earlier())) {
			costs.put(contender, new ArrayList<>());
		}
		List<Contender> order = new ArrayList<>(costs.keySet());
		try (RedisServer server = RedisServer.start()) {
			file.begin(Machine.now(server));
			StartProcess process = new StartProcess(server);
			for (int round = 1 - options.warmUp(); round <= options.rounds(); round++) {
				for (Contender contender : order) {
					StartCost cost = process.run(contender.kind(), contender.earlier());
					file.add(new Line(contender.title(), round, cost));
					if (round > 0) {
						costs.getOrDefault(contender, List.of()).add(cost);
					}
				}
				Collections.rotate(order, 1);
			}
		}
		print(costs);
		System.exit(0);
	}

	private static List<Contender> contenders(@Nullable Path earlier) {
		List<Contender> contenders = new ArrayList<>();
		for (StartedKind kind : StartedKind.values()) {
			contenders.add(new Contender(kind, null));
			if (earlier != null && kind.isOurs()) {
				contenders.add(new Contender(kind, earlier));
			}
		}
		return contenders;
	}

	private static void print(Map<Contender, List<StartCost>> costs) {
		System.out.printf("%n%-22s", "");
		costs.keySet().forEach((contender) -> System.out.printf(" %26s", contender.title()));
		for (CostFigure<StartCost> figure : StartCost.FIGURES) {
			System.out.printf("%n%-22s", figure.title());
			costs.forEach((contender, each) -> System.out.printf(" %26s", text(figure, each)));
		}
		System.out.println();
	}

	private static String text(CostFigure<StartCost> figure, List<StartCost> costs) {
		Spread spread = Spread.of(costs.stream().map(figure::of).toList());
		return figure.text(spread.median()) + " (" + figure.text(spread.smallest()) + "–"
				+ figure.text(spread.largest()) + ")";
	}

	private record Contender(StartedKind kind, @Nullable Path earlier) {

		String title() {
			return this.kind.title() + ((this.earlier != null) ? ", earlier" : "");
		}

	}

	private record Line(String contender, int round, StartCost cost) {

	}

}
