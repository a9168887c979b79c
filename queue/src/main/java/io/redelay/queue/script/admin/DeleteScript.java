package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptWords;

/**
 * Deletes queues.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record DeleteScript(AdminScripts admin) {

	/**
	 * Looks which recurring messages of a queue have not ended.
	 * @return their names
	 */
	public CompletableFuture<Set<String>> recurring(String queue) {
		return this.admin.deletions().recurring(queue).thenApply(Map::keySet);
	}

	/**
	 * Returns whether a queue has nothing for which its deletion would be refused.
	 */
	public CompletableFuture<Boolean> isEmpty(String queue) {
		return recurring(queue)
			.thenCompose((names) -> names.isEmpty() ? delete(queue, "look") : CompletableFuture.completedFuture(false));
	}

	/**
	 * Deletes a queue. If that is refused, the queue is as it was: no registry has lost
	 * its name.
	 * @param evenIfNotEmpty whether to delete it although it has messages
	 * @return whether it was deleted
	 */
	public CompletableFuture<Boolean> run(String queue, boolean evenIfNotEmpty) {
		if (!evenIfNotEmpty) {
			return isEmpty(queue).thenCompose(
					(empty) -> empty ? delete(queue, false, Map.of()) : CompletableFuture.completedFuture(false));
		}
		return this.admin.deletions().recurring(queue).thenCompose((recurring) -> delete(queue, true, recurring));
	}

	private CompletableFuture<Boolean> delete(String queue, boolean evenIfNotEmpty, Map<String, Long> recurring) {
		return unregister(queue)
			.thenCompose((registries) -> delete(queue, ScriptWords.flag(evenIfNotEmpty)).thenCompose((deleted) -> {
				if (!deleted) {
					return register(queue, registries.iterator());
				}
				this.admin.deletions().deleted(queue, recurring);
				return this.admin.restoreTicks(queue).thenApply((looked) -> true);
			}));
	}

	private CompletableFuture<Boolean> delete(String queue, String how) {
		return this.admin.runner()
			.run(deleting(queue), Script.DELETE, this.admin.runner().keys(queue).of(Script.DELETE),
					new Object[] { how, this.admin.wakePrefix(), ScriptWords.DELETION_MILLIS },
					(reply) -> reply.text().equals("OK"));
	}

	/**
	 * Removes a queue from the registries before it is deleted: a send after the deletion
	 * registers it again, and that must not be undone.
	 * @return the keys of the registries that had it
	 */
	private CompletableFuture<List<String>> unregister(String queue) {
		List<String> had = new ArrayList<>();
		CompletableFuture<?> last = CompletableFuture.completedFuture(null);
		for (String registry : QueueNames.REGISTRIES) {
			last = last.thenCompose((done) -> this.admin.runner()
				.runOnKey(Script.UNREGISTER, registry, deleting(queue),
						(reply) -> reply.flag() ? had.add(registry) : had.contains(registry), queue));
		}
		return last.thenApply((done) -> had);
	}

	/**
	 * Registers a queue again that was sent to since the look at it.
	 * @return {@code false}: it was not deleted
	 */
	private CompletableFuture<Boolean> register(String queue, Iterator<String> registries) {
		return registries.hasNext() ? this.admin.runner()
			.runOnKey(Script.REGISTER, registries.next(), deleting(queue), (reply) -> false, queue)
			.thenCompose((done) -> register(queue, registries)) : CompletableFuture.completedFuture(false);
	}

	private static String deleting(String queue) {
		return "Deleting the queue '" + queue + "'";
	}

	/**
	 * Called before and after the deletion of a queue, which removes its recurring
	 * messages too.
	 * <p>
	 * Safe for use by many threads. No method blocks.
	 */
	public interface Watch {

		/**
		 * Knows of no recurring messages.
		 */
		Watch NONE = new Watch() {

			@Override
			public CompletableFuture<Map<String, Long>> recurring(String queue) {
				return CompletableFuture.completedFuture(Map.of());
			}

			@Override
			public void deleted(String queue, Map<String, Long> recurring) {
			}

		};

		/**
		 * Looks which recurring messages of a queue have not ended, paused ones included.
		 * @param queue the queue
		 * @return their next ticks by their names, 0 if there is none
		 */
		CompletableFuture<Map<String, Long>> recurring(String queue);

		/**
		 * Called when a queue was deleted, and its recurring messages with it.
		 * @param queue the queue
		 * @param recurring the result of {@link #recurring} before the deletion
		 */
		void deleted(String queue, Map<String, Long> recurring);

	}

}
