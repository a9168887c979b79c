package io.redelay.queue.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.Script;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static io.redelay.queue.simulation.MemoryRedis.Engine.LUA;
import static io.redelay.queue.simulation.MemoryRedis.Engine.LUAJIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Runs {@link Simulation} with 2,000 seeds, or as many as the system property
 * {@code seeds} or {@code redelay.test.seeds} says, from {@code redelay.test.seed} on, on
 * as many threads as there are processors.
 */
@ExtendWith(QuietLog.class)
class SimulationTests {

	private static final int MOST_FAILURES = 5;

	private static final Set<String> DROPPED = Stream.of(System.getProperty(Simulation.DROPPED, "").split(","))
		.filter((name) -> !name.isEmpty())
		.collect(Collectors.toSet());

	@Test
	void everySeedEndsWell() throws IOException {
		long first = Long.getLong("redelay.test.seed", 1);
		long count = Long.getLong("redelay.test.seeds", Long.getLong("seeds", Extent.of(2000L, 5000L)));
		int threads = Runtime.getRuntime().availableProcessors();
		AtomicLong next = new AtomicLong(first);
		Map<String, Long> counts = new ConcurrentSkipListMap<>();
		Queue<String> failed = new ConcurrentLinkedQueue<>();
		CompletableFuture<?>[] runs = IntStream.range(0, threads)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> run(next, first + count, failed, counts),
					(task) -> new Thread(task, "simulation-" + thread).start()))
			.toArray(CompletableFuture[]::new);
		CompletableFuture.allOf(runs).join();
		write(first, count, counts);
		assertThat(failed).isEmpty();
	}

	@Test
	void eachBoundIsOneOfTheScripts() {
		List<String> texts = Stream.of(Script.values()).map(LuaScripts.load()::text).toList();
		assertThat(LowerBounds.LINES.keySet())
			.allSatisfy((line) -> assertThat(texts).anyMatch((text) -> text.contains(line)));
	}

	/**
	 * Writes how often what happened, where a system property says so.
	 */
	private static void write(long first, long count, Map<String, Long> counts) throws IOException {
		String file = System.getProperty("redelay.test.figures");
		if (file != null) {
			StringBuilder text = new StringBuilder("// Written by SimulationTests, with -Dredelay.test.figures.\n");
			text.append("|seeds |%,d to %,d%n".formatted(first, first + count - 1));
			counts.forEach((what, times) -> text.append("|%s |%,d%n".formatted(what, times)));
			Files.writeString(Path.of(file), text);
		}
	}

	/**
	 * Runs the next seeds until there are no more, or some have failed.
	 */
	private static void run(AtomicLong next, long end, Queue<String> failed, Map<String, Long> counts) {
		Map<String, String> known = new HashMap<>();
		UnaryOperator<String> lowered = (text) -> known.computeIfAbsent(text, LowerBounds::lower);
		try (MemoryRedis redis = new MemoryRedis(LUAJIT); MemoryRedis lower = new MemoryRedis(LUAJIT)) {
			for (long seed = next.getAndIncrement(); seed < end
					&& failed.size() < MOST_FAILURES; seed = next.getAndIncrement()) {
				boolean lowers = seed % 4 == 2;
				Simulation simulation = new Simulation(seed, lowers ? lower : redis,
						lowers ? lowered : UnaryOperator.identity(), DROPPED);
				try {
					simulation.run();
					simulation.counts().forEach((what, count) -> counts.merge(what, (long) count, Long::sum));
				}
				catch (AssertionError ex) {
					AssertionError shortest = DROPPED.isEmpty()
							? new Shrinking(seed, lowers ? lower : redis, lowers ? lowered : UnaryOperator.identity())
								.shrink(ex)
							: ex;
					failed.add(shortest.getMessage());
				}
			}
		}
	}

	@Test
	void aFailureIsShrunk() {
		try (MemoryRedis redis = new MemoryRedis(LUAJIT)) {
			UnaryOperator<String> mutated = SimulationMutationsTests.Mutation.WHAT_IS_DUE_STAYS_SCHEDULED::apply;
			Simulation whole = new Simulation(3, redis, mutated, Set.of());
			AssertionError failure = catchThrowableOfType(AssertionError.class, whole::run);
			String shrunk = new Shrinking(3, redis, mutated).shrink(failure).getMessage();
			assertThat(shrunk).contains("Repeat it with -Dredelay.test.seed=3 -Dredelay.test.seeds=1 '-D");
			int begin = shrunk.indexOf(Simulation.DROPPED) + Simulation.DROPPED.length() + 1;
			Set<String> dropped = Set.of(shrunk.substring(begin, shrunk.indexOf("'.", begin)).split(","));
			assertThat(dropped).isNotEmpty().isSubsetOf(whole.parts());
			Simulation shortest = new Simulation(3, redis, mutated, dropped);
			assertThat(catchThrowableOfType(AssertionError.class, shortest::run))
				.hasMessageStartingWith(shrunk.substring(0, shrunk.indexOf(". Repeat it")));
		}
	}

	@Test
	void aSeedRepeatsItsRunOnEachEngine() {
		try (MemoryRedis redis = new MemoryRedis(LUAJIT); MemoryRedis other = new MemoryRedis(LUA)) {
			for (long seed = 1; seed <= 20; seed++) {
				List<String> first = new Simulation(seed, redis, UnaryOperator.identity(), Set.of()).run();
				int trace = redis.trace();
				assertThat(new Simulation(seed, redis, UnaryOperator.identity(), Set.of()).run()).isEqualTo(first);
				assertThat(redis.trace()).as("requests and replies of the seed %s", seed).isEqualTo(trace);
				assertThat(new Simulation(seed, other, UnaryOperator.identity(), Set.of()).run()).isEqualTo(first);
				assertThat(other.trace()).as("by Lua 5.1, of the seed %s", seed).isEqualTo(trace);
			}
		}
	}

}
