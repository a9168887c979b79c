package io.redelay.queue.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of the scripts' texts: that a header names what its script uses, and that each
 * name is set before it is read, in branches that are seldom taken, too.
 */
class ScriptsTests {

	private static final Map<String, String> scripts = read("*.lua");

	private static final Map<String, String> includes = read("includes/*.lua");

	private static final Pattern SCRIPT = Pattern.compile("(?m)^ *--@script (\\S+)$");

	private static final Pattern INCLUDE = Pattern.compile("--@(?:include|paste) (\\S+)");

	private static final Set<String> READS = Set.of("EXISTS", "GET", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN",
			"HMGET", "HSCAN", "HSTRLEN", "INFO", "LINDEX", "LLEN", "LPOS", "LRANGE", "PTTL", "SISMEMBER", "SMEMBERS",
			"SMISMEMBER", "TIME", "XLEN", "XRANGE", "XREVRANGE", "ZCARD", "ZCOUNT", "ZLEXCOUNT", "ZMSCORE", "ZRANGE",
			"ZRANGEBYLEX", "ZRANGEBYSCORE", "ZRANK", "ZREVRANGE", "ZREVRANGEBYSCORE", "ZSCORE");

	private static final Pattern CALL = Pattern.compile("redis\\.p?call\\('([A-Z]+)'");

	/**
	 * A command that a script passes on, as a word.
	 */
	private static final Pattern PASSED_ON = Pattern
		.compile("'(?:DEL|UNLINK|HDEL|HSET|LREM|LTRIM|[LR]PUSH|[SZ]ADD|[SZ]REM)'");

	private final Map<String, LuaScopes> parsed = new HashMap<>();

