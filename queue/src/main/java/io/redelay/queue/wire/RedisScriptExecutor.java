package io.redelay.queue.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.api.options.OptionalOptions;
import org.redisson.client.RedisException;
import org.redisson.config.DefaultNameMapper;

/**
 * Runs scripts on Redis, and repeats a request while no answer comes.
 */
final class RedisScriptExecutor implements ScriptExecutor {

	/**
	 * How many times its timeout the client needs for a request at most, roughly.
	 */
	private static final int MAX_STEPS = 6;

	private final RedissonClient redisson;

	private final LuaScripts scripts;

	private final Resender resender;

	private final RScript runner;

	private final CopyingScript copying;

	private final boolean clustered;

	private final Scheduler scheduler;

	private volatile @Nullable CallerConnections callers;

	RedisScriptExecutor(RedissonClient redisson, Duration resendFor, Scheduler scheduler, LuaScripts scripts,
			RedisAvailability availability) {
		this.redisson = redisson;
		this.scripts = scripts;
		this.scheduler = scheduler;
		// A timer that is not suspended: a caller gets its failure while the context is
		// stopped.
		this.resender = new Resender(Scheduler.unclosed(Runnable::run), resendFor, attemptLimit(redisson, resendFor),
				availability);
		this.runner = redisson.getScript(OptionalOptions.defaults().codec(BytesCodec.INSTANCE).retryAttempts(0));
		this.copying = new CopyingScript(redisson);
		this.clustered = redisson.getConfig().isClusterConfig();
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

	@Override
	public boolean isClustered() {
		return this.clustered;
	}

	@Override
	public void useCallers(int connections) {
		// These connections know no other names of keys.
		if (this.redisson instanceof Redisson client
				&& client.getCommandExecutor().getServiceManager().getNameMapper() instanceof DefaultNameMapper) {
			this.callers = new CallerConnections(client.getCommandExecutor().getConnectionManager(),
					() -> this.scripts.text(Script.SEND), connections, this.scheduler);
		}
	}

	@Override
	public CompletableFuture<?> run(String what, Script script, List<Object> keys, Object[] args) {
		return run(this.resender.nanoTime(), what, script, keys, args);
	}

	@Override
	public CompletableFuture<?> runAfter(CompletableFuture<Void> pass, String what, Script script, List<Object> keys,
			Object[] args) {
		long begunNanos = this.resender.nanoTime();
		return pass.thenCompose((passed) -> run(begunNanos, what, script, keys, args));
	}

	private CompletableFuture<?> run(long begunNanos, String what, Script script, List<Object> keys, Object[] args) {
		String text = this.scripts.text(script);
		Object[] sent = script.sent(args);
		RScript.ReturnType type = script.repliesInWords() ? RScript.ReturnType.VALUE : RScript.ReturnType.LIST;
		Supplier<CompletionStage<Object>> client = () -> {
			assertOpen();
			return this.runner.evalAsync(RScript.Mode.READ_WRITE, text, type, keys, sent);
		};
		CallerConnections callers = (script == Script.SEND && WaitingCaller.take()) ? this.callers : null;
		return this.resender.send(begunNanos, what, this.clustered ? keys : List.of(), script.isAskedOnce(),
				Duration.ZERO, (callers != null) ? firstByCaller(callers, keys, sent, client) : client);
	}

	/**
	 * Makes the first attempt on this thread if it can be made there. Each further one is
	 * the client's: this thread may be another one then, which must not be blocked.
	 */
	private Supplier<CompletionStage<Object>> firstByCaller(CallerConnections callers, List<Object> keys, Object[] args,
			Supplier<CompletionStage<Object>> client) {
		AtomicBoolean first = new AtomicBoolean(true);
		return () -> {
			if (first.getAndSet(false)) {
				assertOpen();
				try {
					byte[] words = callers.evaluate(keys, args);
					if (words != null) {
						return CompletableFuture.completedFuture(words);
					}
				}
				catch (IOException | RedisException ex) {
					return CompletableFuture.failedFuture(ex);
				}
			}
			return client.get();
		};
	}

	@Override
	public CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys,
			Object[] args, String expiry, CopiesRequest copies) {
		return runAndCopy(this.resender.nanoTime(), what, script, keys, args, expiry, copies);
	}

	@Override
	public CompletableFuture<CopyingScript.Copied> runAndCopyAfter(CompletableFuture<Void> pass, String what,
			Script script, List<Object> keys, Object[] args, String expiry, CopiesRequest copies) {
		long begunNanos = this.resender.nanoTime();
		return pass.thenCompose((passed) -> runAndCopy(begunNanos, what, script, keys, args, expiry, copies));
	}

	private CompletableFuture<CopyingScript.Copied> runAndCopy(long begunNanos, String what, Script script,
			List<Object> keys, Object[] args, String expiry, CopiesRequest copies) {
		String text = this.scripts.text(script);
		Object[] sent = script.sent(args);
		// Time for two waits, and for both once more if Redis has forgotten the script.
		return this.resender.send(begunNanos, what, this.clustered ? keys : List.of(), script.isAskedOnce(),
				copies.timeout().multipliedBy(4), () -> {
					assertOpen();
					return this.copying.run(text, keys, sent, expiry, copies);
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
		return this.resender.<Object>send("Asking whether Redis is there", keys, false, Duration.ZERO,
				() -> this.runner.evalAsync(RScript.Mode.READ_WRITE, "return 1", RScript.ReturnType.LONG, keys));
	}

	@Override
	public void close() {
		this.resender.close();
		CallerConnections callers = this.callers;
		if (callers != null) {
			callers.close();
		}
	}

}
