package io.redelay.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;

/**
 * The limit: a list of uids and a hash of bodies, and two scripts that do nothing more
 * than put in, acknowledge and take out. It loses what is in the hands of a client that
 * crashes, delays nothing, and wakes no consumer up.
 *
 * @since 0.1.0
 */
public final class BareScripts implements Contender {

	/**
	 * Sends messages: bodies into a hash, uids to the end of a list.
	 */
	public static final String SEND = """
			redis.call('HSET', KEYS[1], unpack(ARGV))
			local uids = {}
			for i = 1, #ARGV, 2 do
			  uids[#uids + 1] = ARGV[i]
			end
			redis.call('RPUSH', KEYS[2], unpack(uids))
			return { 'OK' }
			""";

	/**
	 * Says so when there was nothing before, for a consumer sleeps only then.
	 */
	private static final String PUBLISH = """
			if redis.call('LLEN', KEYS[2]) == #uids then
			  redis.call('PUBLISH', KEYS[2], '')
			end
			""";

	private static final String CLAIM = """
			if #ARGV > 1 then
			  redis.call('HDEL', KEYS[1], unpack(ARGV, 2))
			end
			local uids = redis.call('LPOP', KEYS[2], ARGV[1])
			if not uids then
			  return {}
			end
			local reply = redis.call('HMGET', KEYS[1], unpack(uids))
			for i = 1, #uids do
			  reply[#reply + 1] = uids[i]
			end
			return reply
			""";

	private final RScript runner;

	private final List<Object> keys;

	private final byte[] body;

	private final String send;

	private final AtomicLong sent = new AtomicLong();

	/**
	 * Creates the limit.
	 * @param redisson runs the scripts
	 * @param prefix what its keys begin with
	 * @param body the body of each message that {@link #send(int)} sends
	 */
	public BareScripts(RedissonClient redisson, String prefix, byte[] body) {
		this(redisson, prefix, body, false);
	}

	/**
	 * Creates the limit.
	 * @param redisson runs the scripts
	 * @param prefix what its keys begin with
	 * @param body the body of each message that {@link #send(int)} sends
	 * @param publishes whether a send to an empty queue publishes on its
	 * {@link #channel()}
	 */
	public BareScripts(RedissonClient redisson, String prefix, byte[] body, boolean publishes) {
		this.send = publishes ? SEND.replace("return", PUBLISH + "return") : SEND;
		this.runner = redisson.getScript(ByteArrayCodec.INSTANCE);
		this.keys = List.of(prefix + ":{bare}:messages", prefix + ":{bare}:ready");
		this.body = body;
	}

	/**
	 * The channel on which a send publishes that there is something to take.
	 * @return the name
	 */
	public String channel() {
		return this.keys.get(1).toString();
	}

	@Override
	public String name() {
		return "limit";
	}

	@Override
	public CompletableFuture<?> send(int count) {
		return send(Collections.nCopies(count, this.body));
	}

	/**
	 * Sends messages together.
	 * @param bodies their bodies
	 * @return completes when they are in Redis
	 */
	public CompletableFuture<?> send(List<byte[]> bodies) {
		Object[] args = new Object[bodies.size() * 2];
		for (int i = 0; i < args.length; i += 2) {
			args[i] = bytes("limit-0123456-" + Long.toString(this.sent.getAndIncrement(), Character.MAX_RADIX));
			args[i + 1] = bodies.get(i / 2);
		}
		return run(this.send, args);
	}

	/**
	 * Acknowledges messages and takes others.
	 * @param batch how many to take at most
	 * @param finished the uids of what is acknowledged
	 * @return the bodies of the messages and, after all these, their uids
	 */
	public List<Object> claim(int batch, List<Object> finished) {
		List<Object> args = new ArrayList<>(finished.size() + 1);
		args.add(bytes(Integer.toString(batch)));
		args.addAll(finished);
		return run(CLAIM, args.toArray()).join();
	}

	@Override
	public int drain(int batch) {
		List<Object> finished = List.of();
		int messages = 0;
		do {
			List<Object> reply = claim(batch, finished);
			finished = reply.subList(reply.size() / 2, reply.size());
			messages += finished.size();
		}
		while (!finished.isEmpty());
		return messages;
	}

	private CompletableFuture<List<Object>> run(String script, Object[] args) {
		return this.runner
			.<List<Object>>evalAsync(RScript.Mode.READ_WRITE, script, RScript.ReturnType.LIST, this.keys, args)
			.toCompletableFuture();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
