package io.redelay.queue.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.redelay.queue.wire.Script;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.VirtualTime;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisOutOfMemoryException;

/**
 * The Redis of a simulation: runs the scripts of the jar, by its own clock, and publishes
 * what they publish. It can be full, and go back in time.
 */
final class SimulatedServer {

	/**
	 * How many requests to the database there are from one that fails to the next.
	 */
	private static final int COLD_FAILURES = 7;

	private static final long EPOCH = 1_700_000_000_000L;

	/**
	 * The client appends this to an error that Redis replied with.
	 */
	private static final String BEHIND_REPLY = ". channel: simulated";

	private final MemoryRedis redis;

	private final VirtualTime time;

	private final Map<String, Consumer<String>> subscribers = new HashMap<>();

	private final Leases leases = new Leases();

	/**
	 * The leases of idempotent runs.
	 */
	private final Leases runs = new Leases();

	private long ahead;

	private boolean stopped;

	private int requests;

	private int process = 1;

	private final Map<String, Integer> moves = new TreeMap<>();

	private Runnable beforeMove = () -> {
	};

	private Runnable beforeLook = () -> {
	};

	private final MemoryColdChunks coldChunks;

	SimulatedServer(MemoryRedis redis, VirtualTime time, int listpackEntries) {
		this.redis = redis;
		this.time = time;
		redis.reset(listpackEntries);
		this.coldChunks = new MemoryColdChunks(() -> time.elapsed().toMillis() + 1);
		this.coldChunks.failEach(COLD_FAILURES);
	}

	/**
	 * Returns its clock.
	 */
	long millis() {
		return EPOCH + this.time.elapsed().toMillis() + this.ahead;
	}

	/**
	 * Has its clock jump.
	 */
	void jump(Duration duration) {
		this.ahead += duration.toMillis();
		this.leases.jumped(millis(), this.time.elapsed().toMillis());
		this.runs.jumped(millis(), this.time.elapsed().toMillis());
	}

	/**
	 * Does not answer any more, and has no subscribers.
	 */
	void stop() {
		this.stopped = true;
		List.copyOf(this.subscribers.keySet()).forEach(this::unsubscribe);
	}

	/**
	 * Answers again.
	 * @param runId what identifies the new process
	 */
	void start(String runId) {
		this.stopped = false;
		this.process++;
		this.redis.setRunId(runId);
	}

	/**
	 * Returns the number of the process that answers, or answered last.
	 */
	int process() {
		return this.process;
	}

	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * Forgets the scripts.
	 */
	void flushScripts() {
		this.redis.flushScripts();
	}

	void setFull(boolean full) {
		this.redis.setFull(full);
	}

	/**
	 * Keeps what there is, to go back to.
	 */
	void save() {
		this.redis.save("past");
	}

	/**
	 * Goes back to what was kept.
	 */
	void goBack() {
		this.redis.goBack("past");
	}

	Leases leases() {
		return this.leases;
	}

	Leases runs() {
		return this.runs;
	}

	/**
	 * Reads what is there, for a check.
	 */
	Object look(String command, String... words) {
		List<byte[]> args = Stream.concat(Stream.of(command), Stream.of(words))
			.map((word) -> word.getBytes(StandardCharsets.UTF_8))
			.toList();
		return this.redis.run("LOOK", "return redis.call(unpack(ARGV))", millis(), List.of(), args).value();
	}

	int requests() {
		return this.requests;
	}

	/**
	 * Returns how often packed messages were moved, by the way.
	 */
	Map<String, Integer> moves() {
		return this.moves;
	}

	/**
	 * Has something happen whenever messages are about to be packed or to come near.
	 */
	void beforeMove(Runnable action) {
		this.beforeMove = action;
	}

	/**
	 * Has something happen whenever an instance looks for messages to pack.
	 */
	void beforeLook(Runnable action) {
		this.beforeLook = action;
	}

	/**
	 * Returns the database beside the server, which never goes back in time.
	 */
	MemoryColdChunks coldChunks() {
		return this.coldChunks;
	}

	void subscribe(String channel, Consumer<String> subscriber) {
		this.subscribers.put(channel, subscriber);
		this.redis.subscribe(channel);
	}

	void unsubscribe(String channel) {
		this.subscribers.remove(channel);
		this.redis.unsubscribe(channel);
	}

	/**
	 * Runs a script.
	 * @return its reply as the client has it
	 * @throws RedisException if it replies an error
	 */
	Object run(Script script, String name, String text, List<byte[]> keys, List<byte[]> args) {
		if (this.stopped) {
			throw new RedisConnectionException("Unable to connect to the simulated server");
		}
		this.requests++;
		boolean moves = script == Script.PACK || script == Script.THAW;
		if (moves) {
			this.beforeMove.run();
		}
		if (script == Script.FAR_LOOK) {
			this.beforeLook.run();
		}
		if (script == Script.RUN_ONCE) {
			this.runs.owned(args, millis(), this.time.elapsed().toMillis());
		}
		this.leases.touched(script, args, millis(), this.time.elapsed().toMillis());
		MemoryRedis.Reply reply = this.redis.run(name, text, millis(), keys, args);
		for (MemoryRedis.Published published : reply.published()) {
			Consumer<String> subscriber = this.subscribers.get(published.channel());
			if (subscriber != null) {
				subscriber.accept(published.text());
			}
		}
		Object value = value(name, reply.value());
		if (moves && value instanceof List<?> words && words.get(0) instanceof byte[] word
				&& new String(word, StandardCharsets.UTF_8).equals("OK")) {
			this.moves.merge((script == Script.PACK) ? "chunks packed" : "chunks brought near", 1, Integer::sum);
		}
		return value;
	}

	private static Object value(String name, Object value) {
		if (value instanceof MemoryRedis.Failure failure) {
			if (failure.text().startsWith("OOM")) {
				throw new RedisOutOfMemoryException(failure.text());
			}
			throw new RedisException(failure.text() + " in " + name + BEHIND_REPLY);
		}
		return (value instanceof MemoryRedis.Status status) ? status.text() : value;
	}

}
