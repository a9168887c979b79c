package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.scheduling.Scheduler;
import org.redisson.api.RedissonClient;

/**
 * Builds the scripts of an instance on a Redis for tests.
 */
public final class TestScripts {

	private TestScripts() {
	}

	public static QueueScripts create(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory memory) {
		return create(redisson, prefix, resendFor, timer, memory, LuaScripts.load(), ScriptListeners.none());
	}

	/**
	 * With a fault between this program and Redis.
	 */
	public static QueueScripts create(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory memory, Fault fault) {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		RedisAvailability availability = new RedisAvailability(timer);
		ScriptExecutor redis = new RedisScriptExecutor(redisson, resendFor, scheduler, LuaScripts.load(), availability);
		return create(redisson, prefix, new FaultyExecutor(redis, fault), scheduler, memory, availability,
				ScriptListeners.none());
	}

	static QueueScripts create(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory memory, LuaScripts texts, ScriptListeners listeners) {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		RedisAvailability availability = new RedisAvailability(timer);
		return create(redisson, prefix, new RedisScriptExecutor(redisson, resendFor, scheduler, texts, availability),
				scheduler, memory, availability, listeners);
	}

	private static QueueScripts create(RedissonClient redisson, String prefix, ScriptExecutor executor,
			Scheduler scheduler, ReplayMemory memory, RedisAvailability availability, ScriptListeners listeners) {
		return new QueueScripts(new ScriptRunner(prefix, executor),
				new WakeUpChannel(redisson, prefix + ":wake:", Uids.instance(), scheduler), scheduler, memory,
				availability, listeners);
	}

	/**
	 * A lane without limits.
	 */
	public static ClaimLane lane(QueueScripts scripts, String queue, Duration lease) {
		return new ClaimLane(scripts, queue, lease, ClaimLimits.NONE, true, new ClaimLane.RetryTimes(),
				Invariants.LOGGED);
	}

	/**
	 * What happens to requests on their way to Redis, or to replies on their way back.
	 */
	@FunctionalInterface
	public interface Fault {

		/**
		 * Returns the reply to a request.
		 * @param script the name of the script, as that of its file
		 * @param keys its keys
		 * @param args its arguments
		 * @param redis sends the request to Redis
		 */
		CompletableFuture<?> reply(String script, List<Object> keys, Object[] args,
				Supplier<CompletableFuture<?>> redis);

	}

	private record FaultyExecutor(ScriptExecutor redis, Fault fault) implements ScriptExecutor {

		@Override
		public boolean isClustered() {
			return this.redis.isClustered();
		}

		@Override
		public CompletableFuture<?> run(String what, Script script, List<Object> keys, Object[] args) {
			return this.fault.reply(script.file(), keys, args, () -> this.redis.run(what, script, keys, args));
		}

		@Override
		public CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys,
				Object[] args, String expiry, CopiesRequest copies) {
			return this.redis.runAndCopy(what, script, keys, args, expiry, copies);
		}

		@Override
		public void close() {
			this.redis.close();
		}

	}

}
