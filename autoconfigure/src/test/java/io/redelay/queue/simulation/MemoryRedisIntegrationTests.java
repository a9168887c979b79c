package io.redelay.queue.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.wire.BytesCodec;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the same random commands on a {@link MemoryRedis} of each engine and on a real
 * one: each reply and each state must be the same.
 */
class MemoryRedisIntegrationTests {

	/**
	 * Writes a value as text, so that both sides give the same bytes. Ids of streams are
	 * the time's.
	 */
	private static final String SHOW = """
			local function show(value)
			  local kind = type(value)
			  if kind == 'table' and value.err then
			    return '-' .. string.match(value.err, '^%S+')
			  elseif kind == 'table' and value.ok then
			    return '+' .. value.ok
			  elseif kind == 'table' then
			    local parts = {}
			    for place = 1, #value do
			      parts[place] = show(value[place])
			    end
			    return '[' .. table.concat(parts, ' ') .. ']'
			  elseif kind == 'string' then
			    return string.find(value, '^%d%d%d%d%d+%-%d+$') and 'id' or "'" .. value .. "'"
			  end
			  return tostring(value)
			end
			""";

	private static final String CALL = SHOW + """
			local name = ARGV[1]
			local reply = redis.pcall(unpack(ARGV))
			if name == 'SMEMBERS' or name == 'HKEYS' then
			  if not reply.err then
			    table.sort(reply)
			  end
			elseif name == 'HGETALL' and not reply.err then
			  local pairs_of = {}
			  for place = 1, #reply, 2 do
			    pairs_of[#pairs_of + 1] = show(reply[place]) .. '=' .. show(reply[place + 1])
			  end
			  table.sort(pairs_of)
			  reply = pairs_of
			elseif name == 'HSCAN' and not reply.err then
			  local found, cursor = {}, reply[1]
			  for place = 1, #reply[2], 2 do
			    found[reply[2][place]] = reply[2][place + 1]
			  end
			  while cursor ~= '0' do
			    local more = redis.call('HSCAN', ARGV[2], cursor, 'COUNT', 2)
			    cursor = more[1]
			    for place = 1, #more[2], 2 do
			      found[more[2][place]] = more[2][place + 1]
			    end
			  end
			  reply = {}
			  for field, value in pairs(found) do
			    reply[#reply + 1] = show(field) .. '=' .. show(value)
			  end
			  table.sort(reply)
			elseif name == 'PTTL' and type(reply) == 'number' and reply > 0 then
			  reply = 'some'
			end
			return show(reply)
			""";

	private static final String STATE = SHOW + """
			local state = {}
			for place, key in ipairs(KEYS) do
			  local kind = redis.call('TYPE', key).ok
			  local value = kind
			  if kind == 'string' then
			    value = redis.call('GET', key)
			  elseif kind == 'list' then
			    value = redis.call('LRANGE', key, 0, -1)
			  elseif kind == 'set' then
			    value = redis.call('SMEMBERS', key)
			    table.sort(value)
			  elseif kind == 'hash' then
			    value = redis.call('HKEYS', key)
			    table.sort(value)
			    for at, field in ipairs(value) do
			      value[at] = field .. '=' .. redis.call('HGET', key, field)
			    end
			  elseif kind == 'zset' then
			    value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
			  elseif kind == 'stream' then
			    value = redis.call('XRANGE', key, '-', '+')
			  end
			  local expires = redis.call('PTTL', key) > 0 and ' expires' or ''
			  state[place] = kind .. ' ' .. show(value) .. expires
			end
			return table.concat(state, '\\n')
			""";

	private static final List<String> MEMBERS = List.of("a", "b", "c", "ab", "", "\u00ff", "b\0c", "7", "-2");

	private static final List<String> SCORES = List.of("0", "1", "-1", "2.5", "1e3", "inf", "-inf", "1732000000000",
			"x", "1");

	private static final List<String> NUMBERS = List.of("0", "1", "2", "-1", "-2", "3", "10", "x");

	private static final List<String> SCORE_BOUNDS = List.of("-inf", "+inf", "0", "(0", "1", "(1", "2.5", "(1000", "y");

	private static final List<String> LEX_BOUNDS = List.of("-", "+", "[a", "(a", "[b", "(b\0", "[\u00ff", "b");

