package io.redelay.queue.bundle.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.PendingMember;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.BundleScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import org.apache.commons.logging.Log;

/**
 * Cancels the messages of a bundle that have not ended, where they are. A note in the
 * outbox of the callback's queue requests it. The note stays until all of them are
 * cancelled, or a minute is over. Messages that reach their queue later, because it took
 * no messages, are cancelled by {@link BundleSweeper}. Repeating a cancellation changes
 * nothing.
 * <p>
 * Safe for use by many threads. No method blocks.
 *
 * @since 0.1.0
 */
public final class BundleCancellation implements OutboxNoteHandler {

	/**
	 * The kind of its notes: the queue of the callback, a byte 0, the id of the bundle.
	 */
	public static final char KIND = 'c';

	/**
	 * For how long a note stays while messages are still on the way to their queues.
	 */
	private static final Duration LONGEST = Duration.ofMinutes(1);

	private static final Set<MessageState> LIVING = Set.of(MessageState.SCHEDULED, MessageState.READY,
			MessageState.IN_FLIGHT);

	private static final Log logger = PlainLog.of(BundleCancellation.class);

	private final BundleScripts scripts;

	private final RequestBatchers<MessageCommand, CommandReply> commands;

	private final Uids uids = new Uids();

	/**
	 * Creates a handler.
	 * @param store where bundles and the queues of their messages are
	 */
	public BundleCancellation(AdminScripts store) {
		this.scripts = store.bundles();
		this.commands = store.steer().batchers();
	}

	@Override
	public char kind() {
		return KIND;
	}

	@Override
	public String target(OutboxNote note) {
		return fields(note)[0];
	}

	private static String[] fields(OutboxNote note) {
		return new String(note.text(), StandardCharsets.UTF_8).split("\0", 2);
	}

	@Override
	public CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes) {
		Map<String, List<OutboxNote>> byBundle = new LinkedHashMap<>();
		List<OutboxNote> done = new ArrayList<>();
		for (OutboxNote note : notes) {
			String[] fields = fields(note);
			if (fields.length == 2) {
				byBundle.computeIfAbsent(fields[1], (bundle) -> new ArrayList<>()).add(note);
			}
			else {
				logger.warn("The outbox of the queue '" + queue + "' has a note '" + note.id()
						+ "' on a bundle that cannot be read, and is removed");
				done.add(note);
			}
		}
		return Relayed.all(done, byBundle.entrySet()
			.stream()
			.map((entry) -> cancel(queue, entry.getKey(), entry.getValue()).handle((whole, failure) -> (failure != null)
					? Relayed.failed(failure) : new Relayed(whole ? entry.getValue() : List.of(), null)))
			.toList());
	}

	/**
	 * Cancels messages that have not ended.
	 * @return whether the notes are done
	 */
	private CompletableFuture<Boolean> cancel(String queue, String bundle, List<OutboxNote> notes) {
		return this.scripts.bundles().find(queue, bundle).thenCompose((page) -> {
			if (page.bundles().isEmpty()) {
				return CompletableFuture.completedFuture(true);
			}
			boolean over = notes.stream().allMatch((note) -> isOver(note, page.time()));
			AtomicBoolean complete = new AtomicBoolean(true);
			BundleMembership membership = new BundleMembership(queue, bundle);
			return new PendingMembersWalk(this.scripts.bundles(), queue, bundle, (memberQueue,
					members) -> this.scripts.bundles().missing(memberQueue, members).thenCompose((missing) -> {
						if (!missing.members().isEmpty()) {
							complete.set(false);
						}
						return cancel(membership, memberQueue, members, missing.members());
					}))
				.go()
				.thenApply((gone) -> over || complete.get());
		});
	}

	private static boolean isOver(OutboxNote note, Instant now) {
		long noted = Long.parseLong(note.id().substring(0, note.id().indexOf('-')));
		return now.toEpochMilli() - noted > LONGEST.toMillis();
	}

	/**
	 * Cancels messages that a queue has.
	 * @param members some messages of the queue
	 * @param missing those of them that it does not have
	 */
	CompletableFuture<Void> cancel(BundleMembership bundle, String memberQueue, List<PendingMember> members,
			List<PendingMember> missing) {
		Set<PendingMember> notThere = new HashSet<>(missing);
		List<MessageCommand> cancels = members.stream()
			.filter((member) -> !notThere.contains(member))
			.map((member) -> new MessageCommand(MessageCommand.Action.CANCEL,
					member.id().isEmpty() ? member.uid() : member.id(), bundle.beginning(member.uid()),
					this.uids.next(), LIVING))
			.toList();
		if (cancels.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		return CommandBatcher.send(cancels, (some) -> this.commands.submit(memberQueue, some, true))
			.thenApply((results) -> null);
	}

}
