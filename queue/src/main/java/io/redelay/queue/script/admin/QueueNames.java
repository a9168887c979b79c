package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.script.NameLists;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * The registries of the names of queues, and the forgetting of queues that have nothing.
 * The registries and the queue are in several slots of a cluster, so it is done in steps.
 * In whatever order these and the steps of a sender run, a queue that has something stays
 * registered:
 * <ul>
 * <li>The name is removed from the registries first; then the queue is looked at and
 * deleted. A sender makes the key of a queue first and registers it then. So it registers
 * after the removal, or its key is found and the name is registered again.</li>
 * <li>Before that the name is recorded as being forgotten, so that another instance goes
 * on if this one dies in between.</li>
 * </ul>
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record QueueNames(ScriptRunner runner) {

	/**
	 * The queues that are being forgotten, each with the instance that forgets it.
	 */
	private static final String FORGETTING = "forgetting";

	/**
	 * How long a look is remembered beyond the time that a queue is to have had nothing.
	 */
	private static final Duration REMEMBERED = Duration.ofDays(1);

	static final List<String> REGISTRIES = List.of(NameLists.EXPIRING, NameLists.BUNDLED, NameLists.FAR,
			NameLists.QUEUES);

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	/**
	 * Returns the names of all queues that were ever used and not deleted since.
	 * @return the names, in alphabetical order
	 */
	public CompletableFuture<Set<String>> queues() {
		return new NameLists(this.runner).read("Listing the queues", NameLists.QUEUES);
	}

	/**
	 * Returns the names of the queues to which messages with a time to live were ever
	 * sent.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> expiring() {
		return new NameLists(this.runner).read("Listing the queues of messages with a time to live",
				NameLists.EXPIRING);
	}

	/**
	 * Returns the names of the queues whose messages were ever packed.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> far() {
		return new NameLists(this.runner).read("Listing the queues with packed messages", NameLists.FAR);
	}

	/**
	 * Registers a queue whose messages are packed, so that all instances bring them near.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> registerFar(String queue) {
		return new NameLists(this.runner).add("Registering the queue '" + queue + "' for its packed messages",
				NameLists.FAR, queue);
	}

	/**
	 * Returns the names that this Redis has in the database of cold messages. They are in
	 * Redis, so that one that has lost its data, or another one, never counts as the
	 * owner of what it does not know.
	 * @return the names, none if it has not used such a database
	 */
	public CompletableFuture<Set<String>> coldOwners() {
		return new NameLists(this.runner).read("Reading the name in the database of cold messages", NameLists.COLD);
	}

	/**
	 * Gives this Redis a name in the database of cold messages.
	 * @param name the name
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> addColdOwner(String name) {
		return new NameLists(this.runner).add("Writing the name in the database of cold messages", NameLists.COLD,
				name);
	}

	/**
	 * Takes or prolongs the turn for an action that one instance does for all.
	 * @param what the purpose of the turn
	 * @param owner the one that takes it
	 * @param duration how long it lasts
	 * @return whether it is the turn of the owner
	 */
	public CompletableFuture<Boolean> takeTurn(String what, String owner, Duration duration) {
		return this.runner.runOnKey(Script.TAKE_TURN, "turn:" + what, "Taking the turn for " + what, ReplyReader::flag,
				owner, ScriptTime.millis(duration));
	}

	/**
	 * Registers a queue, so that all instances find it.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> register(String queue) {
		return new NameLists(this.runner).addQueue(queue);
	}

	/**
	 * Looks whether a queue has nothing, and notes that. A later send opens its lane
	 * anew.
	 * @param queue the queue, as the store knows it
	 * @param duration for how long it is to have had nothing
	 * @return what it has
	 */
	public CompletableFuture<Look> look(String queue, Duration duration) {
		return run(queue, "LOOK", duration).thenApply(Look::valueOf);
	}

	private CompletableFuture<String> run(String queue, String what, Duration duration) {
		return this.runner.run("Looking whether the queue '" + queue + "' has nothing", Script.FORGET_QUEUE,
				this.runner.keys(queue).of(Script.FORGET_QUEUE), new Object[] { what, ScriptTime.millis(duration),
						ScriptTime.millis(duration.plus(duration).plus(REMEMBERED)) },
				ReplyReader::text);
	}

	/**
	 * Forgets a queue, unless one of its partitions has an entry or a sender meanwhile.
	 * The next use of the queue registers it again.
	 * @param begun the queue, and the instance that began to forget it: the owner, or
	 * another one that has died
	 * @param partitions the names that the store has for its partitions
	 * @param owner the instance that forgets it
	 * @return whether it was forgotten, and this call ended what was begun
	 */
	public CompletableFuture<Boolean> forget(Begun begun, List<String> partitions, String owner) {
		String what = "Forgetting the queue '" + begun.queue() + "'";
		String own = text(new Begun(begun.queue(), owner));
		return run(what, Script.REGISTER, FORGETTING, own)
			.thenCompose((noted) -> onRegistries(what, Script.UNREGISTER, partitions))
			.thenCompose((unregistered) -> forgetAll(partitions))
			.thenCompose((forgotten) -> (forgotten ? DONE : onRegistries(what, Script.REGISTER, partitions))
				.thenCompose((done) -> run(what, Script.UNREGISTER, FORGETTING, text(begun)))
				.thenCompose((ended) -> run(what, Script.UNREGISTER, FORGETTING, own)
					.thenApply((done) -> forgotten && ended.equals(ScriptWords.YES))));
	}

	private static String text(Begun begun) {
		return begun.queue() + " " + begun.owner();
	}

	private CompletableFuture<Void> onRegistries(String what, Script script, List<String> partitions) {
		List<String[]> steps = new ArrayList<>();
		partitions
			.forEach((partition) -> REGISTRIES.forEach((registry) -> steps.add(new String[] { registry, partition })));
		return QueueRound.each(steps, (step) -> run(what, script, step[0], step[1]).thenApply((done) -> null));
	}

	private CompletableFuture<Boolean> forgetAll(List<String> partitions) {
		CompletableFuture<Boolean> forgotten = CompletableFuture.completedFuture(true);
		for (String partition : partitions) {
			forgotten = forgotten
				.thenCompose((before) -> before ? run(partition, "FORGET", Duration.ZERO).thenApply("FORGOTTEN"::equals)
						: CompletableFuture.completedFuture(false));
		}
		return forgotten;
	}

	private CompletableFuture<String> run(String what, Script script, String registry, String name) {
		return this.runner.runOnKey(script, registry, what, ReplyReader::text, name);
	}

	/**
	 * Returns the queues whose forgetting was begun and not ended. If that instance died,
	 * the queue is in no registry although it may have messages by now.
	 * @return the queues, each with its instance
	 */
	public CompletableFuture<List<Begun>> begun() {
		return this.runner.runOnKey(Script.QUEUES, FORGETTING, "Listing the queues that are being forgotten",
				(reply) -> reply.list((each) -> {
					String[] words = each.text().split(" ", 2);
					return new Begun(words[0], (words.length > 1) ? words[1] : "");
				}));
	}

	/**
	 * The record that a queue is being forgotten.
	 *
	 * @param queue the queue
	 * @param owner the instance that began it
	 */
	public record Begun(String queue, String owner) {

	}

	/**
	 * The results of a look at a queue.
	 */
	public enum Look {

		/**
		 * It has messages, a consumer, settings or history.
		 */
		USED,

		/**
		 * It has nothing, not for long enough.
		 */
		IDLE,

		/**
		 * It has had nothing for long enough.
		 */
		DUE

	}

}
