package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.PendingMember;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Asks which messages of bundles a queue no longer has.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record BundledScript(ScriptRunner runner) {

	/**
	 * Asks which messages a queue no longer has.
	 * @param queue the name that the store has for a partition of the queue
	 * @param members at most 500 of them
	 * @return those
	 */
	public CompletableFuture<PendingMembers> run(String queue, List<PendingMember> members) {
		List<Object> args = new ArrayList<>(2 * members.size());
		members.forEach((member) -> args.addAll(List.of(member.uid(), member.id())));
		return this.runner.run(Script.BUNDLED, queue, "Looking for messages of bundles in", (reply) -> {
			reply.text();
			boolean relaying = reply.flag();
			return new PendingMembers(reply.list((each) -> members.get((int) each.number())), relaying);
		}, args.toArray());
	}

}
