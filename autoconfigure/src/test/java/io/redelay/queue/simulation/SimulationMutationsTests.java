package io.redelay.queue.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.Script;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Whether {@link Simulation} notices a defect: changes one line of the scripts at a time,
 * and runs seeds until one fails. What they do not reach, {@link SimulatedLanes} check.
 */
@Tag("full")
@ExtendWith(QuietLog.class)
class SimulationMutationsTests {

	private static final long MOST_SEEDS = Long.getLong("redelay.test.seeds", 1200);

	private static final Pattern FAILURE = Pattern
		.compile("The run of the seed (\\d+) failed: (.*?)(: \\[.*)?\\. Repeat it");

	private static final Pattern DESCRIPTION = Pattern.compile("\\[(.*?)]");

	private static final Pattern UID = Pattern.compile("\\b[bgmnp]\\d{4}(\\.\\d+)?\\b");

	/**
	 * How each was found: the seed, and what its run found.
	 */
	private static final Map<Mutation, String> found = new ConcurrentSkipListMap<>();

	/**
	 * Writes them, where a system property says so.
	 */
	@AfterAll
	static void write() throws IOException {
		String file = System.getProperty("redelay.test.mutations");
		if (file != null) {
			StringBuilder text = new StringBuilder(
					"// Written by SimulationMutationsTests, with -Dredelay.test.mutations.\n");
			text.append("[cols=\"3,1,3\"]\n|===\n|Changed so that |Seed |Found\n\n");
			found.forEach((mutation, how) -> text.append("|%s |%s%n".formatted(mutation, how)));
			Files.writeString(Path.of(file), text.append("|===\n"));
		}
	}

	static Stream<Mutation> bySeeds() {
		return Stream.of(Mutation.values()).filter((mutation) -> mutation.check == null);
	}

	@ParameterizedTest
	@MethodSource("bySeeds")
	@Execution(ExecutionMode.CONCURRENT)
	void someSeedFindsIt(Mutation mutation) {
		String failure = null;
		try (MemoryRedis redis = new MemoryRedis(MemoryRedis.Engine.LUAJIT)) {
			UnaryOperator<String> mutated = mutated(mutation);
			for (long seed = 1; failure == null && seed <= MOST_SEEDS; seed++) {
				Simulation simulation = new Simulation(seed, redis, mutated, Set.of());
				if (mutation.feature != null && !simulation.features.contains(mutation.feature)) {
					continue;
				}
				try {
					simulation.run();
				}
				catch (AssertionError ex) {
					failure = ex.getMessage().lines().findFirst().orElseThrow();
				}
			}
		}
		assertThat(failure).as("a seed that fails").isNotNull();
		Matcher matcher = FAILURE.matcher(failure);
		assertThat(matcher.find()).as(failure).isTrue();
		long seed = Long.parseLong(matcher.group(1));
		try (MemoryRedis redis = new MemoryRedis(MemoryRedis.Engine.LUAJIT)) {
			assertThatCode(() -> new Simulation(seed, redis, UnaryOperator.identity(), Set.of()).run())
				.as("without the change")
				.doesNotThrowAnyException();
		}
		found.put(mutation, seed + " |" + UID.matcher(matcher.group(2)).replaceAll("a message"));
	}

	static Stream<Mutation> byChecks() {
		return Stream.of(Mutation.values()).filter((mutation) -> mutation.check != null);
	}

	@ParameterizedTest
	@MethodSource("byChecks")
	@Execution(ExecutionMode.CONCURRENT)
	void aCheckOfLanesFindsIt(Mutation mutation) {
		Consumer<SimulatedLanes> check = Objects.requireNonNull(mutation.check);
		try (MemoryRedis redis = new MemoryRedis(MemoryRedis.Engine.LUAJIT);
				MemoryRedis other = new MemoryRedis(MemoryRedis.Engine.LUAJIT)) {
			check.accept(new SimulatedLanes(redis, UnaryOperator.identity()));
			SimulatedLanes lanes = new SimulatedLanes(other, mutated(mutation));
			AssertionError failure = catchThrowableOfType(AssertionError.class, () -> check.accept(lanes));
			assertThat(failure).as("a check that fails").isNotNull();
			Matcher matcher = DESCRIPTION.matcher(failure.getMessage());
			assertThat(matcher.find()).as(failure.getMessage()).isTrue();
			found.put(mutation, "none |not so: " + matcher.group(1));
		}
	}

	/**
	 * Returns what changes texts. A mutation that changes none would be no defect.
	 */
	private static UnaryOperator<String> mutated(Mutation mutation) {
		assertThat(Script.values()).as("a text without the line")
			.extracting(LuaScripts.load()::text)
			.anyMatch((text) -> !mutation.apply(text).equals(text));
		Map<String, String> known = new HashMap<>();
		return (text) -> known.computeIfAbsent(text, mutation::apply);
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
				"end\nend\nlocal function remember", SimulatedLanes::aSenderAheadOfRedisIsRefused),

