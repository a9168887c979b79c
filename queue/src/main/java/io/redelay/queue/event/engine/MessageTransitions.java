package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredWork;
import io.redelay.queue.message.UnhandledEnd;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObserver;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.WorkReply;
import io.redelay.queue.script.WorkRequest;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Finds the moves of messages in the store's requests and replies, and publishes them to
 * listeners. Without a listener nothing is created or remembered.
 * <p>
 * A claim and the send of a message that it brings are answered on different connections,
 * so the answer to the claim may come first. The move of the send is then published
 * before that of the claim, which proves it.
 * <p>
 * Safe for use by many threads.
 */
final class MessageTransitions implements ScriptObserver {

	private static final Log logger = PlainLog.of(MessageTransitions.class);

	/**
	 * For how many held messages, and for how many scheduled ones, the id is remembered.
	 * Events of other messages have the uid only.
	 */
	private static final int MAX_REMEMBERED = 50_000;

	private final ScriptObservers observers;

	private final List<Consumer<Move>> sinks = new CopyOnWriteArrayList<>();

	private final Object lock = new Object();

	/**
	 * The moves of sends that are not answered. An entry is removed when its move is
	 * published.
	 */
	private final Map<String, Move> sending = new HashMap<>();

	private final Map<String, Held> held = new Remembered<>();

	/**
	 * The ids of scheduled messages that this instance sent.
	 */
	private final Map<String, String> scheduled = new Remembered<>();

	/**
	 * Creates it.
	 * @param observers the list in which this is while it has listeners
	 */
	MessageTransitions(ScriptObservers observers) {
		this.observers = observers;
	}

	synchronized void add(Consumer<Move> sink) {
		this.sinks.add(sink);
		if (this.sinks.size() == 1) {
			this.observers.add(this);
		}
	}

	synchronized void remove(Consumer<Move> sink) {
		if (this.sinks.remove(sink) && this.sinks.isEmpty()) {
			this.observers.remove(this);
			synchronized (this.lock) {
				this.sending.clear();
				this.held.clear();
				this.scheduled.clear();
			}
		}
	}

	@Override
	public boolean needsSends() {
		return true;
	}

	@Override
	public boolean needsMoves() {
		return true;
	}

	@Override
	public void sending(String queue, SendRequest request) {
		if (!request.again()) {
			guarded(() -> request.messages()
				.forEach(
						(message) -> this.sending.put(key(queue, message.uid()), sent(queue, message, Instant.EPOCH))));
		}
	}

	@Override
	public void called(ScriptCall call) {
		guarded(() -> {
			if (call instanceof ScriptCall.Send send) {
				sent(send);
			}
			else if (call instanceof ScriptCall.Claim claim && claim.reply().status() == LaneStatus.OK) {
				claimed(claim.queue(), claim.request(), claim.reply());
			}
			else if (call instanceof ScriptCall.Work work && work.reply().status() == LaneStatus.OK) {
				worked(work.queue(), work.request(), work.reply());
			}
			else if (call instanceof ScriptCall.Steer steer && steer.reply().status() == LaneStatus.OK) {
				commanded(steer);
			}
			else if (call instanceof ScriptCall.Refusal refusal) {
				refusal.dead()
					.forEach((each) -> publish(new Move(MessageEvent.Type.DEAD, refusal.queue(), each.uid(), each.uid(),
							refusal.time(), 0, null, Move.Detail.of(each.cause()))));
			}
			else if (call instanceof ScriptCall.Removal removal) {
				removal.uids()
					.forEach((uid) -> publish(new Move(MessageEvent.Type.REMOVED, removal.queue(), uid, uid,
							removal.time(), 0, null, Move.Detail.of(removal.cause()))));
			}
		});
	}

	private void sent(ScriptCall.Send send) {
		String queue = send.queue();
		SendRequest request = send.request();
		SendReply reply = send.reply();
		if (request.again()) {
			return;
		}
		List<@Nullable Move> early = new ArrayList<>();
		for (NewMessage message : request.messages()) {
			early.add(this.sending.remove(key(queue, message.uid())));
		}
		if (reply == null || reply.status() != LaneStatus.OK) {
			return;
		}
		for (int i = 0; i < early.size(); i++) {
			SendReply.Fate fate = reply.fates().get(i);
			if (early.get(i) != null && isAdded(fate)) {
				NewMessage message = request.messages().get(i);
				Move move = sent(queue, message, reply.time());
				if (move.due() != null && message.id() != null) {
					this.scheduled.put(key(queue, message.uid()), message.id());
				}
				publish(move);
			}
			if (fate != null && fate.outcome() == SendOutcome.REPLACED) {
				publish(new Move(MessageEvent.Type.REMOVED, queue, fate.other(), null, reply.time(), 0, null,
						Move.Detail.of("Replaced")));
			}
		}
		for (String uid : reply.dropped()) {
			publish(new Move(MessageEvent.Type.REMOVED, queue, uid, uid, reply.time(), 0, null,
					Move.Detail.of("Dropped to make room")));
		}
	}

