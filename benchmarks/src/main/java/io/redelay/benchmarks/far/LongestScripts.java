package io.redelay.benchmarks.far;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.Script;

/**
 * The scripts that took longest, from the slow log of Redis.
 */
final class LongestScripts {

	/**
	 * Above how many microseconds Redis logs a command.
	 */
	private static final int LOGGED_MICROS = 1000;

	private static final int LOGGED = 100_000;

	private static final long SECONDS = 10;

	private final RedisServer server;

	private final Map<String, List<Long>> micros = new TreeMap<>();

	private long readNanos = System.nanoTime();

	private final Map<String, Script> names = new HashMap<>();

	/**
	 * Begins the log anew.
	 * @param server the Redis
	 */
	LongestScripts(RedisServer server) {
		this.server = server;
		LuaScripts scripts = LuaScripts.load();
		for (Script script : Script.values()) {
			this.names.putIfAbsent(sha1(scripts.text(script)), script);
		}
		server.command("CONFIG", "SET", "slowlog-log-slower-than", Integer.toString(LOGGED_MICROS));
		server.command("CONFIG", "SET", "slowlog-max-len", Integer.toString(LOGGED));
		server.command("SLOWLOG", "RESET");
	}

	/**
	 * Reads and empties the log every {@value #SECONDS} seconds, as it takes memory of
	 * Redis: called more often than that.
	 */
	void empty() {
		if (System.nanoTime() - this.readNanos > TimeUnit.SECONDS.toNanos(SECONDS)) {
			read();
		}
	}

	/**
	 * Returns how long commands took that took more than a millisecond, since this was
	 * last asked.
	 * @return microseconds, sorted, by the names of scripts and other commands
	 */
	Map<String, List<Long>> micros() {
		read();
		Map<String, List<Long>> all = new TreeMap<>(this.micros);
		all.values().forEach((each) -> each.sort(null));
		this.micros.clear();
		return all;
	}

	private void read() {
		this.readNanos = System.nanoTime();
		if (this.server.command("SLOWLOG", "GET", Integer.toString(LOGGED)) instanceof List<?> entries) {
			for (Object entry : entries) {
				if (entry instanceof List<?> fields && fields.get(2) instanceof Long micros
						&& fields.get(3) instanceof List<?> words) {
					this.micros.computeIfAbsent(name(words), (name) -> new ArrayList<>()).add(micros);
				}
			}
		}
		this.server.command("SLOWLOG", "RESET");
	}

	private String name(List<?> words) {
		Script script = (words.size() > 1) ? this.names.get(String.valueOf(words.get(1))) : null;
		return (script != null) ? script.toString() : String.valueOf(words.get(0));
	}

	private static String sha1(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