		AN_ACKNOWLEDGEMENT_COUNTS_FOR_WHAT_OTHERS_HOLD("local mine = was_suspect or holder == tokens[n]",
				"local mine = true"),

		WHAT_IS_GIVEN_BACK_IS_FORGOTTEN("index.place(to_front, true)", ""),

		AN_ID_IS_NOT_FREED("redis.call('HDEL', KEYS[10], unpack(free))", ""),

		A_RESUMPTION_TAKES_WHAT_OTHERS_HOLD("local takes = mine\n", "local takes = holder and true\n"),

		A_REDRIVEN_MESSAGE_IS_FORGOTTEN("common.note(history, fresh, dead_as[2] or '')\nput(fresh, due, false)",
				"common.note(history, fresh, dead_as[2] or '')", "jobs"),

		A_JOB_ENDS_WITH_ITS_INSTANCE("and (tonumber(till) <= now or has == '') and", "and has == '' and", "jobs"),

		A_JOB_CHANGES_NO_PAYLOAD(".. due_at .. string.sub(envelope, 2)", ".. due_at .. string.match(body, '\"v\".*$')",
				"jobs"),

		A_RATE_THAT_WAS_SET_IS_NOT_APPLIED("limit_words = limit_words .. ' ' .. settings[8]",
				"limit_words = limit_words"),

		A_LIMIT_OF_MESSAGES_AT_A_TIME_IS_NOT_KEPT("ipairs({ 'q', 'm', 'kq', 'km' })", "ipairs({ 'q', 'kq', 'km' })",
				"other changed limits"),

		A_LIMIT_OF_EACH_KEY_IS_NOT_KEPT("ipairs({ 'q', 'm', 'kq', 'km' })", "ipairs({ 'q', 'm', 'kq' })",
				"other changed limits"),

		A_LINE_IS_LONGER_THAN_THE_LIMIT_THAT_WAS_SET("lines[key] > line then", "lines[key] > 2 * line then",
				"other changed limits"),

		A_SHARED_LIMIT_COUNTS_ONE_QUEUE("held_by_others = held_by_others + n", "held_by_others = held_by_others",
				"shared limits"),

		A_SHARED_RATE_IS_NOT_USED_UP("local time = rate and spend('q', rate, claimed, state)",
				"local time = rate and spend('q', rate, 0, state)", "shared limits"),

		A_GROUP_GETS_WHAT_ITS_FILTER_LEAVES_OUT("args[4], args[7] = selected(packed, marks), ARGV[own + 1]", "",
				"group filters"),

		A_NEW_FILTER_GIVES_THE_GROUPS_NO_NEW_VERSION("if former ~= expiry or filter ~= (had or '') then",
				"if former ~= expiry then", "group filters"),

		A_REPLAY_GIVES_WHAT_A_FILTER_LEAVES_OUT("not string.find(left_out, ' ' .. reached .. ' ', 1, true)", "true",
				"group filters"),

		A_REPLAY_GIVES_WHAT_A_GROUP_STILL_HAS("and redis.call('HEXISTS', messages, uid) == 0 and not", "and not",
				"replays"),

		A_REPLAY_GIVES_NO_MESSAGE("added[#added + 1] = struct.pack(", "local _ = struct.pack(", "replays"),

		AN_IDEMPOTENCY_KEY_IS_FREE_AT_ONCE("forgets[key] = math.max(forgets[key], now + window)",
				"forgets[key] = math.max(forgets[key], now)"),

		WHAT_COMES_NEAR_IS_NOT_SCHEDULED("due_later[#due_later + 1], due_later[#due_later + 2] = dues[n], uid", "",
				"far messages"),

		WHAT_COMES_NEAR_LOSES_ITS_BODY("call_all('HSET', messages, near)", "", "far messages"),

		WHAT_COMES_NEAR_IS_DUE_AT_ONCE("due_later[#due_later + 2] = dues[n], uid",
				"due_later[#due_later + 2] = now, uid", "far messages"),

		A_CHUNK_COMES_NEAR_WITH_ITS_LAST_MESSAGE("dues[1], chunk)", "dues[#dues], chunk)", "far messages"),

		A_PACKED_MESSAGE_STAYS_SCHEDULED("call_all('ZREM', scheduled, uids)", "", "far messages"),

		A_PACKED_MESSAGE_IS_NOT_CANCELLED("redis.call('HSET', messages, bucket, others)", "", "far messages"),

		AN_ID_OF_A_PACKED_MESSAGE_IS_FREE(" or chunk_of(other)) then", ") then", "far messages"),

		A_PACKED_MESSAGE_HAS_NO_LINE("texts[bucket_of[n]] = text .. uid",
				"texts[bucket_of[n]] = n == 2 and text or text .. uid", "far messages"),