	/**
	 * The commands with their arguments: k for a key, m for a member, s a score, n a
	 * number, b and x bounds of scores and of members, z the key of members that all have
	 * one score; others are themselves.
	 */
	private static final List<String> COMMANDS = List.of("EXISTS k", "EXISTS k k", "TYPE k", "DEL k", "UNLINK k k",
			"PTTL k", "PEXPIRE k 100000", "PEXPIRE k -5", "PEXPIRE k 0", "PEXPIRE k y", "PEXPIREAT k 1",
			"PEXPIREAT k 99999999999999", "PERSIST k", "GET k", "SET k m", "SET k m PX 100000", "SET k m NX",
			"SET k m XX", "SET k m KEEPTTL", "SET k m PX 0", "SET k m PX 100000 NX", "APPEND k m", "HGET k m",
			"HMGET k m m", "HSET k m m", "HSET k m m m m", "HSET k m m m", "HSETNX k m m", "HINCRBY k m n", "HDEL k m",
			"HDEL k m m", "HEXISTS k m", "HLEN k", "HSTRLEN k m", "HGETALL k", "HKEYS k", "HSCAN k 0 COUNT 2",
			"RPUSH k m", "RPUSH k m m", "LPUSH k m m", "LLEN k", "LPOP k", "LPOP k n", "LRANGE k n n", "LTRIM k n n",
			"LSET k n m", "LREM k n m", "LPOS k m", "LPOS k m MAXLEN 2", "LPOS k m RANK -1 MAXLEN 2", "SADD k m",
			"SADD k m m", "SREM k m m", "SISMEMBER k m", "SMISMEMBER k m m", "SMEMBERS k", "SCARD k", "ZADD k s m",
			"ZADD k s m s m", "ZADD k NX s m", "ZADD k XX s m", "ZADD k XX GT s m", "ZADD k GT s m", "ZADD k LT CH s m",
			"ZADD k s", "ZADD z 0 m 0 m", "ZREM z m", "ZREM k m m", "ZSCORE k m", "ZMSCORE k m m", "ZCARD k",
			"ZRANK k m", "ZCOUNT k b b", "ZLEXCOUNT z x x", "ZRANGE k n n", "ZRANGE k n n WITHSCORES",
			"ZRANGE k n n REV", "ZRANGE k b b BYSCORE LIMIT n n", "ZRANGE z x x BYLEX LIMIT 0 2",
			"ZRANGE z x x BYLEX REV LIMIT 0 1", "ZREVRANGE k n n WITHSCORES", "ZRANGEBYSCORE k b b",
			"ZRANGEBYSCORE k b b WITHSCORES LIMIT 0 2", "ZRANGEBYSCORE k b b LIMIT n n",
			"ZREVRANGEBYSCORE k b b LIMIT 0 2", "ZREVRANGEBYSCORE k b b WITHSCORES", "ZRANGEBYLEX z x x",
			"ZRANGEBYLEX z x x LIMIT n n", "ZREMRANGEBYSCORE k b b", "ZPOPMAX k", "XADD k * m m", "XADD k * m m m",
			"XLEN k", "XRANGE k - +", "XRANGE k - + COUNT 2", "XREVRANGE k + - COUNT 1", "XTRIM k MAXLEN 2",
			"XTRIM k MAXLEN 0", "NOSUCH k", "GET", "HGET k");

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static MemoryRedis memory;

	private static MemoryRedis luaJit;

	@BeforeAll
	static void open() {
		memory = new MemoryRedis(MemoryRedis.Engine.LUA);
		luaJit = new MemoryRedis(MemoryRedis.Engine.LUAJIT);
	}

	@AfterAll
	static void close() {
		memory.close();
		luaJit.close();
	}

	@ParameterizedTest
	@ValueSource(longs = { 11, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23, 24, 25, 26, 27, 28 })
	void randomCommandsHaveTheSameRepliesAndStates(long seed) {
		Random random = new Random(seed);
		reset((seed % 2 == 0) ? 2 : MemoryRedis.LISTPACK_ENTRIES);
		String prefix = "memory-" + UUID.randomUUID() + ":";
		List<String> keys = List.of(prefix + "1", prefix + "2", prefix + "3", prefix + "4");
		for (int i = 0; i < 1500; i++) {
			List<String> words = words(random, keys);
			assertThat(onMemory(CALL, keys, words)).as("%s of step %s", words, i).isEqualTo(onRedis(CALL, keys, words));
			if (i % 10 == 0) {
				assertThat(onMemory(STATE, keys, List.of())).as("after %s of step %s", words, i)
					.isEqualTo(onRedis(STATE, keys, List.of()));
			}
		}
		onRedis("return redis.call('DEL', unpack(KEYS)) .. ''", keys, List.of());
	}

	@Test
	void streamsAreCutAndReadByTheirIds() {
		assertSame(
				"""
						local ids = {}
						for number = 1, 5 do
						  ids[number] = redis.call('XADD', KEYS[1], '*', 'n', number)
						end
						local function texts(entries)
						  local found = {}
						  for place, entry in ipairs(entries) do
						    found[place] = entry[2][2]
						  end
						  return table.concat(found, ',')
						end
						local key = KEYS[1]
						local reply = { texts(redis.call('XRANGE', key, '(' .. ids[2], '+', 'COUNT', 2)),
						  texts(redis.call('XRANGE', key, ids[2], '(' .. ids[4])), texts(redis.call('XREVRANGE', key, ids[4], ids[2])),
						  redis.call('XTRIM', key, 'MINID', ids[3]), redis.call('XDEL', key, ids[4], ids[1]),
						  texts(redis.call('XRANGE', key, '-', '+')), redis.call('XDEL', key, ids[3], ids[5]), redis.call('EXISTS', key),
						  redis.call('XADD', key, '*', 'n', 6) > ids[5] and 'later' or 'earlier' }
						redis.call('DEL', key)
						return table.concat(reply, ' ')
						""");
	}

