package io.redelay.queue.script;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The lists of the names of queues and topics.
 */
public final class NameLists {

	static final String QUEUES = "queues";

	static final String TOPICS = "topics";

	static final String EXPIRING = "expiring";

	/**
	 * The queues where bundles were ever opened.
	 */
	public static final String BUNDLED = "bundled";

	private final ScriptRunner runner;

	NameLists(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Adds a name; safe to repeat.
	 */
	CompletableFuture<Void> add(String list, String name) {
		return add("Registering '" + name + "'", list, name);
	}

	/**
	 * Adds a name; safe to repeat.
	 * @param what the action, for the messages of exceptions
	 */
	CompletableFuture<Void> add(String what, String list, String name) {
		return this.runner.run(what, Script.REGISTER, List.of(this.runner.key(list)), new Object[] { name },
				(reply) -> null);
	}

	CompletableFuture<Void> remove(String list, String name) {
		return this.runner.run("Taking '" + name + "' off the list", Script.UNREGISTER, List.of(this.runner.key(list)),
				new Object[] { name }, (reply) -> null);
	}

	/**
	 * Reads all names of a list.
	 * @param what the action, for the messages of exceptions
	 */
	CompletableFuture<Set<String>> read(String what, String list) {
		return this.runner.run(what, Script.QUEUES, List.of(this.runner.key(list)), new Object[0], (reply) -> {
			Set<String> names = new TreeSet<>();
			while (reply.hasNext()) {
				names.add(reply.text());
			}
			return names;
		});
	}

}