		A_MESSAGE_IS_PACKED_UNCHECKED(
				"if tonumber(dues[n]) < soonest or scores[n] ~= dues[n] or not bodies[n] or not fits[n]"
						+ " or was_held(bodies[n], dues[n]) then\nreturn { 'CHANGED' }\nend\nend\n"
						+ "if redis.sha1hex(table.concat(bodies)) ~= ARGV[2] then",
				"end\nif false then", "far messages"),

		A_LINE_STAYS_WHERE_ITS_BUCKET_IS_DIVIDED("bucket(uid, buckets) == to and move or stay", "stay", "far messages"),

		A_CHUNK_COMES_NEAR_WITHOUT_ITS_SECOND_MESSAGE("if not known[n] then\nnear[",
				"if not known[n] and n ~= 2 then\nnear[", "far messages"),

		A_REMOVED_MESSAGE_COMES_NEAR("if first and due then",
				"if not first then\nuids[#uids + 1], bodies[#bodies + 1] = ARGV[i], ARGV[i + 1]\n"
						+ "dues[#dues + 1] = string.format('%.0f', now)\nelseif due then",
				"far messages"),

		WHAT_COMES_NEAR_IS_DUE_TEN_SECONDS_LATE("due_later[#due_later + 2] = dues[n], uid",
				"due_later[#due_later + 2] = dues[n] + 10000, uid", "far messages"),

		A_CHUNK_GOES_WITH_ITS_FIRST_MESSAGES("if others and others <= 0 then", "if others then", "far messages"),

		A_CHUNK_GOES_WITH_ITS_FIRST_CANCELLED_MESSAGE("if left == '1' then", "if left then", "far messages"),

		A_REPLAY_GIVES_WHAT_A_GROUP_HAS_PACKED("and not (far_head and far_parts.line(messages, far_head, uid)) then",
				"then", "replays"),

		A_CHUNK_IN_THE_DATABASE_LEAVES_NO_NAME("redis.call('HSET', chunks, number, '*' .. sha1)", "", "cold messages"),

		A_CHUNK_COMES_BACK_SHORT_FROM_THE_DATABASE("redis.call('HSET', chunks, ARGV[i], ARGV[i + 1])",
				"redis.call('HSET', chunks, ARGV[i], string.sub(ARGV[i + 1], 2))", "cold messages"),

		A_LEASE_IS_VALID_FOR_TWICE_ITS_TIME("now + lease, lane)", "now + 2 * lease, lane)"),

		ANOTHER_CHUNK_THAN_THE_DATABASE_HAS_IS_NAMED("'*' .. sha1)", "'*' .. string.reverse(sha1))", "cold messages"),

		AN_OVERDUE_SLEEPER_COUNTS_AS_AWAKE("'ZRANGEBYSCORE', sleepers, now, event",
				"'ZRANGEBYSCORE', sleepers, '-inf', event", SimulatedLanes::anOverdueSleeperIsNotWaitedFor),

		A_SEND_TRIES_ONE_SLEEPER("for _ = 1, 3 do", "for _ = 1, 1 do",
				SimulatedLanes::aLaneThatHearsNothingIsPassedOver),

		A_ROW_LOSES_ITS_ORDER_WITH_ITS_LANE("(gives_back[holder] or behind[uid]) and", "gives_back[holder] and",
				SimulatedLanes::aRowComesBackBehindItsFirstMessage),

		A_LANE_THAT_CLOSES_WAKES_NO_OTHER("wake(sleepers, ARGV[2])\nreturn { 'OK' }", "return { 'OK' }",
				SimulatedLanes::aLaneThatClosesPassesItsWakeUpOn),

		A_LANE_THAT_IS_GIVEN_MESSAGES_WAKES_NO_OTHER(
				"if not at_once and (#taken > 0 or wanted == 0 or not sleeps) then", "if false then",
				SimulatedLanes::aBusyLanePassesItsWakeUpOn),

		A_KEY_JOINS_A_ROUND_AT_ITS_FRONT("tonumber(first) + NEXT or base", "tonumber(first) or base",
				SimulatedLanes::aKeyTakesItsTurnWhenItsRoundComes);

		private final String line;

		private final String replacement;

		/**
		 * What finds it; {@code null} if seeds do.
		 */
		private final @Nullable Consumer<SimulatedLanes> check;

		/**
		 * The feature without which no run reaches the line; {@code null} if there is
		 * none.
		 */
		private final @Nullable String feature;

		Mutation(String line, String replacement) {
			this(line, replacement, null, null);
		}

		Mutation(String line, String replacement, String feature) {
			this(line, replacement, null, feature);
		}

		Mutation(String line, String replacement, Consumer<SimulatedLanes> check) {
			this(line, replacement, check, null);
		}

		Mutation(String line, String replacement, @Nullable Consumer<SimulatedLanes> check, @Nullable String feature) {
			this.line = line;
			this.replacement = replacement;
			this.check = check;
			this.feature = feature;
		}

		String apply(String text) {
			return text.replace(this.line, this.replacement);
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("redis", "Redis");
		}

	}

}
