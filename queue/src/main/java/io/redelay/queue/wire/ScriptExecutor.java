package io.redelay.queue.wire;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.CopiesRequest;

/**
 * Where scripts run: Redis, or in tests a fault before it, or a simulation.
 */
interface ScriptExecutor extends AutoCloseable {

	/**
	 * Returns whether the keys of a request must be in one slot.
	 */
	boolean isClustered();

	/**
	 * Runs a script.
	 * @param what the action, for the messages of exceptions
	 * @return its reply: bytes if it {@linkplain Script#repliesInWords replies in words},
	 * else a list
	 */
	CompletableFuture<?> run(String what, Script script, List<Object> keys, Object[] args);

	/**
	 * Runs a script when it may run. The time until then is a part of that for which the
	 * request is repeated.
	 * @param pass completes when it may run
	 * @param what the action, for the messages of exceptions
	 */
	default CompletableFuture<?> runAfter(CompletableFuture<Void> pass, String what, Script script, List<Object> keys,
			Object[] args) {
		return pass.thenCompose((passed) -> run(what, script, keys, args));
	}

	/**
	 * Runs a script that replies in words, and waits for copies of what it writes.
	 * @param what the action, for the messages of exceptions
	 * @param keys its keys; under the first one the script remembers the request
	 * @param expiry in how long that key is to expire at least, ms
	 */
	CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys, Object[] args,
			String expiry, CopiesRequest copies);

	/**
	 * Does the same when it may run, as {@link #runAfter}.
	 * @param pass completes when it may run
	 */
	default CompletableFuture<CopyingScript.Copied> runAndCopyAfter(CompletableFuture<Void> pass, String what,
			Script script, List<Object> keys, Object[] args, String expiry, CopiesRequest copies) {
		return pass.thenCompose((passed) -> runAndCopy(what, script, keys, args, expiry, copies));
	}

	/**
	 * Lets threads that wait for a reply send messages themselves.
	 * @param connections on how many connections at most
	 */
	default void useCallers(int connections) {
	}

	/**
	 * Stops repeating: a request that waits to be sent again fails.
	 */
	@Override
	void close();

}