	private static boolean isAdded(SendReply.@Nullable Fate fate) {
		return fate == null || fate.outcome() == SendOutcome.ADDED || fate.outcome() == SendOutcome.REPLACED;
	}

	private static Move sent(String queue, NewMessage message, Instant time) {
		return new Move(MessageEvent.Type.SENT, queue, id(message.id(), message.uid()), message.uid(), time, 0,
				due(message.delay(), message.dueAt(), time), null);
	}

	private static @Nullable Instant due(@Nullable Duration delay, @Nullable Instant dueAt, Instant time) {
		if (dueAt != null) {
			return dueAt.isAfter(time) ? dueAt : null;
		}
		return (delay != null && !delay.isZero() && !time.equals(Instant.EPOCH)) ? time.plus(delay) : null;
	}

	private void claimed(String queue, ClaimRequest request, ClaimReply reply) {
		for (Settlement settlement : request.settlements()) {
			if (!reply.refused().contains(settlement.uid())) {
				boolean cancelled = reply.moves().cancelled().contains(settlement.uid());
				settled(queue, cancelled ? Settlement.cancel(settlement.uid(), settlement.claim(), null) : settlement,
						reply.time());
			}
		}
		publishCancelled(queue, request, reply);
		Map<String, ClaimReply.Message> claimed = reply.moves().ready().isEmpty() ? Map.of()
				: reply.messages()
					.stream()
					.collect(Collectors.toMap(ClaimReply.Message::uid, Function.identity(), (message, later) -> later));
		for (String uid : reply.moves().cameBack()) {
			moved(MessageEvent.Type.RELEASED, queue, uid, reply.time(), null, "Its instance died");
		}
		for (String uid : reply.moves().ready()) {
			moved(MessageEvent.Type.READY, queue, uid, reply.time(), claimed.get(uid), null);
		}
		for (ClaimReply.Message message : reply.messages()) {
			delivered(queue, message, reply.time());
		}
	}

	/**
	 * Publishes the ends of messages that a dead lane held and that were cancelled.
	 */
	private void publishCancelled(String queue, ClaimRequest request, ClaimReply reply) {
		if (reply.moves().cancelled().isEmpty()) {
			return;
		}
		Set<String> settled = request.settlements().stream().map(Settlement::uid).collect(Collectors.toSet());
		for (String uid : reply.moves().cancelled()) {
			if (!settled.contains(uid)) {
				Held held = known(this.held.remove(key(queue, uid)), uid);
				publish(new Move(MessageEvent.Type.CANCELLED, queue, held.id(), uid, reply.time(), held.attempt(), null,
						Move.Detail.of("Its instance died")));
			}
		}
	}

	/**
	 * Publishes that a message became ready or came back.
	 * @param claimed the message, if the same reply brought it
	 */
	private void moved(MessageEvent.Type type, String queue, String uid, Instant time,
			ClaimReply.@Nullable Message claimed, @Nullable String cause) {
		provenSent(queue, uid, time);
		String id = this.scheduled.remove(key(queue, uid));
		Held known = this.held.get(key(queue, uid));
		if (claimed != null) {
			id = EnvelopeCodec.id(claimed.envelope());
		}
		else if (known != null) {
			id = known.id();
		}
		publish(new Move(type, queue, id(id, uid), uid, time, 0, null, Move.Detail.of(cause)));
	}

	/**
	 * Publishes the send of a message that has moved since, if its answer did not come
	 * yet.
	 */
	private void provenSent(String queue, String uid, Instant time) {
		Move early = this.sending.remove(key(queue, uid));
		if (early != null) {
			publish(new Move(early.type(), early.queue(), early.id(), early.uid(), time, 0, null, null));
		}
	}

	private void delivered(String queue, ClaimReply.Message message, Instant time) {
		provenSent(queue, message.uid(), time);
		String id = id(EnvelopeCodec.id(message.envelope()), message.uid());
		int attempt = message.failures() + message.crashes() + 1;
		this.held.put(key(queue, message.uid()), new Held(id, attempt));
		publish(new Move(MessageEvent.Type.DELIVERED, queue, id, message.uid(), time, attempt, null, null));
	}

	private void settled(String queue, Settlement settlement, Instant time) {
		String key = key(queue, settlement.uid());
		boolean ends = settlement.isEnd() || settlement.action() == Settlement.Action.BURY;
		Held held = known(ends ? this.held.remove(key) : this.held.get(key), settlement.uid());
		Instant due = settlement.delay().isZero() ? null : time.plus(settlement.delay());
		UnhandledEnd otherwise = UnhandledEnd.of(settlement);
		String cause = (otherwise != null) ? otherwise.cause() : settlement.cause();
		MessageEvent.Type type = switch (settlement.action()) {
			case ACK, DONE -> settlement.isExpiry() ? MessageEvent.Type.EXPIRED : done(otherwise);
			case RETRY -> MessageEvent.Type.RETRIED;
			case GIVE_BACK, WAIT -> MessageEvent.Type.RELEASED;
			case BURY -> MessageEvent.Type.DEAD;
			case CANCEL -> MessageEvent.Type.CANCELLED;
		};
		boolean failed = type == MessageEvent.Type.RETRIED || type == MessageEvent.Type.DEAD;
		publish(new Move(type, queue, held.id(), settlement.uid(), time, held.attempt(), due,
				(failed && !cause.isEmpty()) ? Move.Detail.of(cause) : null));
	}

