package io.redelay.benchmarks.choice;

import java.util.List;

import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.embedded.redis.RedisServer;

/**
 * Measures what decides which message comes when, and whether what is promised of it
 * holds.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class ChoiceBenchmark {

	private static final List<Item> ITEMS = List.of(new FairItem(), new KeysItem(), new LimitItem(), new HotQueueItem(),
			new BurstItem(), new PartitionsItem());

	private ChoiceBenchmark() {
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --items=hot-queue,burst}, {@code --quick}, {@code --rounds=3},
	 * {@code --seconds=10}, {@code --output=target/choice.jsonl} and others
	 */
	public static void main(String... args) {
		ChoiceOptions options = ChoiceOptions.read(args);
		JsonLines file = new JsonLines(options.output());
		try (RedisServer server = RedisServer.start()) {
			file.begin(Machine.now(server));
		}
		ChoiceReport report = new ChoiceReport(file, System.out);
		for (Item item : ITEMS) {
			if (options.items().isEmpty() || options.items().stream().anyMatch(item.name()::startsWith)) {
				for (int number = 1 - options.warmUp(); number <= options.rounds(); number++) {
					item.run(new Round(item.name(), number, options, report));
				}
			}
		}
		report.print();
		System.exit(0);
	}

}
