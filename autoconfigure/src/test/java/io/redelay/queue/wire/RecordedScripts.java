package io.redelay.queue.wire;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * A client that keeps of each script some requests, and what its keys had just before
 * each of them, in Redis itself.
 */
final class RecordedScripts {

	/**
	 * Keeps what the keys have that are named.
	 */
	private static final String KEEP = """
			for i = 2, #KEYS do
			  local value = redis.call('DUMP', KEYS[i])
			  if value then
			    redis.call('HSET', KEYS[1], KEYS[i], value)
			  end
			end
			""";

	private final RedisServer server;

	private final RedissonClient client;

	private final Map<String, Script> scripts = new HashMap<>();

	private final Map<Script, List<Request>> requests = new EnumMap<>(Script.class);

	private final Set<String> shapes = new HashSet<>();

	private final int most;

	/**
	 * Creates it.
	 * @param most how many requests of each script are kept
	 */
	RecordedScripts(RedisServer server, RedissonClient client, int most) {
		this.server = server;
		this.client = client;
		this.most = most;
		for (LuaScripts texts : List.of(LuaScripts.load(),
				LuaScripts.load(Map.of("stamp", StoreWorkbench.clock(), "wake", StoreWorkbench.wake())))) {
			for (Script script : Script.values()) {
				this.scripts.put(texts.text(script), script.sent());
			}
		}
	}

	RedissonClient client() {
		return proxy(RedissonClient.class, this.client, (method, args, result) -> {
			if (!method.getName().equals("getScript")) {
				return result;
			}
			return proxy(RScript.class, (RScript) result, (each, words, reply) -> reply);
		});
	}

	synchronized Map<Script, List<Request>> requests() {
		return Map.copyOf(this.requests);
	}

	/**
	 * Keeps a request, unless one like it was kept: with the same keys there, and as many
	 * arguments.
	 */
	private synchronized void keep(String text, RScript.ReturnType type, List<Object> keys, Object[] args) {
		Script script = script(text, args);
		List<Request> kept = (script != null) ? this.requests.computeIfAbsent(script, (name) -> new ArrayList<>())
				: List.of();
		if (script == null || kept.size() >= this.most) {
			return;
		}
		Set<String> all = new LinkedHashSet<>();
		for (Object key : keys) {
			String name = key.toString();
			all.add(name);
			if (name.contains("}:")) {
				all.add(name.substring(0, name.indexOf("}:") + 2) + "test:clock");
			}
		}
		Request request = new Request(text, type, keys, args, "recorded:" + script + ":" + kept.size(),
				List.copyOf(all));
		List<String> words = new ArrayList<>(List.of("EVAL", KEEP, Integer.toString(all.size() + 1), request.memory));
		words.addAll(all);
		this.server.command("DEL", request.memory);
		this.server.command(words.toArray(String[]::new));
		String there = String.valueOf(this.server.command("HKEYS", request.memory)).replaceAll("\\{[^}]*}[^:]*", "");
		if (this.shapes.add(script + " " + there + " " + verbs(args))) {
			kept.add(request);
		}
	}

	/**
	 * The script of a text that the first argument names, or the one that it is named
	 * after.
	 */
	private @Nullable Script script(String text, Object[] args) {
		Script sent = this.scripts.get(text);
		for (Script script : Script.values()) {
			if (script.sent() == sent && script != sent && String.valueOf(args[0]).startsWith(script.file() + " ")) {
				return script;
			}
		}
		return sent;
	}

	/**
	 * The arguments that are words, by which requests with the same keys differ.
	 */
	private static String verbs(Object[] args) {
		StringBuilder verbs = new StringBuilder();
		for (Object arg : args) {
			if (arg instanceof String word && word.matches("[a-zA-Z_]+")) {
				verbs.append(word).append(' ');
			}
		}
		return verbs.toString();
	}

	private <T> T proxy(Class<T> type, T target, Reply then) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, args) -> {
				if (target instanceof RScript && method.getName().equals("evalAsync") && args.length == 5) {
					@SuppressWarnings("unchecked")
					List<Object> keys = (List<Object>) args[3];
					keep((String) args[1], (RScript.ReturnType) args[2], keys, (Object[]) args[4]);
				}
				try {
					return then.of(method, args, method.invoke(target, args));
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	/**
	 * What a call gives.
	 */
	private interface Reply {

		Object of(Method method, Object[] args, Object result);

	}

	/**
	 * A request.
	 *
	 * @param memory the key that has what its keys had
	 * @param names its keys, and the clock of a test
	 */
	record Request(String text, RScript.ReturnType type, List<Object> keys, Object[] args, String memory,
			List<String> names) {

		@Override
		public String toString() {
			return this.keys + " "
					+ Arrays.stream(this.args)
						.map((arg) -> (arg instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8)
								: String.valueOf(arg))
						.toList();
		}

	}

}