	@ParameterizedTest
	@MethodSource("scripts")
	void aScriptSetsAllThatItAndItsIncludesRead(String name) {
		if (isSentAlone(name)) {
			assertThat(problemsOfScript(scripts.get(name))).isEmpty();
		}
		else {
			assertThat(headerProblems(LuaHeader.of(scripts.get(name)))).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource(Script.class)
	void aTextSetsAllThatItReads(Script script) {
		assertThat(new LuaScopes(LuaScripts.load().text(script), this::include).free).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Script.class)
	void noAssignmentIsToALocalThatHidesAnother(Script script) {
		assertThat(new LuaScopes(LuaScripts.load().text(script), this::include).ambiguous).isEmpty();
	}

	/**
	 * An instance that only reads sends these scripts and no others.
	 */
	@ParameterizedTest
	@EnumSource(Script.class)
	void aScriptThatOnlyReadsSaysSoAndNoOtherOne(Script script) {
		// Its rates are looked at, and nothing is taken from them.
		Set<String> leftOut = new HashSet<>((script == Script.KEYS) ? Set.of("rate") : Set.of());
		String text = withIncludes(scripts.get(script.file()), leftOut);
		boolean writes = PASSED_ON.matcher(text).find()
				|| CALL.matcher(text).results().anyMatch((call) -> !READS.contains(call.group(1)))
				// It may write by the functions of the text that has it.
				|| (script.sent() == Script.SEND);
		boolean decides = script == Script.PARTITIONS || script == Script.REDRIVE_TURN;
		assertThat(script.isRead(new Object[] { "" })).isEqualTo(!writes || decides);
		assertThat(script.isRead(new Object[] { "x" })).isEqualTo(!writes);
		assertThat(script.isRead(new Object[0])).isEqualTo(!writes);
	}

	private static String withIncludes(String text, Set<String> included) {
		StringBuilder all = new StringBuilder();
		text.lines().forEach((line) -> {
			Matcher include = INCLUDE.matcher(line);
			if (!include.find()) {
				all.append(line.strip().startsWith("--") ? "" : line).append('\n');
			}
			else if (included.add(include.group(1))) {
				all.append(withIncludes(includes.get(include.group(1)), included));
			}
		});
		return all.toString();
	}

	private static boolean isSentAlone(String name) {
		return scripts.values().stream().noneMatch((text) -> text.contains("--@script " + name + "\n"));
	}

	@ParameterizedTest
	@MethodSource("includes")
	void theHeaderOfAnIncludeIsWhatItReadsChangesAndSets(String name) {
		assertThat(problemsOfInclude(includes.get(name))).isEmpty();
	}

	@Test
	void eachIncludeIsUsed() {
		Set<String> used = new TreeSet<>();
		Stream.of(scripts, includes)
			.flatMap((texts) -> texts.values().stream())
			.forEach((text) -> used.addAll(new LuaScopes(text, this::include).included));
		assertThat(used).isEqualTo(includes.keySet());
	}

	@Test
	void aNameIsMissedThatOnlyASeldomBranchReads() {
		assertThat(problemsOfScript("""
				-- KEYS[1] a
				-- ARGV    none
				-- reply   a number
				local tries = KEYS[1]
				if redis.call('EXISTS', tries) == 1 then
				  if tonumber(redis.call('GET', tries)) > 7 then
				    return counts(tries)
				  end
				  --@paste counts
				end
				return 0
				""")).containsExactly("nothing sets [counts]");
	}

	@Test
	void anIncludeWithoutWhatItReadsIsFound() {
		assertThat(problemsOfScript("""
				-- KEYS    none
				-- ARGV[1] a
				-- reply   a number
				if ARGV[1] == '' then
				  --@paste clock
				end
				--@include new_version
				return new_version(ARGV[1])
				""")).contains("line 7: 'new_version' reads 'clock', which is not set where it is included");
	}

	@Test
	void anIncludeThatIsPastedMayReadNothingAroundIt() {
		assertThat(problemsOfScript("""
				-- KEYS    none
				-- ARGV[1] a
				-- reply   a number
				--@paste clock
				--@paste new_version
				return new_version(ARGV[1])
				""")).containsExactly("line 5: 'new_version' is pasted, and reads names from around it: [clock]");
	}

	/**
	 * The parser resolves names, and not what is read of a table.
	 */
	@Test
	void theTablesThatArePassedHaveTheFieldsThatAreReadOfThem() {
		String code = Stream.of(scripts, includes)
			.flatMap((texts) -> texts.values().stream())
			.flatMap(String::lines)
			.filter((line) -> !line.strip().startsWith("--"))
			.collect(Collectors.joining("\n"));
		Set<String> set = new TreeSet<>();
		Pattern.compile("([\\w., ]+) =[^=]")
			.matcher(code)
			.results()
			.flatMap((targets) -> Stream.of(targets.group(1).split(", *")))
			.forEach((target) -> set.add(target.strip().replaceFirst("^.*[. ]", "")));
		Set<String> read = new TreeSet<>();
		Pattern.compile("\\b(?:index|common|claim|limit)\\.(\\w+)")
			.matcher(code)
			.results()
			.forEach((field) -> read.add(field.group(1)));
		assertThat(read).hasSizeGreaterThan(50);
		read.removeAll(set);
		assertThat(read).isEmpty();
	}

	@Test
	void anIncludeThatHidesANameIsFound() {
		assertThat(problemsOfScript("""
				-- KEYS    none
				-- ARGV    none
				-- reply   a number
				local now = 1
				--@paste clock
				return now
				"""))
			.containsExactly("line 5: 'clock' hides 'now', which is set before: rename it, or include it once");
	}

	@Test
	void anIncludeThatIsPutInOnceIsKnownAsFarAsItsBlockReaches() {
		assertThat(problemsOfScript("""
				-- KEYS    none
				-- ARGV[1] a
				-- reply   a number
				if ARGV[1] == '' then
				  --@include clock
				  --@include clock
				  return now
				end
				--@include clock
				return 0
				""")).containsExactly("line 9: 'clock' is included before, in a block that does not reach here");
	}

	@Test
	void aHeaderThatOmitsAnArgumentIsFound() {
		assertThat(problemsOfScript("""
				-- KEYS    none
				-- ARGV[1] a
				return ARGV[1] .. ARGV[2]
				""")).containsExactlyInAnyOrder("the header has no line 'reply'", "the header does not name ARGV[2]");
	}

	@Test
	void anIncludeThatOmitsANameIsFound() {
		assertThat(problemsOfInclude("""
				-- reads  held, unused
				-- sets   extra
				local function look(uid)
				  refused[#refused + 1] = redis.call('HGET', held, uid)
				end
				return
				""")).containsExactlyInAnyOrder("changes [refused], and its header says []",
				"reads [held], and its header says [held, unused]", "does not set [extra]",
				"ends the script, and its header has no 'ends'");
	}

	@Test
	void whatIsNotLuaIsFound() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LuaScopes("if a then b() else c()", this::include))
			.withMessage("line 1: 'the end' stands where 'end' is to be");
	}

