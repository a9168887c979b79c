package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.PendingMember;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Asks which messages of bundles a queue no longer has.
 *
 * @since 0.1.0
 */
public final class BundledScript {

	private final ScriptRunner runner;

	BundledScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Asks which messages a queue no longer has.
	 * @param queue the name that the store has for a partition of the queue
	 * @param members at most 500 of them
	 * @return those
	 */
	public CompletableFuture<PendingMembers> run(String queue, List<PendingMember> members) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(2 * members.size());
		members.forEach((member) -> args.addAll(List.of(member.uid(), member.id())));
		return this.runner.run("Looking for messages of bundles in the queue '" + queue + "'", Script.BUNDLED,
				keys.of(Script.BUNDLED), args.toArray(), (reply) -> {
					reply.text();
					boolean relaying = reply.flag();
					List<PendingMember> missing = new ArrayList<>();
					while (reply.hasNext()) {
						missing.add(members.get((int) reply.number()));
					}
					return new PendingMembers(missing, relaying);
				});
	}

}
