package io.redelay.queue.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether {@link Simulation} notices a defect: changes one line of the scripts at a time,
 * and runs seeds until one fails.
 */
@Tag("full")
class SimulationMutationsTests {

	private static final long MOST_SEEDS = Math.min(Long.getLong("redelay.test.seeds", 400), 400);

	private static final String LOGGER = "io.redelay.queue";

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	@BeforeEach
	void logNoFailuresOfHandlers() {
		this.logging.setLogLevel(LOGGER, LogLevel.OFF);
	}

	@AfterEach
	void logAsBefore() {
		this.logging.setLogLevel(LOGGER, null);
	}

	@ParameterizedTest
	@EnumSource
	@Execution(ExecutionMode.CONCURRENT)
	void someSeedFindsIt(Mutation mutation) {
		String found = null;
		try (MemoryRedis redis = new MemoryRedis()) {
			Map<String, String> known = new HashMap<>();
			UnaryOperator<String> mutated = (text) -> known.computeIfAbsent(text, mutation::apply);
			for (long seed = 1; found == null && seed <= MOST_SEEDS; seed++) {
				try {
					new Simulation(seed, redis, mutated, Set.of()).run();
				}
				catch (AssertionError ex) {
					found = ex.getMessage().lines().findFirst().orElseThrow();
				}
			}
			assertThat(known).as("a text without the line")
				.anySatisfy((text, after) -> assertThat(after).isNotEqualTo(text));
		}
		System.out.println("| " + mutation + " | " + found);
		assertThat(found).as("a seed that fails").isNotNull();
	}

	/**
	 * A defect of the scripts.
	 */
	enum Mutation {

		A_REPEATED_SEND_IS_CARRIED_OUT_AGAIN("if seq <= last then\nreturn seq == last and",
				"if seq < last then\nreturn seq == last and"),

		A_SEND_WAKES_NO_SLEEPER("if any_now then", "if false then"),

		A_DELAY_IS_FIVE_MILLISECONDS_SHORT("return now + 1 + tonumber(string.sub(when, 2))",
				"return now - 5 + tonumber(string.sub(when, 2))"),

		A_CLAIM_TAKES_WHAT_IS_DUE_SOON("KEYS[4], '-inf', now, 'LIMIT', 0, math.max(100",
				"KEYS[4], '-inf', now + 100, 'LIMIT', 0, math.max(100"),

		WHAT_IS_DUE_STAYS_SCHEDULED("redis.call('ZREM', KEYS[4], unpack(due))", ""),

		WHAT_A_DEAD_LANE_HELD_IS_FORGOTTEN("redis.call('RPUSH', KEYS[3], uid)\nmoved.back", "moved.back"),

		A_REPEATED_CLAIM_BRINGS_NOTHING("mine[#mine + 1] = uid", ""),

		A_RENEWAL_RENEWS_NOTHING("redis.call('ZADD', lanes, 'XX', 'GT', now + lease, lane)", ""),

		AN_ORDERING_KEY_IS_NEVER_TAKEN("turn[ordering_keys[n]] = holder", "turn[ordering_keys[n]] = nil"),

		AN_ORDERING_KEY_IS_NOT_PASSED_ON("index.pass_turn(ordered, ordering_keys)", ""),

		A_FAILURE_IS_NOT_COUNTED("failures + 1 .. (crashes", "failures + 0 .. (crashes"),

		A_RETRY_DOES_NOT_WAIT("local due = claim.now + 1 + delay", "local due = claim.now + 1"),

		A_SENDER_AHEAD_OF_REDIS_GOES_ON(
				"elseif seq > last + 1 then\nreturn 'BEHIND ' .. stamp\nend\nend\nlocal function remember",
				"end\nend\nlocal function remember"),

		AN_ACKNOWLEDGEMENT_COUNTS_FOR_WHAT_OTHERS_HOLD("local mine = was_suspect or holder == tokens[n]",
				"local mine = true"),

		WHAT_IS_GIVEN_BACK_IS_FORGOTTEN("index.place(to_front, true)", ""),

		AN_ID_IS_NOT_FREED("redis.call('HDEL', KEYS[10], unpack(free))", ""),

		A_RESUMPTION_TAKES_WHAT_OTHERS_HOLD("local takes = mine\n", "local takes = holder and true\n");

		private final String line;

		private final String replacement;

		Mutation(String line, String replacement) {
			this.line = line;
			this.replacement = replacement;
		}

		String apply(String text) {
			return text.replace(this.line, this.replacement);
		}

	}

}
