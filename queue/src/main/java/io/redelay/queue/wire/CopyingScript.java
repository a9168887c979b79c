package io.redelay.queue.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.request.Copies;
import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.StoreException;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.RedisCommand;
import org.redisson.client.protocol.RedisCommands;
import org.redisson.command.CommandAsyncExecutor;
import org.redisson.command.CommandBatchService;
import org.redisson.config.NameMapper;

/**
 * Runs a script and waits, on the connection that wrote, for copies of what it wrote.
 * <p>
 * {@code WAIT} counts the copies of the last write of its connection. A repeated script
 * and a send of duplicates write nothing, and an earlier write may have no copies yet. So
 * a write stands between the two.
 */
final class CopyingScript {

	private static final RedisCommand<Object> EVALSHA = new RedisCommand<>(RedisCommands.EVAL_OBJECT, "evalsha");

	/**
	 * Not the client's own command: a batch would send the digest of the script in its
	 * place.
	 */
	private static final RedisCommand<Object> EVAL = new RedisCommand<>(RedisCommands.EVAL_OBJECT, "eval");

	/**
	 * The error of Redis when it keeps no file: the request must not be repeated.
	 */
	private static final String NO_FILE = "appendonly is disabled";

	private final RedissonClient redisson;

	/**
	 * Texts that were sent. Any other script is sent as a text at once: if Redis does not
	 * know a digest, the wait for copies runs nevertheless, and once more for the text.
	 */
	private final Set<String> sent = ConcurrentHashMap.newKeySet();

	CopyingScript(RedissonClient redisson) {
		this.redisson = redisson;
	}

	/**
	 * Runs a script that replies in words: by its digest, once its text was sent, and by
	 * its text again if Redis has forgotten the digest.
	 * @param keys its keys; under the first one the script remembers the request
	 * @param expiry in how long the first key is to expire at least, ms
	 * @return the reply, and which copies there are
	 */
	CompletableFuture<Copied> run(String text, List<Object> keys, Object[] args, String expiry, CopiesRequest request) {
		if (!(this.redisson instanceof Redisson client)) {
			return CompletableFuture.failedFuture(new StoreException(
					"a durability needs Redisson's own client, and the RedissonClient bean is a "
							+ this.redisson.getClass().getName() + "; send without a durability, or use the other one",
					null));
		}
		CommandAsyncExecutor executor = client.getCommandExecutor();
		if (this.sent.add(text)) {
			return run(executor, EVAL, text, keys, args, expiry, request);
		}
		return run(executor, EVALSHA, executor.getServiceManager().calcSHA(text), keys, args, expiry, request)
			.exceptionallyCompose((thrown) -> (StoreException.cause(thrown) instanceof RedisNoScriptException)
					? run(executor, EVAL, text, keys, args, expiry, request) : CompletableFuture.failedFuture(thrown));
	}

	private static CompletableFuture<Copied> run(CommandAsyncExecutor executor, RedisCommand<Object> command,
			String script, List<Object> keys, Object[] args, String expiry, CopiesRequest request) {
		NameMapper names = executor.getServiceManager().getNameMapper();
		String marker = names.map(keys.get(0).toString());
		long wait = request.timeout().toMillis();
		int waits = ((request.replicas() > 0) ? 1 : 0) + (request.asksForFiles() ? 1 : 0);
		CommandBatchService batch = new CommandBatchService(executor,
				BatchOptions.defaults()
					.retryAttempts(0)
					.responseTimeout(executor.getServiceManager().getConfig().getTimeout() + waits * wait,
							TimeUnit.MILLISECONDS));
		CompletableFuture<byte[]> reply = batch
			.<Object, byte[]>writeAsync(marker, BytesCodec.INSTANCE, command, words(script, keys, args, names))
			.toCompletableFuture();
		batch.writeAsync(marker, StringCodec.INSTANCE, RedisCommands.PEXPIRE, marker, expiry);
		CompletableFuture<Integer> replicas = (request.replicas() > 0) ? batch
			.<Integer, Integer>writeAsync(marker, StringCodec.INSTANCE, RedisCommands.WAIT, request.replicas(), wait)
			.toCompletableFuture() : CompletableFuture.completedFuture(0);
		CompletableFuture<List<Integer>> files = request.asksForFiles() ? batch
			.<List<Integer>, List<Integer>>writeAsync(marker, StringCodec.INSTANCE, RedisCommands.WAITAOF, 1,
					request.files(), wait)
			.toCompletableFuture() : CompletableFuture.completedFuture(List.of(0, 0));
		return batch.executeAsync().toCompletableFuture().handle((done, thrown) -> {
			String problem = (thrown != null) ? problem(reply, StoreException.cause(thrown)) : null;
			List<Integer> filed = given(files, List.of(0, 0));
			return new Copied(reply.join(), new Copies(given(replicas, 0), filed.get(0) > 0, filed.get(1), problem));
		});
	}

	private static Object[] words(String script, List<Object> keys, Object[] args, NameMapper names) {
		List<Object> words = new ArrayList<>(2 + keys.size() + args.length);
		words.add(script);
		words.add(keys.size());
		for (Object key : keys) {
			words.add((key instanceof String name) ? names.map(name) : key);
		}
		words.addAll(Arrays.asList(args));
		return words.toArray();
	}

	/**
	 * Returns why Redis cannot count the copies, although it ran the script.
	 * @throws CompletionException if it is to be asked again, or did not run it
	 */
	private static String problem(CompletableFuture<?> reply, Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		boolean hasRun = reply.isDone() && !reply.isCompletedExceptionally();
		if (!hasRun || !(failure instanceof RedisException)) {
			throw new CompletionException(reply.isCompletedExceptionally()
					? StoreException.cause(reply.handle((r, ex) -> ex).join()) : failure);
		}
		if (message.startsWith("UNBLOCKED")) {
			throw new CompletionException(new RedisRetryException(message));
		}
		if (RedisFailures.isPassing(failure) && !message.contains(NO_FILE)) {
			throw new CompletionException(failure);
		}
		return message.split("\\. channel: ", 2)[0];
	}

	private static <T> T given(CompletableFuture<T> future, T instead) {
		return (future.isDone() && !future.isCompletedExceptionally()) ? future.join() : instead;
	}

	/**
	 * The reply of a script, and the copies of what it wrote.
	 *
	 * @param words the reply
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
	record Copied(byte[] words, Copies copies) {

	}

}
