package io.redelay.benchmarks.peers.contender;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;

/**
 * The limit with delays: uids in the order of their times, and a hash of bodies.
 */
final class BareSchedule {

	private static final List<Object> KEYS = List.of("limit:{bare}:messages", "limit:{bare}:scheduled");

	private static final String NOW = """
			local time = redis.call('TIME')
			local now = time[1] * 1000 + math.floor(time[2] / 1000)
			""";

	private static final String SEND = NOW + """
			local due = now + ARGV[1]
			local scores = {}
			for i = 2, #ARGV, 2 do
			  scores[#scores + 1] = due
			  scores[#scores + 1] = ARGV[i]
			end
			redis.call('HSET', KEYS[1], unpack(ARGV, 2))
			redis.call('ZADD', KEYS[2], unpack(scores))
			return { 'OK' }
			""";

	private static final String CLAIM = NOW + """
			if #ARGV > 1 then
			  redis.call('HDEL', KEYS[1], unpack(ARGV, 2))
			end
			local uids = redis.call('ZRANGE', KEYS[2], '-inf', now - 1, 'BYSCORE', 'LIMIT', 0, ARGV[1])
			if #uids == 0 then
			  return {}
			end
			redis.call('ZREM', KEYS[2], unpack(uids))
			local reply = redis.call('HMGET', KEYS[1], unpack(uids))
			for i = 1, #uids do
			  reply[#reply + 1] = uids[i]
			end
			return reply
			""";

	private final RScript runner;

	private final AtomicLong sent = new AtomicLong();

	BareSchedule(RedissonClient redisson) {
		this.runner = redisson.getScript(ByteArrayCodec.INSTANCE);
	}

	void send(List<byte[]> bodies, Duration delay) {
		List<Object> args = new ArrayList<>();
		args.add(bytes(Long.toString(delay.toMillis())));
		for (byte[] body : bodies) {
			args.add(bytes("limit-0123456-" + Long.toString(this.sent.getAndIncrement(), Character.MAX_RADIX)));
			args.add(body);
		}
		run(SEND, args);
	}

	List<Object> claim(int batch, List<Object> finished) {
		List<Object> args = new ArrayList<>();
		args.add(bytes(Integer.toString(batch)));
		args.addAll(finished);
		return run(CLAIM, args);
	}

	private List<Object> run(String script, List<Object> args) {
		return this.runner.eval(RScript.Mode.READ_WRITE, script, RScript.ReturnType.LIST, KEYS, args.toArray());
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
