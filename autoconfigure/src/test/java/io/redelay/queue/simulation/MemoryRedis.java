package io.redelay.queue.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.springframework.core.io.ClassPathResource;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.lua51.Lua51;
import party.iroiro.luajava.luajit.LuaJit;

/**
 * A Redis in memory, for one thread: runs scripts by Lua 5.1, which is the Lua of Redis,
 * or by LuaJIT, on a store that is written in Lua as well, so that a command of a script
 * stays within Lua. Its clock is the one that a request brings along. A second thread
 * would corrupt the memory of Lua, and with it that of the JVM, so it is refused.
 */
public final class MemoryRedis implements AutoCloseable {

	/**
	 * Up to so many fields a hash is scanned in one step, as Redis does by default.
	 */
	static final int LISTPACK_ENTRIES = 128;

	private final Thread owner = Thread.currentThread();

	private final Lua lua;

	private volatile RuntimeException refused;

	private final Set<String> loaded = new HashSet<>();

	private int trace;

	public MemoryRedis() {
		this(Engine.LUA);
	}

	/**
	 * Creates one with an engine.
	 */
	public MemoryRedis(Engine engine) {
		this.lua = (engine == Engine.LUA) ? new Lua51() : new LuaJit();
		this.lua.openLibraries();
		if (engine == Engine.LUAJIT) {
			// The scripts are long and seldom loop: compiling them costs twice what it
			// saves. What they leave is small, so it is collected seldom.
			this.lua.run("jit.off() collectgarbage('setpause', 1000)");
		}
		try {
			byte[] text = new ClassPathResource("simulation/memory-redis.lua").getContentAsByteArray();
			this.lua.load(ByteBuffer.allocateDirect(text.length).put(text).flip(), "memory-redis");
			this.lua.pCall(0, 0);
			this.lua.getGlobal("redis");
			this.lua.push(MemoryRedis::sha1hex);
			this.lua.setField(-2, "sha1hex");
			this.lua.pop(1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int sha1hex(Lua lua) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-1");
			digest.update(lua.toBuffer(1));
			lua.push(HexFormat.of().formatHex(digest.digest()));
			return 1;
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Removes all there is.
	 * @param listpackEntries up to how many fields a hash is scanned in one step
	 */
	public void reset(int listpackEntries) {
		this.trace = 0;
		call("reset", listpackEntries);
	}

	/**
	 * Returns a number that is the same after the same requests and replies, and hardly
	 * after others.
	 */
	int trace() {
		return this.trace;
	}

	/**
	 * Refuses from now on what adds, as a Redis does that has no memory left.
	 */
	public void setFull(boolean full) {
		getGlobal("set_full");
		this.lua.push(full);
		this.lua.pCall(1, 0);
	}

	/**
	 * Has another process answer from now on.
	 */
	public void setRunId(String runId) {
		call("set_run_id", runId);
	}

	/**
	 * Forgets the scripts, as SCRIPT FLUSH does.
	 */
	public void flushScripts() {
		getGlobal("renew_lua");
		this.lua.pCall(0, 0);
	}

	/**
	 * Keeps what there is now.
	 * @param name under what name
	 */
	public void save(String name) {
		call("save", name);
	}

	/**
	 * Goes back to what was kept.
	 */
	public void goBack(String name) {
		call("go_back", name);
	}

	/**
	 * Forgets what was kept.
	 */
	public void forget(String name) {
		call("forget", name);
	}

	/**
	 * Counts a subscriber of a channel from now on.
	 */
	public void subscribe(String channel) {
		call("subscribe", channel);
	}

	/**
	 * Counts no subscriber of a channel any more.
	 */
	public void unsubscribe(String channel) {
		call("unsubscribe", channel);
	}

	private void call(String function, Object argument) {
		getGlobal(function);
		this.lua.push(argument, Lua.Conversion.SEMI);
		this.lua.pCall(1, 0);
	}

	private void getGlobal(String function) {
		if (Thread.currentThread() != this.owner) {
			this.refused = new IllegalStateException(Thread.currentThread() + " uses the Lua of " + this.owner);
			throw this.refused;
		}
		this.lua.getGlobal(function);
	}

	/**
	 * Runs a script.
	 * @param name its name, by which its text is known from then on
	 * @param text its text
	 * @param millis the time
	 * @param keys its keys
	 * @param args its arguments, as bytes
	 */
	public Reply run(String name, String text, long millis, List<byte[]> keys, List<byte[]> args) {
		if (this.loaded.add(name)) {
			getGlobal("load_script");
			this.lua.push(name);
			this.lua.push(latin(text.getBytes(StandardCharsets.UTF_8)));
			this.lua.pCall(2, 0);
		}
		getGlobal("run");
		this.lua.push(name);
		this.lua.push((Number) (double) millis);
		String joinedKeys = joined(keys);
		String joinedArgs = joined(args);
		this.lua.push(joinedKeys);
		this.lua.push(joinedArgs);
		this.lua.pCall(4, 1);
		ByteBuffer buffer = this.lua.toDirectBuffer(-1);
		byte[] reply = new byte[buffer.remaining()];
		buffer.get(reply);
		this.lua.pop(1);
		this.trace = Objects.hash(this.trace, name, joinedKeys, joinedArgs, Arrays.hashCode(reply));
		RespReader reader = new RespReader(reply);
		Object value = reader.read();
		List<String> texts = new ArrayList<>();
		((List<?>) reader.read()).forEach((each) -> texts.add(new String((byte[]) each, StandardCharsets.UTF_8)));
		List<Published> published = new ArrayList<>();
		for (int i = 0; i < texts.size(); i += 2) {
			published.add(new Published(texts.get(i), texts.get(i + 1)));
		}
		return new Reply(value, published);
	}

	/**
	 * Joins texts to one, as each call of Lua's interface takes about a microsecond:
	 * their lengths, a line break, then the texts. A length is that in UTF-8, as which
	 * the interface writes them, and has a mark behind it if some byte becomes two.
	 */
	private static String joined(List<byte[]> texts) {
		StringBuilder joined = new StringBuilder();
		for (byte[] text : texts) {
			int more = 0;
			for (byte each : text) {
				more += (each <= 0) ? 1 : 0;
			}
			joined.append(text.length + more).append((more > 0) ? '+' : ' ');
		}
		joined.append('\n');
		texts.forEach((text) -> joined.append(latin(text)));
		return joined.toString();
	}

	private static String latin(byte[] bytes) {
		return new String(bytes, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Closes it, and fails if another thread was refused.
	 */
	@Override
	public void close() {
		this.lua.close();
		if (this.refused != null) {
			throw this.refused;
		}
	}

	/**
	 * What runs the scripts.
	 */
	public enum Engine {

		/**
		 * The Lua 5.1 that Redis has.
		 */
		LUA,

		/**
		 * The same language, three times as fast.
		 */
		LUAJIT

	}

	/**
	 * What a script replies and publishes.
	 *
	 * @param value bytes, a {@code Long}, {@code null}, a list of such, a {@link Status},
	 * or an {@link Failure}
	 */
	public record Reply(Object value, List<Published> published) {
	}

	/**
	 * What was published.
	 */
	public record Published(String channel, String text) {
	}

	/**
	 * A status that is no error.
	 */
	public record Status(String text) {
	}

	/**
	 * An error that Redis replies.
	 */
	public record Failure(String text) {
	}

	/**
	 * Reads a reply as Redis writes it.
	 */
	private static final class RespReader {

		private final byte[] bytes;

		private int at;

		RespReader(byte[] bytes) {
			this.bytes = bytes;
		}

		Object read() {
			byte kind = this.bytes[this.at++];
			return switch (kind) {
				case ':' -> Long.valueOf(line());
				case '$' -> bulk(Integer.parseInt(line()));
				case '*' -> list(Integer.parseInt(line()));
				case '+' -> new Status(line());
				case '-' -> new Failure(line());
				default -> throw new IllegalStateException("No reply begins with " + (char) kind);
			};
		}

		private byte[] bulk(int length) {
			if (length < 0) {
				return null;
			}
			byte[] value = Arrays.copyOfRange(this.bytes, this.at, this.at + length);
			this.at += length + 2;
			return value;
		}

		private List<Object> list(int size) {
			List<Object> values = new ArrayList<>(size);
			for (int i = 0; i < size; i++) {
				values.add(read());
			}
			return values;
		}

		private String line() {
			int begin = this.at;
			while (this.bytes[this.at] != '\r') {
				this.at++;
			}
			this.at += 2;
			return new String(this.bytes, begin, this.at - begin - 2, StandardCharsets.ISO_8859_1);
		}

	}

}
