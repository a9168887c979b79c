package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.admin.AdminScripts;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * A store whose clock a test sets, and whose wake-ups it reads instead of hearing them.
 * Both are kept beside the queue's own keys, under {@code test:}.
 */
public final class StoreWorkbench {

	private static final String TIME = "redis.call('TIME')";

	/**
	 * As Redis returns the time: seconds, and microseconds without leading zeros.
	 */
	private static final String CLOCK = """
			local function time()
			  local ms = tonumber(redis.call('GET', string.match(KEYS[1], '^(.-}:)') .. 'test:clock'))
			  return { string.format('%.0f', math.floor(ms / 1000)), string.format('%d', ms % 1000 * 1000 + 999) }
			end
			""";

	private static final String PUBLISH = "redis.pcall('PUBLISH', channel .. (string.match(sleeper, '^[^.]+') or ''), sleeper)";

	/**
	 * Like PUBLISH: gives how many heard it, which is none if the lane is deaf. Where a
	 * script sends together with something else, there is no first key.
	 */
	private static final String LOG = """
			local function log(sleeper)
			  local base = string.match(KEYS[2], '^(.-}:)')
			  local deaf = redis.call('SISMEMBER', base .. 'test:deaf', sleeper)
			  redis.call('RPUSH', base .. 'test:woken', (deaf == 1 and '!' or '') .. sleeper)
			  return 1 - deaf
			end
			""";

	/**
	 * Few, so that a page or a request with commands mostly ends early.
	 */
	public static final int MAX_BYTES = 2_000;

	private final RedissonClient redisson;

	private final String queue;

	public final QueueScripts store;

	public final AdminScripts admin;

	public StoreWorkbench(RedissonClient redisson, String queue, ScheduledExecutorService timer) {
		this.redisson = redisson;
		this.queue = queue;
		LuaScripts scripts = LuaScripts.load(Map.of("stamp", clock(), "wake", wake()));
		this.store = TestScripts.create(redisson, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE, scripts,
				ScriptListeners.none());
		this.admin = new AdminScripts(redisson, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer), scripts, MAX_BYTES);
	}

	static String clock() {
		return CLOCK + replaced("stamp", TIME, "time()");
	}

	static String wake() {
		return LOG + replaced("wake", PUBLISH, "log(sleeper)");
	}

	private static String replaced(String name, String call, String replacement) {
		String text = LuaScripts.include(name);
		if (!text.contains(call)) {
			throw new IllegalStateException("includes/" + name + ".lua has changed: look here too");
		}
		return text.replace(call, replacement);
	}

	public void setClock(long now) {
		this.redisson.getBucket(key("test:clock"), StringCodec.INSTANCE).set(Long.toString(now));
	}

	public void deafen(String lane) {
		this.redisson.<String>getSet(key("test:deaf"), StringCodec.INSTANCE).add(lane);
	}

	public void forgetDeletion() {
		this.redisson.getKeys().delete(key("past"));
	}

	public void flushScripts() {
		this.redisson.getScript(StringCodec.INSTANCE).scriptFlush();
	}

	/**
	 * Keeps all that Redis has of the queue, for {@link #goBack()}.
	 */
	public void takeSnapshot() {
		script("""
				local base = string.match(KEYS[1], '^(.-}:)')
				redis.call('DEL', base .. 'test:snapshot')
				local keys = redis.call('KEYS', base .. '*')
				keys[#keys + 1] = KEYS[2]
				for _, key in ipairs(keys) do
				  if not string.find(key, ':test:', 1, true) and redis.call('EXISTS', key) == 1 then
				    local ttl = redis.call('PTTL', key)
				    redis.call('HSET', base .. 'test:snapshot', key, math.max(0, ttl) .. ' ' .. redis.call('DUMP', key))
				  end
				end
				""");
	}

	/**
	 * Has Redis go back to the last snapshot, with all that belongs to the queue.
	 */
	public void goBack() {
		script("""
				local base = string.match(KEYS[1], '^(.-}:)')
				for _, key in ipairs(redis.call('KEYS', base .. '*')) do
				  if not string.find(key, ':test:', 1, true) then
				    redis.call('DEL', key)
				  end
				end
				redis.call('DEL', KEYS[2])
				local kept = redis.call('HGETALL', base .. 'test:snapshot')
				for i = 1, #kept, 2 do
				  local ttl, value = string.match(kept[i + 1], '^(%d+) (.*)$')
				  redis.call('RESTORE', kept[i], ttl, value)
				end
				""");
	}

	private void script(String text) {
		this.redisson.getScript(StringCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE, text, RScript.ReturnType.VALUE,
					List.of(QueueKeys.of("redelay", this.queue).messages(), this.store.inlets().key(this.queue)));
	}

	/**
	 * Pushes into the inlet of the queue, as others do.
	 */
	public void push(List<String> entries) {
		this.redisson.<String>getList(this.store.inlets().key(this.queue), StringCodec.INSTANCE).addAll(entries);
	}

	public StoreDump dump() {
		return StoreDump.of(this.redisson, this.queue);
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	public static <T> T get(CompletableFuture<T> future) {
		try {
			return future.get(2, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("No answer from the store", ex);
		}
	}

}