	@Test
	void packedNumbersAndTextsAreTheSame() {
		assertSame(
				"""
						local packed = struct.pack('>I2c0I4c0', 3, 'abc', 2, 'x\\0')
						local a, b, at = struct.unpack('>I2c0I4c0', packed)
						local c, d, behind = struct.unpack('ss', 'one\\0two\\0more')
						local number = struct.unpack('>I4', '\\0\\1\\2\\3')
						local ok = pcall(struct.unpack, '>I2c0', '\\0\\9ab')
						return table.concat({ redis.sha1hex('a\\0\\255'), packed, a, b, at, c, d, behind, number, tostring(ok) }, ' ')
						""");
	}

	@Test
	void scriptsFailTheSame() {
		for (String script : List.of("return redis.call('GET')", "return nothing", "nothing = 1",
				"return redis.call('NOSUCH')", "return redis.call('GET', {})", "error('so')",
				"return redis.error_reply('SO it is')",
				"redis.call('SET', KEYS[1], 'a') redis.call('HGET', KEYS[1], 'a')")) {
			String guarded = "local ok = pcall(function() " + script + " end) return tostring(ok)";
			assertSame(guarded);
		}
	}

	@Test
	void aFullServerRefusesWhatAddsUnlessTheScriptHasWritten() {
		String key = "memory-" + UUID.randomUUID();
		Map<String, String> scripts = Map.of("adds", "return redis.pcall('SET', KEYS[1], 'a').err and 'no' or 'yes'",
				"removes", "return redis.pcall('DEL', KEYS[1]) .. ''", "removes first",
				"redis.call('DEL', KEYS[1]) return redis.pcall('SET', KEYS[1], 'a').err and 'no' or 'yes'",
				"reads first",
				"redis.call('GET', KEYS[1]) return redis.pcall('SET', KEYS[1], 'a').err and 'no' or 'yes'");
		reset(MemoryRedis.LISTPACK_ENTRIES);
		memory.setFull(true);
		luaJit.setFull(true);
		try (RedisServer full = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(full.uri());
			full.command("CONFIG", "SET", "maxmemory", "1");
			scripts.forEach((name, script) -> assertThat(onMemory(script, List.of(key), List.of())).as(name)
				.isEqualTo(onRedis(client, script, List.of(key), List.of())));
			client.shutdown();
		}
	}

	private static void assertSame(String script) {
		List<String> keys = List.of("memory-" + UUID.randomUUID());
		reset(MemoryRedis.LISTPACK_ENTRIES);
		assertThat(onMemory(script, keys, List.of())).as(script).isEqualTo(onRedis(script, keys, List.of()));
	}

	private static List<String> words(Random random, List<String> keys) {
		List<String> words = new ArrayList<>();
		for (String word : COMMANDS.get(random.nextInt(COMMANDS.size())).split(" ")) {
			words.add(switch (word) {
				case "k" -> any(random, keys.subList(0, 3));
				case "z" -> keys.get(3);
				case "m" -> any(random, MEMBERS);
				case "s" -> any(random, SCORES);
				case "n" -> any(random, NUMBERS);
				case "b" -> any(random, SCORE_BOUNDS);
				case "x" -> any(random, LEX_BOUNDS);
				default -> word;
			});
		}
		return words;
	}

	private static <T> T any(Random random, List<T> values) {
		return values.get(random.nextInt(values.size()));
	}

	private static void reset(int listpackEntries) {
		memory.reset(listpackEntries);
		luaJit.reset(listpackEntries);
	}

	private static String onMemory(String script, List<String> keys, List<String> args) {
		long millis = System.currentTimeMillis();
		String reply = onMemory(memory, script, millis, keys, args);
		assertThat(onMemory(luaJit, script, millis, keys, args)).as("by LuaJIT").isEqualTo(reply);
		return reply;
	}

	private static String onMemory(MemoryRedis redis, String script, long millis, List<String> keys,
			List<String> args) {
		Object value = redis
			.run(script, script, millis, bytes(keys, String::getBytes), bytes(args, MemoryRedisIntegrationTests::latin))
			.value();
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.ISO_8859_1) : "failed: " + value;
	}

	private static String onRedis(String script, List<String> keys, List<String> args) {
		return onRedis(redis.client(), script, keys, args);
	}

	private static String onRedis(RedissonClient client, String script, List<String> keys, List<String> args) {
		byte[] value = client.getScript(BytesCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE, script, RScript.ReturnType.VALUE, List.copyOf(keys),
					bytes(args, MemoryRedisIntegrationTests::latin).toArray());
		return new String(value, StandardCharsets.ISO_8859_1);
	}

	private static byte[] latin(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	private static List<byte[]> bytes(List<String> texts, Function<String, byte[]> toBytes) {
		return texts.stream().map(toBytes).toList();
	}

}