	private List<String> problemsOfScript(String whole) {
		List<String> problems = new ArrayList<>();
		String text = whole;
		LuaHeader header = LuaHeader.of(text);
		// A script that is sent within another one is checked there.
		for (Matcher within = SCRIPT.matcher(text); within.find(); within = SCRIPT.matcher(text)) {
			String other = Objects.requireNonNull(scripts.get(within.group(1)));
			text = text.replace(within.group(), other);
			header = header.and(LuaHeader.of(other));
		}
		problems.addAll(headerProblems(header));
		LuaScopes scopes = new LuaScopes(text, this::include);
		problems.addAll(scopes.problems);
		if (!scopes.free.isEmpty()) {
			problems.add("nothing sets " + scopes.free);
		}
		for (String place : scopes.places) {
			if (!header.documents(place)) {
				problems.add("the header does not name " + place);
			}
		}
		return problems;
	}

	private static List<String> headerProblems(LuaHeader header) {
		return Stream.of("KEYS", "ARGV", "reply")
			.filter((word) -> !header.mentions(word))
			.map((word) -> "the header has no line '" + word + "'")
			.toList();
	}

	private List<String> problemsOfInclude(String text) {
		LuaHeader header = LuaHeader.of(text);
		LuaScopes scopes = new LuaScopes(text, this::include);
		Set<String> reads = new TreeSet<>(scopes.free);
		reads.removeAll(scopes.changed);
		if (!header.declaresKeys()) {
			reads.addAll(scopes.places);
		}
		Set<String> reported = new TreeSet<>();
		header.names("reads").forEach((name) -> reported.add(name.replaceFirst("\\[\\d+\\.\\.]", "[..]")));
		List<String> problems = new ArrayList<>();
		// What an include of an include misses is what this one reads.
		scopes.problems.stream().filter((problem) -> problem.contains("hides")).forEach(problems::add);
		if (!reads.equals(reported)) {
			problems.add("reads " + reads + ", and its header says " + reported);
		}
		if (!scopes.changed.equals(header.names("changes"))) {
			problems
				.add("changes " + scopes.changed + ", and its header says " + new TreeSet<>(header.names("changes")));
		}
		if (!header.entries().keySet().containsAll(Set.of("reads", "sets"))) {
			problems.add("its header has no 'reads' or no 'sets'");
		}
		Set<String> missing = new HashSet<>(header.names("sets"));
		missing.removeAll(scopes.outermost);
		if (!missing.isEmpty()) {
			problems.add("does not set " + missing);
		}
		if (scopes.ends != header.entries().containsKey("ends")) {
			problems.add(scopes.ends ? "ends the script, and its header has no 'ends'" : "never ends the script");
		}
		return problems;
	}

	private LuaScopes.Include include(String name) {
		String text = includes.get(name);
		assertThat(text).as("includes/%s.lua", name).isNotNull();
		LuaScopes scopes = this.parsed.get(name);
		if (scopes == null) {
			scopes = new LuaScopes(text, this::include);
			this.parsed.put(name, scopes);
		}
		return new LuaScopes.Include(LuaHeader.of(text), scopes.own, scopes.once());
	}

	private static Set<String> scripts() {
		return scripts.keySet();
	}

	private static Set<String> includes() {
		return includes.keySet();
	}

	private static Map<String, String> read(String pattern) {
		Map<String, String> texts = new TreeMap<>();
		try {
			for (Resource file : new PathMatchingResourcePatternResolver()
				.getResources("classpath*:io/redelay/queue/script/" + pattern)) {
				texts.put(Objects.requireNonNull(file.getFilename()).replace(".lua", ""),
						file.getContentAsString(StandardCharsets.UTF_8));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return texts;
	}

}
