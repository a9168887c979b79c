package io.redelay.queue.script;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The lists of the names of queues and topics.
 *
 * @param runner runs the script
 */
public record NameLists(ScriptRunner runner) {

	public static final String QUEUES = "queues";

	/**
	 * The queues whose messages were ever packed.
	 */
	public static final String FAR = "far";

	/**
	 * The names that a Redis has in the database of cold messages: one, or a few if
	 * several instances gave it one at once.
	 */
	public static final String COLD = "cold";

	static final String TOPICS = "topics";

	public static final String EXPIRING = "expiring";

	/**
	 * The queues where bundles were ever opened.
	 */
	public static final String BUNDLED = "bundled";

	/**
	 * Adds a queue to the list of all; safe to repeat.
	 */
	public CompletableFuture<Void> addQueue(String queue) {
		return add("Registering the queue '" + queue + "'", QUEUES, queue);
	}

	/**
	 * Adds a name; safe to repeat.
	 * @param what the action, for the messages of exceptions
	 */
	public CompletableFuture<Void> add(String what, String list, String name) {
		return this.runner.runOnKey(Script.REGISTER, list, what, (reply) -> null, name);
	}

	CompletableFuture<Void> remove(String list, String name) {
		return remove("Taking '" + name + "' off the list", list, name);
	}

	/**
	 * Removes a name; safe to repeat.
	 * @param what the action, for the messages of exceptions
	 */
	public CompletableFuture<Void> remove(String what, String list, String name) {
		return this.runner.runOnKey(Script.UNREGISTER, list, what, (reply) -> null, name);
	}

	/**
	 * Reads all names of a list.
	 * @param what the action, for the messages of exceptions
	 */
	public CompletableFuture<Set<String>> read(String what, String list) {
		return this.runner.runOnKey(Script.QUEUES, list, what, (reply) -> new TreeSet<>(reply.texts()));
	}

}
