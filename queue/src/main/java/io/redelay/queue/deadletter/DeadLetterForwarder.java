package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.DeathsScript;
import io.redelay.queue.script.admin.MessagePage;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the dead messages of a queue to another one, the oldest first. Each is marked,
 * copied under an id made from its uid, and removed. A crash in between loses no message,
 * and doubles none while the copy lives.
 * <p>
 * Of several instances, the one that marked a message forwards it. Another one does so
 * only after the mark has stood for longer than a lease, as that of a dead instance does.
 * <p>
 * Blocks; for use by one thread at a time.
 */
final class DeadLetterForwarder {

	private static final Log logger = PlainLog.of(DeadLetterForwarder.class);

	private static final int PAGE = 25;

	private final String queue;

	private final String target;

	private final long takeOverAfterNanos;

	private final DeadLetterRuntime runtime;

	private final AdminScripts store;

	private final EnvelopeCodec codec;

	private final FailedAttemptCodec attempts;

	private final CommandBatcher commands;

	private final RequestBatchers<NewMessage, SendReply> senders;

	private final Uids uids = new Uids();

	private final Set<String> unreadable = new HashSet<>();

	/**
	 * Earlier targets that messages are still marked for and that take none.
	 */
	private final Set<String> refusing = new HashSet<>();

	private Set<String> seenBefore = new HashSet<>();

	/**
	 * The messages marked by this instance and not forwarded yet.
	 */
	private final Set<String> ours = new HashSet<>();

	/**
	 * The messages marked by other instances, and when that was first seen.
	 */
	private final Map<String, Long> others = new HashMap<>();

	DeadLetterForwarder(String queue, String target, Duration takeOverAfter, DeadLetterRuntime runtime) {
		this.queue = queue;
		this.target = target;
		this.takeOverAfterNanos = takeOverAfter.toNanos();
		this.runtime = runtime;
		this.store = runtime.store();
		this.codec = runtime.codec();
		this.attempts = new FailedAttemptCodec(runtime.mapper());
		this.commands = this.store.steer().batcher(queue);
		this.senders = new RequestBatchers<>(
				(to) -> runtime.target().sends().protocol(to, new SendScripts.Terms(PAGE, LengthLimit.EXEMPT, null)),
				runtime.target().replayMemory());
	}

	/**
	 * Forwards the present dead messages.
	 * @param stopped whether to stop before the next page
	 * @return whether a message is left
	 */
	boolean pass(BooleanSupplier stopped) {
		Set<String> seen = new HashSet<>();
		long passedOver = 0;
		while (!stopped.getAsBoolean()) {
			long rest = await(this.store.count().run(this.queue)).messages().dead() - passedOver;
			int passed = 0;
			if (rest > 0) {
				MessagePage page = oldest(rest);
				page.messages().forEach((message) -> seen.add(message.uid()));
				passed = page.passed();
				passedOver += passed - forward(page.messages());
			}
			if (rest <= passed) {
				forgetAllBut(seen);
				return passedOver > 0;
			}
		}
		return true;
	}

	/**
	 * Reads the oldest ones, as many as may be read at once: the store lists the last one
	 * first, so they are at the end.
	 */
	private MessagePage oldest(long rest) {
		int size = (int) Math.min(PAGE, rest);
		List<String> uids = new ArrayList<>(
				await(new DeathsScript(this.store).run(this.queue, rest - size, size)).deaths()
					.stream()
					.map(DeathsScript.Death::uid)
					.toList());
		Collections.reverse(uids);
		return await(this.store.messages().find(this.queue, uids));
	}

	/**
	 * Messages that die during a pass may push others past it, so those seen by the
	 * previous pass are kept too.
	 */
	private void forgetAllBut(Set<String> seen) {
		Set<String> lately = new HashSet<>(seen);
		lately.addAll(this.seenBefore);
		this.unreadable.retainAll(lately);
		this.ours.retainAll(lately);
		this.others.keySet().retainAll(lately);
		this.seenBefore = seen;
	}

	private int forward(List<StoredMessage> page) {
		Map<String, List<DeadLetter>> marked = mark(read(page));
		int forwarded = 0;
		for (Map.Entry<String, List<DeadLetter>> each : marked.entrySet()) {
			if (takes(each.getKey(), each.getValue())) {
				remove(each.getValue());
				forwarded += each.getValue().size();
			}
		}
		return forwarded;
	}

	/**
	 * Sends letters to the queue that they are marked for. If that is not the present
	 * target and takes none, they stay and do not block others.
	 */
	private boolean takes(String to, List<DeadLetter> letters) {
		try {
			send(to, letters);
			this.refusing.remove(to);
			return true;
		}
		catch (StoreException ex) {
			if (to.equals(this.target) || StoreException.isAway(ex)) {
				throw ex;
			}
			if (this.refusing.add(to)) {
				logger.warn("Dead messages of the queue '" + this.queue + "' that were to go to the queue '" + to
						+ "' wait for it, which is tried again: " + ex.getMessage());
			}
			return false;
		}
	}

	private List<DeadLetter> read(List<StoredMessage> page) {
		List<DeadLetter> letters = new ArrayList<>(page.size());
		for (StoredMessage message : page) {
			if (message.state() != MessageState.DEAD) {
				continue;
			}
			try {
				letters.add(DeadLetter.read(PartitionName.queueOf(this.queue), message, this.uids.next(), this.codec,
						this.attempts));
			}
			catch (RuntimeException ex) {
				if (this.unreadable.add(message.uid())) {
					logger.warn("The dead message '" + message.uid() + "' of the queue '" + this.queue
							+ "' cannot be read, and stays there: " + ex.getMessage());
				}
			}
		}
		return letters;
	}

	/**
	 * Marks letters.
	 * @return the letters that this instance may forward, by the queue that they are
	 * marked for
	 */
	private Map<String, List<DeadLetter>> mark(List<DeadLetter> letters) {
		Map<String, List<DeadLetter>> marked = new LinkedHashMap<>();
		List<CommandReply.Result> marks = command(MessageCommand.Action.FORWARD, letters);
		for (int i = 0; i < letters.size(); i++) {
			String markedFor = marks.get(i).target();
			if (markedFor != null && isOurs(letters.get(i).uid(), marks.get(i))) {
				marked.computeIfAbsent(markedFor, (name) -> new ArrayList<>()).add(letters.get(i));
			}
		}
		return marked;
	}

	private boolean isOurs(String uid, CommandReply.Result mark) {
		if (mark.isDone()) {
			this.ours.add(uid);
		}
		long now = this.runtime.scheduler().nanoTime();
		return this.ours.contains(uid)
				|| now - this.others.computeIfAbsent(uid, (each) -> now) > this.takeOverAfterNanos;
	}

	private void send(String to, List<DeadLetter> letters) {
		LaneStatus status = await(this.senders.submit(to, letters.stream().map(DeadLetter::copy).toList(), true))
			.status();
		if (status != LaneStatus.OK) {
			throw new StoreException("The queue '" + to + "' takes none: it is " + status, null);
		}
	}

	private void remove(List<DeadLetter> letters) {
		command(MessageCommand.Action.FORWARDED, letters);
		letters.forEach((letter) -> {
			this.ours.remove(letter.uid());
			this.others.remove(letter.uid());
		});
	}

	private List<CommandReply.Result> command(MessageCommand.Action action, List<DeadLetter> letters) {
		if (letters.isEmpty()) {
			return List.of();
		}
		return await(this.commands.send(
				letters.stream().map((letter) -> new MessageCommand(action, letter.uid(), this.target, "")).toList()));
	}

	static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
		try {
			return future.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

}
