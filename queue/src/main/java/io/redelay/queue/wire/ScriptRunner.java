package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.request.Copies;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * Runs scripts on the keys of queues, and reads their replies.
 */
public final class ScriptRunner implements AutoCloseable {

	/**
	 * For how many queues the names of keys are remembered.
	 */
	private static final int MAX_KEYS = 1000;

	private final String prefix;

	private final ScriptExecutor executor;

	private final Supplier<@Nullable WireGate> gate;

	private final ConcurrentMap<String, QueueKeys> keys = new ConcurrentHashMap<>();

	public ScriptRunner(RedissonClient redisson, String prefix, Duration resendFor, Scheduler scheduler,
			LuaScripts scripts, RedisAvailability availability) {
		this(prefix, new RedisScriptExecutor(redisson, resendFor, scheduler, scripts, availability),
				availability::gate);
	}

	ScriptRunner(String prefix, ScriptExecutor executor) {
		this(prefix, executor, () -> null);
	}

	ScriptRunner(String prefix, ScriptExecutor executor, Supplier<@Nullable WireGate> gate) {
		this.prefix = prefix;
		this.executor = executor;
		this.gate = gate;
	}

	/**
	 * Asks whether this instance may use the server beside others, if that is not known,
	 * as the first request does.
	 * @return a future that fails if it may not, or if the server does not answer
	 */
	public CompletableFuture<Void> speak() {
		CompletableFuture<Void> pass = pass();
		return (pass != null) ? pass : CompletableFuture.completedFuture(null);
	}

	/**
	 * Has all instances refused that do not know packed messages.
	 * @return whether that is so; not while such an instance may still run
	 */
	public CompletableFuture<Boolean> refuseOthers() {
		WireGate gate = this.gate.get();
		return (gate == null) ? CompletableFuture.completedFuture(true) : gate.refuseOthers(this.prefix, this::speak);
	}

	private @Nullable CompletableFuture<Void> pass() {
		WireGate gate = this.gate.get();
		return (gate == null) ? null : gate.pass(this.prefix, this::speak);
	}

	private CompletableFuture<ReplyReader> speak(String key, Object[] args) {
		return this.executor.run("Looking which versions use Redis", Script.SPEAK, List.of(key), args)
			.thenApply((reply) -> new ReplyReader((List<?>) reply));
	}

	/**
	 * Runs a script.
	 * @param what the action, for the messages of exceptions
	 * @param args the arguments, each as bytes, as a part of an array of bytes, which is
	 * a {@code ByteBuffer}, or as what {@code toString} gives
	 */
	public <T extends @Nullable Object> CompletableFuture<T> run(String what, Script script, List<Object> keys,
			Object[] args, Function<ReplyReader, T> mapper) {
		if (isReading() && !script.isRead(args)) {
			return refused(what);
		}
		CompletableFuture<Void> pass = script.passesGate() ? null : pass();
		CompletableFuture<?> reply = (pass == null) ? this.executor.run(what, script, keys, args)
				: this.executor.runAfter(pass, what, script, keys, args);
		return script.repliesInWords() ? reply.thenApply((words) -> mapper.apply(ReplyReader.ofWords((byte[]) words)))
				: reply.thenApply((elements) -> mapper.apply(new ReplyReader((List<?>) elements)));
	}

	/**
	 * Returns whether this instance only reads: what would change something fails, and
	 * Redis is not asked.
	 */
	public boolean isReading() {
		WireGate gate = this.gate.get();
		return gate != null && gate.isReading();
	}

	private static <T extends @Nullable Object> CompletableFuture<T> refused(String what) {
		return CompletableFuture
			.failedFuture(new StoreException(what + ": nothing was changed, as this instance only reads", null));
	}

	/**
	 * Runs a script on one queue, with the keys that the script declares.
	 * @param what the action, up to the name of the queue, for the messages of exceptions
	 * @param args the arguments, as for the method above
	 */
	public <T extends @Nullable Object> CompletableFuture<T> run(Script script, String queue, String what,
			Function<ReplyReader, T> reader, Object... args) {
		return run(what + " the queue '" + queue + "'", script, keys(queue).of(script), args, reader);
	}

	/**
	 * Runs a script on one key that belongs to no queue.
	 * @param what the action, for the messages of exceptions
	 * @param name the name of the key, without the prefix
	 */
	public <T extends @Nullable Object> CompletableFuture<T> runOnKey(Script script, String name, String what,
			Function<ReplyReader, T> reader, Object... args) {
		return run(what, script, List.of(key(name)), args, reader);
	}

	/**
	 * Runs a script that replies in words, and waits for copies of what it writes.
	 * @param keys its keys; under the first one the script remembers the request
	 * @param expiry in how long that key is to expire at least, ms
	 */
	public <T> CompletableFuture<T> runAndCopy(String what, Script script, List<Object> keys, Object[] args,
			String expiry, CopiesRequest copies, BiFunction<ReplyReader, Copies, T> mapper) {
		if (isReading()) {
			return refused(what);
		}
		return this.executor.runAndCopyAfter(speak(), what, script, keys, args, expiry, copies)
			.thenApply((copied) -> mapper.apply(ReplyReader.ofWords(copied.words()), copied.copies()));
	}

	/**
	 * Returns whether queues are spread over several masters, so that the keys of a
	 * request must be in one slot.
	 */
	public boolean isClustered() {
		return this.executor.isClustered();
	}

	/**
	 * Lets threads that wait for a reply send messages themselves.
	 * @param connections on how many connections at most
	 */
	public void useCallers(int connections) {
		this.executor.useCallers(connections);
	}

	/**
	 * Stops resending: a request that waits to be sent again fails.
	 */
	@Override
	public void close() {
		this.executor.close();
	}

	public QueueKeys keys(String queue) {
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
	public String prefix() {
		return this.prefix;
	}

	/**
	 * Returns the name of a key that belongs to no queue.
	 */
	public String key(String name) {
		return this.prefix + ":" + name;
	}

}