	/**
	 * How a message that is done for Redis ended: it may have died, and moved to a
	 * dead-letter queue of its own.
	 */
	private static MessageEvent.Type done(@Nullable UnhandledEnd otherwise) {
		if (otherwise == null) {
			return MessageEvent.Type.ACKNOWLEDGED;
		}
		return otherwise.isExpiry() ? MessageEvent.Type.EXPIRED : MessageEvent.Type.DEAD;
	}

	private void worked(String queue, WorkRequest request, WorkReply reply) {
		for (WorkRequest.Entry entry : request.entries()) {
			byte[] progress = WorkCodec.find(entry.sections(), 'p');
			byte[] lines = WorkCodec.find(entry.sections(), 'l');
			boolean isKept = !reply.lost().contains(entry.uid()) && !reply.refused().contains(entry.uid());
			if (isKept && (progress != null || lines != null)) {
				Held held = known(this.held.get(key(queue, entry.uid())), entry.uid());
				publish(new Move(MessageEvent.Type.PROGRESS, queue, held.id(), entry.uid(), reply.time(),
						held.attempt(), null, new Move.Detail(null, new StoredWork(progress, lines, null))));
			}
		}
	}

	private void commanded(ScriptCall.Steer steer) {
		List<CommandReply.Result> results = steer.reply().results();
		for (int i = 0; i < results.size(); i++) {
			if (results.get(i).outcome() == CommandReply.Result.Outcome.DONE) {
				commanded(steer.queue(), steer.commands().get(i), results.get(i), steer.reply().time());
			}
		}
	}

	private void commanded(String queue, MessageCommand command, CommandReply.Result result, Instant time) {
		MessageEvent.Type type = switch (command.action()) {
			// A message in hand has not ended yet.
			case CANCEL -> (result.state() != MessageState.IN_FLIGHT) ? MessageEvent.Type.CANCELLED : null;
			case SCHEDULE, RUN -> MessageEvent.Type.RESCHEDULED;
			case REDRIVE, ROUND -> MessageEvent.Type.REDRIVEN;
			case BURY -> MessageEvent.Type.DEAD;
			case DELETE -> MessageEvent.Type.REMOVED;
			case CHANGE -> MessageEvent.Type.CHANGED;
			case EXPIRE -> command.argument().isEmpty() ? MessageEvent.Type.EXPIRED : MessageEvent.Type.DEAD;
			case FORWARDED -> MessageEvent.Type.FORWARDED;
			case FORWARD, FLAG, GATE, LIMITS, FREE -> null;
		};
		if (type != null) {
			String cause = switch (type) {
				case DEAD -> command.argument();
				case REMOVED -> "Deleted";
				case REDRIVEN ->
					(command.action() == MessageCommand.Action.ROUND) ? "Round " + command.argument() : null;
				default -> null;
			};
			Instant due = (result.due() != null && result.due().isAfter(time)) ? result.due() : null;
			publish(new Move(type, queue, command.name(), null, time, 0, due, Move.Detail.of(cause)));
		}
	}

	private static Held known(@Nullable Held held, String uid) {
		return (held != null) ? held : new Held(uid, 0);
	}

	private void publish(Move move) {
		this.sinks.forEach((sink) -> sink.accept(move));
	}

	/**
	 * Runs tasks one at a time, so that the moves of a message keep their order. A
	 * failure here must not fail the request.
	 */
	private void guarded(Runnable task) {
		try {
			synchronized (this.lock) {
				if (!this.sinks.isEmpty()) {
					task.run();
				}
			}
		}
		catch (Throwable ex) {
			logger.warn("Events of messages are missing: the reply of the store could not be read", ex);
		}
	}

	private static String key(String queue, String uid) {
		return queue + ' ' + uid;
	}

	private static String id(@Nullable String id, String uid) {
		return (id != null) ? id : uid;
	}

	/**
	 * A message that a listener holds.
	 *
	 * @param id its id, or its uid if it has none
	 * @param attempt the number of the delivery
	 */
	private record Held(String id, int attempt) {

	}

	/**
	 * Remembers the newest ones.
	 */
	@SuppressWarnings("serial") // never serialized
	private static final class Remembered<V> extends LinkedHashMap<String, V> {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
			return size() > MAX_REMEMBERED;
		}

	}

}
