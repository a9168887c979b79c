package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.redelay.queue.store.Copies;
import io.redelay.queue.store.CopiesRequest;
import io.redelay.queue.store.StoreException;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;

/**
 * Runs scripts on the keys of queues, and repeats a request while no answer comes.
 */
final class ScriptRunner implements AutoCloseable {

	/**
	 * For how many queues the names of keys are remembered.
	 */
	private static final int MAX_KEYS = 1000;

	/**
	 * How many times its timeout the client needs for a request at most, roughly.
	 */
	private static final int MAX_STEPS = 6;

	private final RedissonClient redisson;

	private final String prefix;

	private final LuaScripts scripts;

	private final Resender resender;

	private final RScript runner;

	private final CopyingScript copying;

	private final boolean cluster;

	private final ConcurrentMap<String, QueueKeys> keys = new ConcurrentHashMap<>();

	ScriptRunner(RedissonClient redisson, String prefix, Duration resendFor, Scheduler scheduler, LuaScripts scripts,
			RedisAvailability availability) {
		this.redisson = redisson;
		this.prefix = prefix;
		this.scripts = scripts;
		this.resender = new Resender(scheduler, resendFor, attemptLimit(redisson, resendFor), availability);
		this.runner = redisson.getScript(OptionalOptions.defaults().codec(BytesCodec.INSTANCE).retryAttempts(0));
		this.copying = new CopyingScript(redisson);
		this.cluster = redisson.getConfig().isClusterConfig();
		availability.probeBy(this::probe);
	}

	/**
	 * The client ends each of its steps after its timeout: to get a connection, to write,
	 * and to read. One of its own that swallows an error, as Redisson 4.7 does if sending
	 * a command throws one, does not end at all. A request that is redirected takes some
	 * steps more.
	 */
	private static Duration attemptLimit(RedissonClient redisson, Duration resendFor) {
		Duration longest = resendFor.plusSeconds(30);
		if (!(redisson instanceof Redisson client)) {
			return longest;
		}
		Duration steps = Duration
			.ofMillis(MAX_STEPS * (long) client.getCommandExecutor().getServiceManager().getConfig().getTimeout());
		return (steps.compareTo(longest) < 0) ? steps : longest;
	}

	/**
	 * Runs a script.
	 * @param what the action, for the messages of exceptions
	 */
	<T extends @Nullable Object> CompletableFuture<T> run(String what, Script script, List<Object> keys, Object[] args,
			Function<Reply, T> mapper) {
		if (script.repliesInWords()) {
			return this.<byte[]>send(what, script, RScript.ReturnType.VALUE, keys, args)
				.thenApply((words) -> mapper.apply(Reply.ofWords(words)));
		}
		return this.<List<Object>>send(what, script, RScript.ReturnType.LIST, keys, args)
			.thenApply((elements) -> mapper.apply(new Reply(elements)));
	}

	/**
	 * Runs a script that replies in words, and waits for copies of what it writes.
	 * @param keys its keys; under the first one the script remembers the request
	 * @param expiry in how long that key is to expire at least, ms
	 */
	<T> CompletableFuture<T> runAndCopy(String what, Script script, List<Object> keys, Object[] args, String expiry,
			CopiesRequest copies, BiFunction<Reply, Copies, T> mapper) {
		String text = this.scripts.text(script);
		// Time for two waits, and for both once more if Redis has forgotten the script.
		return this.resender
			.send(what, this.cluster ? keys : List.of(), script.isAskedOnce(), copies.timeout().multipliedBy(4), () -> {
				assertOpen();
				return this.copying.run(text, keys, script.sent(args), expiry, copies);
			})
			.thenApply((copied) -> mapper.apply(Reply.ofWords(copied.words()), copied.copies()));
	}

	private <R> CompletableFuture<R> send(String what, Script script, RScript.ReturnType type, List<Object> keys,
			Object[] args) {
		String text = this.scripts.text(script);
		Object[] sent = script.sent(args);
		return this.resender.send(what, this.cluster ? keys : List.of(), script.isAskedOnce(), () -> {
			assertOpen();
			return this.runner.<R>evalAsync(RScript.Mode.READ_WRITE, text, type, keys, sent);
		});
	}

	/**
	 * Refuses requests if the client is closed: the client's own failure would not show
	 * that the request was never sent.
	 */
	private void assertOpen() {
		if (this.redisson.isShuttingDown()) {
			throw new StoreException("the Redis client is shut down", null);
		}
	}

	/**
	 * Names the keys as well: a slot that is being moved refuses some and not others.
	 */
	private CompletableFuture<?> probe(List<Object> keys) {
		return this.resender.<Object>send("Asking whether Redis is there", keys, false,
				() -> this.runner.evalAsync(RScript.Mode.READ_WRITE, "return 1", RScript.ReturnType.LONG, keys));
	}

	/**
	 * Stops resending: a request that waits to be sent again fails.
	 */
	@Override
	public void close() {
		this.resender.close();
	}

	QueueKeys keys(String queue) {
		QueueKeys known = this.keys.get(queue);
		if (known != null) {
			return known;
		}
		if (this.keys.size() >= MAX_KEYS) {
			this.keys.clear();
		}
		return this.keys.computeIfAbsent(queue, (name) -> QueueKeys.of(this.prefix, name));
	}

	/**
	 * Returns the prefix of all keys.
	 */
	String prefix() {
		return this.prefix;
	}

	/**
	 * Returns the name of a key that belongs to no queue.
	 */
	String key(String name) {
		return this.prefix + ":" + name;
	}

}
