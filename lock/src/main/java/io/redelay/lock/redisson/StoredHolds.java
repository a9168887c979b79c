package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.redelay.lock.LockException;
import io.redelay.lock.StoredHold;
import io.redelay.scheduling.AnswerLimit;
import org.redisson.RedissonObject;
import org.redisson.api.AsyncIterator;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;

/**
 * Reads from Redis the holders of a lock, and the waiters in the line of a fair one.
 *
 * @since 0.1.0
 */
public final class StoredHolds {

	/**
	 * How many holders of a read lock are returned at most.
	 */
	private static final int MAX_HOLDERS = 100;

	/**
	 * How many waiters of a fair lock are returned at most.
	 */
	private static final int MAX_WAITERS = 100;

	private static final String MODE = "mode";

	/**
	 * Where Redisson keeps the line of a fair lock.
	 */
	private static final String LINE = "redisson_lock_queue";

	private static final String WRITING = ":write";

	/**
	 * The prefix of the fields of locks that are held though their owners have ended.
	 */
	static final String HELD_ON = "held-on:";

	private final RedissonClient redisson;

	/**
	 * Creates it.
	 * @param redisson the client
	 */
	public StoredHolds(RedissonClient redisson) {
		this.redisson = redisson;
	}

	/**
	 * Reads the holders of a lock.
	 * @param key its key
	 * @return at most 100 holders
	 * @throws LockException if Redis does not answer
	 */
	public List<StoredHold> of(String key) {
		RMap<String, String> map = this.redisson.getMap(key, StringCodec.INSTANCE);
		long ttl = ask(map::remainTimeToLiveAsync);
		if (ttl == -2) {
			return List.of();
		}
		List<StoredHold> holds = new ArrayList<>();
		AsyncIterator<Map.Entry<String, String>> fields = map.entrySetAsync(MAX_HOLDERS);
		while (holds.size() < MAX_HOLDERS && ask(fields::hasNext)) {
			String field = ask(fields::next).getKey();
			if (!field.equals(MODE)) {
				holds.add(hold(field, Duration.ofMillis(Math.max(0, ttl))));
			}
		}
		return holds;
	}

	/**
	 * Reads the holders of a lock of a provider, which may keep something else than a
	 * lock of Redisson there.
	 * @param key its key
	 * @return at most 100 holders; none if it is no lock of Redisson
	 * @throws LockException if Redis does not answer
	 */
	public List<StoredHold> ofProvider(String key) {
		try {
			return of(key);
		}
		catch (LockException ex) {
			if (String.valueOf(ex.getMessage()).contains("WRONGTYPE")) {
				return List.of();
			}
			throw ex;
		}
	}

	private static <T> T ask(Supplier<CompletionStage<T>> request) {
		try {
			return await(request.get());
		}
		catch (RedisException ex) {
			throw failed(ex);
		}
	}

	/**
	 * Waits for an answer, for as long as the reads of this thread may.
	 * @throws LockException if there is none
	 */
	static <T> T await(CompletionStage<T> answer) {
		try {
			return AnswerLimit.await(answer.toCompletableFuture());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockException("The thread was interrupted while it waited for locks that Redis has", ex);
		}
		catch (TimeoutException ex) {
			throw new LockException(String.valueOf(ex.getMessage()), ex);
		}
		catch (ExecutionException ex) {
			throw failed((ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	private static LockException failed(Throwable cause) {
		if (cause instanceof LockException failure) {
			return failure;
		}
		return new LockException((cause instanceof RedisException)
				? "Redis does not return locks: " + cause.getMessage() : String.valueOf(cause.getMessage()), cause);
	}

	/**
	 * Reads the lines of fair locks in one round trip.
	 * @param keys the keys of the locks
	 * @return for each lock the ids of the Redis clients of at most 100 waiters, the next
	 * one first
	 * @throws LockException if Redis does not answer
	 */
	public List<List<String>> linesOf(List<String> keys) {
		if (keys.isEmpty()) {
			return List.of();
		}
		RBatch batch = this.redisson.createBatch(BatchOptions.defaults());
		keys.forEach((key) -> batch.<String>getList(RedissonObject.prefixName(LINE, key), StringCodec.INSTANCE)
			.rangeAsync(0, MAX_WAITERS - 1));
		List<List<String>> lines = new ArrayList<>();
		for (Object line : ask(batch::executeAsync).getResponses()) {
			lines.add(((List<?>) line).stream().map((waiter) -> client(String.valueOf(waiter))).toList());
		}
		return lines;
	}

	private static StoredHold hold(String owner, Duration lease) {
		boolean writing = owner.endsWith(WRITING);
		String holder = owner.substring(owner.startsWith(HELD_ON) ? HELD_ON.length() : 0,
				owner.length() - (writing ? WRITING.length() : 0));
		return new StoredHold(client(holder), writing, lease);
	}

	/**
	 * The client of an owner, whose id is that of its client and of its thread.
	 */
	private static String client(String owner) {
		int end = owner.lastIndexOf(':');
		return (end >= 0) ? owner.substring(0, end) : owner;
	}

}
