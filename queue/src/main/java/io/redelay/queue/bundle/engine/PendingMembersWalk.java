package io.redelay.queue.bundle.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.PendingMember;
import io.redelay.queue.script.admin.BundlesScript;
import io.redelay.queue.script.admin.QueueRound;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the messages of a bundle that have not ended, a page at a time and the
 * messages of each queue together.
 */
record PendingMembersWalk(BundlesScript bundles, String queue, String bundle, Visitor visitor) {

	CompletableFuture<Void> go() {
		return go(null);
	}

	private CompletableFuture<Void> go(@Nullable PendingMember after) {
		return this.bundles.pending(this.queue, this.bundle, after).thenCompose((pending) -> {
			if (pending.members().isEmpty() || !this.visitor.begins(pending)) {
				return CompletableFuture.completedFuture(null);
			}
			Map<String, List<PendingMember>> byQueue = new LinkedHashMap<>();
			pending.members()
				.forEach((member) -> byQueue.computeIfAbsent(member.queue(), (name) -> new ArrayList<>()).add(member));
			PendingMember last = pending.members().get(pending.members().size() - 1);
			return QueueRound.each(byQueue.entrySet(), (entry) -> this.visitor.visit(entry.getKey(), entry.getValue()))
				.thenCompose((done) -> go(last));
		});
	}

	/**
	 * Visits messages.
	 */
	interface Visitor {

		/**
		 * Whether this page and later ones are visited.
		 */
		default boolean begins(BundlesScript.PendingMembers page) {
			return true;
		}

		/**
		 * Visits the messages of one queue.
		 */
		CompletableFuture<Void> visit(String memberQueue, List<PendingMember> members);

	}

}
