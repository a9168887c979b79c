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
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFuture;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;

/**
 * A client that keeps of each script some requests, and what its keys had just before
 * each of them, in Redis itself.
 */
final class RecordedScripts {

	/**
	 * What may be the uid of a message.
	 */
	private static final Pattern UID = Pattern.compile("[A-Za-z0-9.]+-[A-Za-z0-9]+");

	private static final int MOST_UIDS = 50;

	/**
	 * Keeps what the keys have that are named, and returns which of them are there.
	 */
	private static final String KEEP = """
			local there = {}
			for i = 2, #KEYS do
			  local value = redis.call('DUMP', KEYS[i])
			  if value then
			    redis.call('HSET', KEYS[1], KEYS[i], value)
			    there[#there + 1] = KEYS[i]
			  end
			end
			return there
			""";

	private final RedisServer server;

	private final RedissonClient client;

	private final Map<String, Script> scripts = new HashMap<>();

	private final Map<Script, List<Request>> requests = new EnumMap<>(Script.class);

	private final Set<String> shapes = new HashSet<>();

	/**
	 * How many requests were kept that have a key.
	 */
	private final Map<String, Integer> kept = new HashMap<>();

	private final int most;

	private int prepared;

	private volatile boolean all;

	/**
	 * Creates it.
	 * @param most how many requests of a script have the same key, roughly
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

	/**
	 * Keeps all requests of an action: their keys do not show what they read.
	 */
	void all(Runnable action) {
		this.all = true;
		action.run();
		this.all = false;
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
	 * Keeps what the keys of a request have.
	 */
	private synchronized @Nullable Request prepare(String text, RScript.ReturnType type, List<Object> keys,
			Object[] args) {
		Script script = script(text, args);
		if (script == null) {
			return null;
		}
		Set<String> all = new LinkedHashSet<>();
		for (Object key : keys) {
			String name = key.toString();
			all.add(name);
			if (name.contains("}:")) {
				all.add(name.substring(0, name.indexOf("}:") + 2) + "test:clock");
			}
		}
		String memory = "recorded:" + script + ":" + this.prepared++;
		List<String> words = new ArrayList<>(List.of("EVAL", KEEP, Integer.toString(all.size() + 1), memory));
		words.addAll(all);
		List<?> there = (List<?>) this.server.command(words.toArray(String[]::new));
		Memory had = new Memory(memory, there.stream().map(RecordedScripts::text).toList());
		return new Request(text, type, keys, args, had, List.copyOf(all), new HashSet<>(), new HashSet<>());
	}

	/**
	 * Keeps a request if it has a key that few requests of its script had that were kept:
	 * of those whose reply has messages, or of those whose reply has none. Keeps it also
	 * if it has other words among its arguments.
	 */
	private synchronized void keep(Request request, @Nullable Object reply) {
		Script script = Objects.requireNonNull(script(request.text, request.args));
		boolean moves = (reply instanceof List<?> elements) ? elements.size() > 1
				: reply instanceof byte[] words && new String(words, StandardCharsets.UTF_8).split(" ").length > 2;
		String kind = script + " " + moves + " ";
		List<String> there = request.memory.there;
		there.stream()
			.filter((key) -> this.kept.getOrDefault(kind + end(key), 0) < this.most)
			.forEach(request.rare::add);
		if (!this.shapes.add(kind + verbs(request.args)) && request.rare.isEmpty() && !this.all) {
			return;
		}
		there.forEach((key) -> this.kept.merge(kind + end(key), 1, Integer::sum));
		Stream
			.concat(Stream.of(request.args), (reply instanceof List<?> elements) ? elements.stream() : Stream.of(reply))
			.flatMap((value) -> UID.matcher(text(value)).results())
			.limit(MOST_UIDS)
			.forEach((uid) -> request.uids.add(uid.group()));
		this.requests.computeIfAbsent(script, (name) -> new ArrayList<>()).add(request);
	}

	/**
	 * The name of a key without its queue.
	 */
	private static String end(String key) {
		return key.replaceAll("\\{[^}]*}[^:]*", "");
	}

	private static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
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
					Request request = prepare((String) args[1], (RScript.ReturnType) args[2], keys, (Object[]) args[4]);
					RFuture<?> result = (RFuture<?>) invoke(method, target, args);
					if (request != null) {
						result.whenComplete((reply, failure) -> keep(request, reply));
					}
					return then.of(method, args, result);
				}
				return then.of(method, args, invoke(method, target, args));
			}));
	}

	private static Object invoke(Method method, Object target, Object[] args) throws Throwable {
		try {
			return method.invoke(target, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * What a call gives.
	 */
	private interface Reply {

		Object of(Method method, Object[] args, Object result);

	}

	/**
	 * What the keys of a request had.
	 *
	 * @param key the key that has it
	 * @param there those that were there
	 */
	record Memory(String key, List<String> there) {

	}

	/**
	 * A request.
	 *
	 * @param memory what its keys had
	 * @param names its keys, and the clock of a test
	 * @param uids those that its arguments and its reply name, some of them
	 * @param rare the keys that few other requests of its script have
	 */
	record Request(String text, RScript.ReturnType type, List<Object> keys, Object[] args, Memory memory,
			List<String> names, Set<String> uids, Set<String> rare) {

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
