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
	 * Runs a script that replies in words, and waits for copies of what it writes.
	 * @param what the action, for the messages of exceptions
	 * @param keys its keys; under the first one the script remembers the request
	 * @param expiry in how long that key is to expire at least, ms
	 */
	CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys, Object[] args,
			String expiry, CopiesRequest copies);

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
