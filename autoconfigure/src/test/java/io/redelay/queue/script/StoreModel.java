package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.DeathsScript;
import io.redelay.queue.script.admin.MessagePage;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.TaggedScript;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.StoreWorkbench;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the store is meant to do, in plain Java and without a thought for speed. It is
 * given each request with the reply that the real store gave, says whether the reply is
 * right, and does the same; then it compares itself with all that is in Redis.
 */
final class StoreModel {

	/**
	 * Before the uid of a message that ended as cancelled.
	 */
	private static final String CANCELLED = "-";

	/**
	 * What a lane has written of the process of Redis, which stays the same here.
	 */
	private static final Pattern PROCESS = Pattern.compile("^(\\d+\\|\\d+\\|)\\??[0-9a-f]{8}table: \\w+\\|");

	/**
	 * As many due messages as a claim makes ready at least.
	 */
	private static final int DUE_AT_A_TIME = 100;

	/**
	 * A sleeper who is that late will not come back.
	 */
	private static final long LOST_SLEEPER = 60_000;

	private static final Comparator<Message> BY_DUE = Comparator.<Message>comparingLong((message) -> message.due)
		.thenComparing((message) -> message.uid);

	final Map<String, Message> messages = new LinkedHashMap<>();

	final Map<String, Lane> lanes = new TreeMap<>();

	/**
	 * Who comes back by itself, and when.
	 */
	final Map<String, Long> sleepers = new HashMap<>();

	private final Map<String, Sender> senders = new TreeMap<>();

	private final TurnsModel turns = new TurnsModel();

	private CompletedModel completed = new CompletedModel();

	OutboxModel outbox = new OutboxModel();

	/**
	 * What others have pushed and no instance has taken over.
	 */
	final List<String> inlet = new ArrayList<>();

	/**
	 * Another queue, to which messages are sent together with acknowledgements.
	 */
	StoreModel other;

	/**
	 * Its name.
	 */
	String otherName;

	/**
	 * Whether it is in another slot of a cluster, so that no script reaches both.
	 */
	boolean otherIsFar;

	/**
	 * The owner of each id, which may be dead.
	 */
	private final Map<String, Message> ids = new HashMap<>();

	/**
	 * The uids of those that were acknowledged while no lane held them.
	 */
	private final Set<String> finishedLate = new HashSet<>();

	/**
	 * The uids of scheduled messages that are packed in the store.
	 */
	Set<String> packed = Set.of();

	/**
	 * Acknowledged by the request that is being carried out, while a dead lane holds
	 * them.
	 */
	private final List<Message> ofDeadLanes = new ArrayList<>();

	long now;

	boolean paused;

	/**
	 * Until when nothing is claimed, as far as Redis knows.
	 */
	long gate;

	boolean closed;

	/**
	 * How much of bodies a request with commands may yet move.
	 */
	private int bytesLeft;

	/**
	 * Whether an instance has opened a sender since the queue was new or deleted.
	 */
	private boolean known;

	/**
	 * What is known of how long the queue has nothing: {@code null}, 0 if it was seen
	 * once, or since when nothing can have been sent.
	 */
	private Long idle;

	/**
	 * What was acknowledged while its send was missing; {@code @deleted} after a
	 * deletion.
	 */
	private final Set<String> past = new HashSet<>();

	/**
	 * Whether the store ever went back in time: then two messages of an ordering key can
	 * be held.
	 */
	boolean wentBack;

	/**
	 * Whether a consumer took over what no lane held, because it says that it has it in
	 * hand: then two of an ordering key may be held.
	 */
	private boolean tookOver;

	private final LimitsModel limits;

	StoreModel(long now, LimitsModel limits) {
		this.now = now;
		this.limits = limits;
	}

	/**
	 * All that is known now, for when the store goes back to it.
	 */
	StoreModel copy() {
		StoreModel copy = new StoreModel(this.now, this.limits.copy());
		Map<Message, Message> copies = new HashMap<>();
		Function<Message, Message> copied = (message) -> copies.computeIfAbsent(message, Message::copy);
		this.messages.forEach((uid, message) -> copy.messages.put(uid, copied.apply(message)));
		this.turns.copyTo(copy.turns, copied);
		this.ids.forEach((id, message) -> copy.ids.put(id, copied.apply(message)));
		this.lanes.forEach((name, lane) -> {
			Lane other = new Lane(lane.deadline, lane.last);
			other.hasClaimed = lane.hasClaimed;
			other.refused = lane.refused;
			other.claimed = lane.claimed.stream().map(copied).toList();
			copy.lanes.put(name, other);
		});
		this.senders.forEach((name, sender) -> {
			Sender other = new Sender();
			other.last = sender.last;
			other.reply = sender.reply;
			copy.senders.put(name, other);
		});
		copy.sleepers.putAll(this.sleepers);
		copy.completed = this.completed.copy();
		copy.outbox = this.outbox.copy();
		copy.other = (this.other != null) ? this.other.copy() : null;
		copy.otherName = this.otherName;
		copy.otherIsFar = this.otherIsFar;
		copy.past.addAll(this.past);
		copy.inlet.addAll(this.inlet);
		copy.finishedLate.addAll(this.finishedLate);
		copy.paused = this.paused;
		copy.gate = this.gate;
		copy.tookOver = this.tookOver;
		copy.closed = this.closed;
		copy.known = this.known;
		copy.idle = this.idle;
		return copy;
	}

	List<Message> in(State state) {
		return this.messages.values().stream().filter((message) -> message.state == state).toList();
	}

	boolean isMissing(String uid) {
		return this.messages.containsKey(uid) && this.messages.get(uid).state == State.MISSING;
	}

	boolean isDead(String uid) {
		return this.messages.containsKey(uid) && this.messages.get(uid).state == State.DEAD;
	}

	boolean isAlive(String uid) {
		return this.messages.containsKey(uid) && this.messages.get(uid).isAlive();
	}

	/**
	 * Whether a message has the turn of its ordering key.
	 */
	boolean hasTurn(String uid) {
		return this.messages.containsKey(uid) && this.turns.hasTurn(this.messages.get(uid));
	}

	/**
	 * Whether a request of a sender would be carried out.
	 */
	boolean isNext(String lane, long seq) {
		Sender sender = this.senders.get(lane);
		return sender != null && sender.last + 1 == seq;
	}

	List<Message> living() {
		return this.messages.values().stream().filter(Message::isAlive).toList();
	}

	List<Message> heldBy(String lane) {
		return this.messages.values()
			.stream()
			.filter((message) -> message.state == State.HELD || message.state == State.MISSING)
			.filter((message) -> message.lane.equals(lane))
			.toList();
	}

	/**
	 * When the first scheduled message is due, or the end of time.
	 */
	long nextDue() {
		return in(State.SCHEDULED).stream()
			.filter((message) -> !this.packed.contains(message.uid))
			.mapToLong((message) -> message.due)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	void openSender(String lane) {
		this.known = true;
		this.idle = null;
		openCommandLane(lane);
	}

	void openCommandLane(String lane) {
		this.senders.putIfAbsent(lane, new Sender());
	}

	/**
	 * Whether a request on a sender lane does nothing, in which case its reply is
	 * checked.
	 */
	private <R> boolean isNothing(String lane, long seq, R reply, LaneStatus status) {
		Sender sender = this.senders.get(lane);
		if (sender == null) {
			assertThat(status).isEqualTo(LaneStatus.GONE);
			return true;
		}
		if (seq < sender.last) {
			assertThat(status).isEqualTo(LaneStatus.STALE);
			return true;
		}
		if (seq == sender.last) {
			assertThat(reply).as("reply to a repeated request").isEqualTo(sender.reply);
			return true;
		}
		if (seq > sender.last + 1) {
			assertThat(status).isEqualTo(LaneStatus.BEHIND);
			return true;
		}
		return false;
	}

	private <R> void done(String lane, long seq, R reply, R expected) {
		Sender sender = this.senders.get(lane);
		sender.last = seq;
		sender.reply = expected;
		assertThat(reply).isEqualTo(expected);
	}

	void send(SendRequest request, SendReply reply) {
		if (isNothing(request.lane(), request.seq(), reply, reply.status())) {
			return;
		}
		if (!this.known) {
			assertThat(reply.status()).isEqualTo(LaneStatus.DELETED);
			return;
		}
		done(request.lane(), request.seq(), reply, sent(request, reply));
	}

	/**
	 * Checks a look at the inlet.
	 */
	void look(LookInletScript.Page page, int most, long maxBytes, long longest) {
		assertThat(page.foreign()).isFalse();
		assertThat(page.length()).isEqualTo(this.inlet.size());
		assertThat(page.closed()).isEqualTo(this.closed);
		int expected = 0;
		for (long bytes = 0; expected < Math.min(most, this.inlet.size()) && bytes < maxBytes; expected++) {
			bytes += this.inlet.get(expected).getBytes(StandardCharsets.UTF_8).length;
		}
		assertThat(page.entries()).hasSize(expected);
		for (int i = 0; i < expected; i++) {
			byte[] text = this.inlet.get(i).getBytes(StandardCharsets.UTF_8);
			assertThat(page.entries().get(i).length()).isEqualTo(text.length);
			assertThat(page.entries().get(i).text())
				.isEqualTo(Arrays.copyOf(text, (int) Math.min(text.length, longest)));
		}
	}

	/**
	 * Takes over what is in the inlet.
	 * @param texts what the entries are
	 */
	void takeOver(TakeOverScript.Request request, List<String> texts, SendReply reply) {
		if (isNothing(request.lane(), request.seq(), reply, reply.status())) {
			return;
		}
		int count = request.again() ? 0 : texts.size();
		Instant time = Instant.ofEpochMilli(this.now);
		if (this.inlet.size() < count || !this.inlet.subList(0, count).equals(texts.subList(0, count))) {
			done(request.lane(), request.seq(), reply, new SendReply(LaneStatus.MOVED, time, Map.of(), List.of()));
			return;
		}
		if (!this.known) {
			assertThat(reply.status()).isEqualTo(LaneStatus.DELETED);
			return;
		}
		SendReply expected = request.messages().isEmpty()
				? new SendReply((this.closed && !request.again()) ? LaneStatus.CLOSED : LaneStatus.OK, time, Map.of(),
						List.of())
				: sent(new SendRequest(request.lane(), request.seq(), request.renews(), request.messages(),
						request.limit(), request.again(), request.again()), reply, null);
		done(request.lane(), request.seq(), reply, expected);
		if (expected.status() != LaneStatus.OK) {
			return;
		}
		for (TakenEntry.Dead dead : request.dead()) {
			if (!isDead(dead.uid())) {
				Message message = new Message(dead.uid(), null);
				message.state = State.DEAD;
				message.due = this.now;
				message.envelope = "{\"sentAt\":" + this.now + ","
						+ new String(dead.envelope(), StandardCharsets.UTF_8).substring(1);
				message.cause = dead.cause();
				this.messages.put(dead.uid(), message);
			}
		}
		this.inlet.subList(0, count).clear();
		if (request.again()) {
			texts.forEach(this.inlet::remove);
		}
	}

	/**
	 * The first message that is due when its deadline is over, unless it was sent before.
	 */
	private SendReply.Overdue overdue(SendRequest request) {
		if (request.again() || request.handedOver() != null) {
			return null;
		}
		for (int i = 0; i < request.messages().size(); i++) {
			NewMessage sent = request.messages().get(i);
			Long deadline = Message.deadline(new String(sent.envelope(), StandardCharsets.UTF_8), this.now);
			if (deadline != null && due(sent) >= deadline) {
				return new SendReply.Overdue(i, Instant.ofEpochMilli(due(sent)), Instant.ofEpochMilli(deadline));
			}
		}
		return null;
	}

	private long due(NewMessage sent) {
		if (sent.dueAt() != null) {
			return Math.max(this.now, sent.dueAt().toEpochMilli());
		}
		return (sent.delay() != null) ? this.now + 1 + sent.delay().toMillis() : this.now;
	}

	private SendReply sent(SendRequest request, SendReply reply) {
		return sent(request, reply, overdue(request));
	}

	private SendReply sent(SendRequest request, SendReply reply, SendReply.Overdue overdue) {
		Instant time = Instant.ofEpochMilli(this.now);
		if (this.closed && !request.returned()) {
			return new SendReply(LaneStatus.CLOSED, time, Map.of(), List.of());
		}
		if (overdue != null) {
			return new SendReply(LaneStatus.OVERDUE, time, Map.of(), List.of(), null, overdue, null);
		}
		LengthLimit limit = request.limit();
		Set<Message> spared = new HashSet<>();
		if (limit != null) {
			request.messages()
				.stream()
				.map((sent) -> this.ids.get(sent.id()))
				.filter((owner) -> owner != null && owner.isAlive())
				.forEach(spared::add);
			long stay = living().stream()
				.filter((message) -> !limit.dropsOldest() || message.state == State.HELD || spared.contains(message))
				.count();
			if (living().size() + additions(request) > limit.length() && stay + additions(request) > limit.length()) {
				return new SendReply(LaneStatus.FULL, time, Map.of(), List.of());
			}
		}
		if (limit != null && reply.status() == LaneStatus.FULL && reply.fullLine() == null
				&& !in(State.MISSING).isEmpty()) {
			// What is held without a body counts as what cannot be dropped.
			return new SendReply(LaneStatus.FULL, time, Map.of(), List.of());
		}
		SendReply.FullLine fullLine = fullLine(request);
		if (fullLine != null) {
			return new SendReply(LaneStatus.FULL, time, Map.of(), List.of(), null, null, fullLine);
		}
		Set<Message> added = new HashSet<>();
		Map<Integer, SendReply.Fate> duplicates = new HashMap<>();
		List<String> handed = new ArrayList<>();
		for (int i = 0; i < request.messages().size(); i++) {
			NewMessage sent = request.messages().get(i);
			Message other = this.messages.get(sent.uid());
			if (request.handedOver() != null) {
				if (this.outbox.remembers(sent.uid(), this.now) || isThere(sent.uid())) {
					continue;
				}
				handed.add(sent.uid());
			}
			if (request.again() && ((other != null && (other.isAlive() || other.state == State.DEAD))
					|| this.past.contains(sent.uid()) || this.completed.get(sent.uid()) != null)) {
				continue;
			}
			Message owner = (sent.id() != null) ? this.ids.get(sent.id()) : null;
			if (owner != null && owner.isAlive()) {
				boolean inTime = added.contains(owner) && owner.due > this.now;
				long due = (owner.state == State.SCHEDULED || inTime) ? owner.due : this.now;
				duplicates.put(i, new SendReply.Fate(SendOutcome.DUPLICATE, sent.id(), Instant.ofEpochMilli(due)));
				continue;
			}
			added.add(add(sent, request.again()));
		}
		if (request.handedOver() != null) {
			this.outbox.remember(handed, this.now + request.handedOver().toMillis(), this.now);
		}
		spared.addAll(added);
		List<String> dropped = (limit != null && limit.dropsOldest())
				? drop(living().size() - limit.length(), spared, reply.dropped()) : List.of();
		return new SendReply(LaneStatus.OK, time, duplicates, dropped);
	}

	/**
	 * The line of an ordering key that a message would make too long.
	 */
	private SendReply.FullLine fullLine(SendRequest request) {
		Integer most = this.limits.lineLength();
		if (most == null && request.limit() != null) {
			most = request.limit().lineLength();
		}
		if (request.limit() != null && Integer.valueOf(LengthLimit.ANY_LINE).equals(request.limit().lineLength())) {
			return null;
		}
		Map<String, Integer> joining = new HashMap<>();
		Set<String> seen = new HashSet<>();
		for (NewMessage sent : (most != null && !request.again()) ? request.messages() : List.<NewMessage>of()) {
			String key = (sent.keys() != null) ? sent.keys().orderingKey() : null;
			boolean adds = request.handedOver() == null
					|| (!this.outbox.remembers(sent.uid(), this.now) && !isThere(sent.uid()));
			Message owner = (sent.id() != null) ? this.ids.get(sent.id()) : null;
			adds = adds && (sent.id() == null || (seen.add(sent.id()) && (owner == null || !owner.isAlive())));
			if (adds && key != null && due(sent) <= this.now) {
				int length = this.turns.lineLength(key) + joining.merge(key, 1, Integer::sum);
				if (length > most) {
					return new SendReply.FullLine(key, length - 1);
				}
			}
		}
		return null;
	}

	/**
	 * Whether a message that may have been added before was, or is done.
	 */
	private boolean isThere(String uid) {
		return isAlive(uid) || isDead(uid) || this.past.contains(uid) || this.completed.get(uid) != null;
	}

	/**
	 * A message is sent together with an acknowledgement: to its queue, if that takes it;
	 * else it waits in the outbox.
	 */
	private void sendNext(NextMessage next, boolean again, StoreDump found) {
		NewMessage message = next.message();
		boolean isOther = next.queue().equals(this.otherName);
		StoreModel target = isOther ? this.other : this;
		boolean fits = target.known && !target.closed && !(isOther && this.otherIsFar)
				&& !EnvelopeCodec.expires(message.envelope());
		if (fits && !isOther && message.keys() != null && !message.keys().arePlain()) {
			// A claim that knows of no keys leaves it to the relay.
			fits = found.outbox().stream().noneMatch((note) -> note.text().contains(" " + message.uid() + " "));
		}
		fits = fits && target.fullLine(new SendRequest("", 1, false, List.of(message), null, again, false)) == null;
		if (!fits) {
			this.outbox.add(next, this.now, found);
		}
		else if (!again || !target.isThere(message.uid())) {
			Message owner = (message.id() != null) ? target.ids.get(message.id()) : null;
			if (owner == null || !owner.isAlive()) {
				target.add(message, again);
			}
		}
	}

	void outbox(OutboxScript.Request request, OutboxScript.Reply reply) {
		this.outbox.outbox(request, reply, this.now);
	}

	private long additions(SendRequest request) {
		long unnamed = request.messages().stream().filter((message) -> message.id() == null).count();
		return unnamed + request.messages()
			.stream()
			.map(NewMessage::id)
			.filter((id) -> id != null && (!this.ids.containsKey(id) || !this.ids.get(id).isAlive()))
			.distinct()
			.count();
	}

	private List<String> drop(long excess, Set<Message> spared, List<String> reported) {
		List<String> dropped = new ArrayList<>();
		if (living().stream().anyMatch((message) -> message.keys != null)) {
			return dropAsTold(excess, spared, reported);
		}
		for (int i = 0; i < excess; i++) {
			List<Message> suspects = in(State.SUSPECT).stream().filter((message) -> !spared.contains(message)).toList();
			Message oldest;
			if (!suspects.isEmpty()) {
				// Which one is the store's choice.
				assertThat(reported).as("dropped").hasSizeGreaterThan(i);
				oldest = this.messages.get(reported.get(i));
				assertThat(suspects).contains(oldest);
			}
			else {
				oldest = Stream.concat(this.turns.plain().stream(), in(State.SCHEDULED).stream().sorted(BY_DUE))
					.filter((message) -> !spared.contains(message))
					.findFirst()
					.orElseThrow();
			}
			finish(oldest);
			dropped.add(oldest.uid);
		}
		return dropped;
	}

	/**
	 * Of what waits in groups and lines, which one is the store's choice. Who gets the
	 * turn of one that is dropped may be left over.
	 */
	private List<String> dropAsTold(long excess, Set<Message> spared, List<String> reported) {
		for (String uid : reported) {
			Message message = this.messages.get(uid);
			assertThat(message.isAlive() && message.state != State.HELD && !spared.contains(message))
				.as("%s may be dropped", uid)
				.isTrue();
			finish(message);
			passOn();
		}
		assertThat((long) reported.size()).as("dropped").isLessThanOrEqualTo(Math.max(0, excess));
		if (reported.size() < excess) {
			assertThat(this.turns.ready()).as("ready, and its turn since others were dropped")
				.anyMatch((message) -> this.turns.hasTurn(message) && !spared.contains(message));
		}
		return reported;
	}

	// Commands

	/**
	 * The message with an id or uid.
	 */
	private Message named(String name) {
		Message owner = this.ids.get(name);
		if (owner == null) {
			owner = in(State.DEAD).stream().filter((message) -> name.equals(message.id)).max(BY_DUE).orElse(null);
		}
		Message message = (owner != null) ? owner : this.messages.get(name);
		return (message != null && stateOf(message) != MessageState.UNKNOWN) ? message : null;
	}

	/**
	 * The completed message of a name, if it is that one and none that lives or died
	 * later.
	 */
	private CompletedModel.Kept kept(String name, Message named) {
		if (named != null && named.isAlive()) {
			return null;
		}
		CompletedModel.Kept byId = this.completed.byId(name);
		if (byId != null && (named == null || byId.time() >= named.due)) {
			return byId;
		}
		return (named == null) ? this.completed.get(name) : null;
	}

	MessageState stateOf(Message message) {
		if (message == null) {
			return MessageState.UNKNOWN;
		}
		return switch (message.state) {
			case SCHEDULED -> (message.due > this.now) ? MessageState.SCHEDULED : MessageState.READY;
			case READY, LINED, SUSPECT -> MessageState.READY;
			case HELD -> MessageState.IN_FLIGHT;
			case DEAD -> MessageState.DEAD;
			case GONE, MISSING -> MessageState.UNKNOWN;
		};
	}

	void command(String lane, long seq, List<MessageCommand> actions, CommandReply reply, StoreDump found) {
		if (isNothing(lane, seq, reply, reply.status())) {
			return;
		}
		boolean hadLiving = !living().isEmpty();
		List<CommandReply.Result> results = new ArrayList<>();
		this.bytesLeft = StoreWorkbench.MAX_BYTES;
		actions.forEach((action) -> {
			this.bytesLeft = waitsForChunk(action) ? 0 : this.bytesLeft;
			results.add((this.bytesLeft > 0) ? command(action, found)
					: new CommandReply.Result(MessageState.UNKNOWN, CommandReply.Result.Outcome.LATER, null, null));
		});
		done(lane, seq, reply,
				new CommandReply(LaneStatus.OK, Instant.ofEpochMilli(this.now), false, results, reply.emptied(), null));
		if (hadLiving || reply.emptied()) {
			assertThat(reply.emptied()).as("emptied").isEqualTo(living().isEmpty());
		}
	}

	/**
	 * Whether a command needs the envelope of a message that is packed.
	 */
	private boolean waitsForChunk(MessageCommand action) {
		boolean reads = switch (action.action()) {
			case SCHEDULE, RUN, EXPIRE, BURY, CHANGE -> true;
			default -> false;
		};
		Message message = reads ? named(action.name()) : null;
		return message != null && message.state == State.SCHEDULED && this.packed.contains(message.uid)
				&& isMeant(action, MessageState.SCHEDULED);
	}

	/**
	 * Whether only a message of a bundle is to be cancelled; none here is.
	 */
	private static boolean isForMember(MessageCommand action) {
		return action.action() == MessageCommand.Action.CANCEL && !action.argument().isEmpty();
	}

	private CommandReply.Result command(MessageCommand action, StoreDump found) {
		if (action.action() == MessageCommand.Action.GATE) {
			long millis = Long.parseLong(action.argument());
			if (!action.name().isEmpty()) {
				if (millis > 0) {
					this.limits.close(action.name(), this.now + 1 + millis);
				}
				else {
					this.limits.open(action.name());
				}
				return new CommandReply.Result(MessageState.UNKNOWN, CommandReply.Result.Outcome.DONE, null, null);
			}
			this.gate = (millis > 0) ? this.now + 1 + millis : 0;
			return new CommandReply.Result(MessageState.UNKNOWN, CommandReply.Result.Outcome.DONE, null, null);
		}
		if (action.action() == MessageCommand.Action.FLAG) {
			boolean before = action.name().equals("paused") ? this.paused : this.closed;
			this.paused = action.name().equals("paused") ? action.argument().equals("1") : this.paused;
			this.closed = action.name().equals("closed") ? action.argument().equals("1") : this.closed;
			return new CommandReply.Result(MessageState.UNKNOWN, (before != action.argument().equals("1"))
					? CommandReply.Result.Outcome.DONE : CommandReply.Result.Outcome.KEPT, null, null);
		}
		if (action.action() == MessageCommand.Action.LIMITS) {
			return new CommandReply.Result(MessageState.UNKNOWN, this.limits.change(action.argument(), this.now)
					? CommandReply.Result.Outcome.DONE : CommandReply.Result.Outcome.KEPT, null, null);
		}
		if (action.action() == MessageCommand.Action.FREE) { // nothing here is sent with
																// a key
			return new CommandReply.Result(MessageState.UNKNOWN, CommandReply.Result.Outcome.KEPT, null, null);
		}
		Message message = named(action.name());
		CompletedModel.Kept kept = kept(action.name(), message);
		boolean deletes = action.action() == MessageCommand.Action.DELETE;
		if ((deletes || action.action() == MessageCommand.Action.CANCEL) && kept != null) {
			if (!isMeant(action, MessageState.COMPLETED) || isForMember(action)) {
				return new CommandReply.Result(MessageState.COMPLETED, CommandReply.Result.Outcome.KEPT, null, null);
			}
			this.completed.remove(kept.uid());
			return new CommandReply.Result(MessageState.COMPLETED, CommandReply.Result.Outcome.DONE, null, null);
		}
		MessageState state = stateOf(message);
		if (message == null && this.completed.get(action.name()) != null) {
			return new CommandReply.Result(MessageState.COMPLETED, CommandReply.Result.Outcome.KEPT, null, null);
		}
		if (message == null && isForMember(action)) {
			blockResend(action, found);
		}
		boolean dead = state == MessageState.DEAD;
		if (action.action() == MessageCommand.Action.FORWARD || action.action() == MessageCommand.Action.FORWARDED) {
			boolean marked = dead && message.target != null;
			boolean forward = action.action() == MessageCommand.Action.FORWARD;
			if (dead && forward && !marked) {
				message.target = action.argument();
				return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, null, message.target);
			}
			if (!marked) {
				return new CommandReply.Result(state, CommandReply.Result.Outcome.KEPT, null, null);
			}
			String target = message.target;
			if (!forward) {
				finish(message);
				passOn();
			}
			return new CommandReply.Result(state,
					forward ? CommandReply.Result.Outcome.FORWARDING : CommandReply.Result.Outcome.DONE, null, target);
		}
		if (dead && message.target != null) {
			return new CommandReply.Result(state, CommandReply.Result.Outcome.FORWARDING, null, message.target);
		}
		if (!isMeant(action, state)) {
			return untouched(message, state);
		}
		if (isForMember(action)) {
			return new CommandReply.Result(state, CommandReply.Result.Outcome.KEPT, null, null);
		}
		boolean waits = state == MessageState.SCHEDULED || state == MessageState.READY;
		if (action.action() == MessageCommand.Action.CANCEL && message != null) {
			if (state == MessageState.IN_FLIGHT) {
				message.cancelled = true;
			}
			else {
				finish(message);
				passOn();
			}
			return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, null, null);
		}
		if (deletes && message != null && state != MessageState.IN_FLIGHT) {
			finish(message);
			passOn();
			return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, null, null);
		}
		if (action.action() == MessageCommand.Action.BURY && waits) {
			return expire(message, state, action.argument());
		}
		if (action.action() == MessageCommand.Action.CHANGE && waits) {
			CommandReply.Result.Outcome outcome = change(message, action);
			return new CommandReply.Result(state, outcome,
					(state == MessageState.SCHEDULED) ? Instant.ofEpochMilli(message.due) : null, null);
		}
		if (action.action() == MessageCommand.Action.EXPIRE && waits && message.expiry != null
				&& message.expiry <= this.now) {
			return expire(message, state, action.argument());
		}
		boolean runs = action.action() == MessageCommand.Action.RUN;
		if (waits && (runs || action.action() == MessageCommand.Action.SCHEDULE)) {
			Long deadline = message.deadline();
			if (deadline != null && (runs ? this.now : Math.max(this.now, due(action.argument()))) >= deadline) {
				return new CommandReply.Result(state, CommandReply.Result.Outcome.OVERDUE,
						Instant.ofEpochMilli(deadline), null);
			}
		}
		if (runs && waits) {
			reschedule(message, this.now, action.freshUid(), true);
			return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, Instant.ofEpochMilli(this.now),
					null);
		}
		long due = (action.action() == MessageCommand.Action.ROUND) ? this.now
				: Math.max(this.now, due(action.argument().split("/")[0]));
		if (action.action() == MessageCommand.Action.SCHEDULE && waits) {
			reschedule(message, due, action.freshUid(), false);
			return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, Instant.ofEpochMilli(due), null);
		}
		boolean isRound = action.action() == MessageCommand.Action.ROUND;
		if (isRound && dead && !Objects.equals(message.rounds(), Integer.parseInt(action.argument()) - 1)) {
			return untouched(message, state);
		}
		if ((isRound || action.action() == MessageCommand.Action.REDRIVE) && dead) {
			Message owner = (message.id != null) ? this.ids.get(message.id) : null;
			if (owner != null && owner != message && owner.isAlive()) {
				return new CommandReply.Result(state, CommandReply.Result.Outcome.DUPLICATE, null, null);
			}
			String key = (message.keys != null) ? message.keys.orderingKey() : null;
			Integer line = this.limits.lineLength();
			if (line == null && action.argument().contains("/")) {
				line = Integer.valueOf(action.argument().substring(action.argument().indexOf('/') + 1));
			}
			if (line != null && key != null && due <= this.now && !this.turns.hasTurn(message)
					&& this.turns.lineLength(key) >= line) {
				return new CommandReply.Result(state, CommandReply.Result.Outcome.FULL, null, null);
			}
			Message renewed = renewed(message, action.freshUid(), true);
			renewed.failures = 0;
			renewed.crashes = 0;
			renewed.liftDeadline();
			renewed.redriven(isRound ? Integer.parseInt(action.argument()) : 0);
			renewed.note(message.cause);
			place(renewed, due, false);
			return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, Instant.ofEpochMilli(due), null);
		}
		return untouched(message, state);
	}

	/**
	 * A message of a bundle that the store does not have is not added when it is sent
	 * again, and its bundle learns that it was cancelled.
	 */
	private void blockResend(MessageCommand action, StoreDump found) {
		String[] parts = action.argument().split("/");
		String uid = parts[parts.length - 1];
		this.past.add(uid);
		this.outbox.addEnd("cancelled\0" + action.argument() + (action.name().equals(uid) ? "" : action.name()) + "\0",
				found);
	}

	private static boolean isMeant(MessageCommand command, MessageState state) {
		return command.states().isEmpty() || command.states().contains(state);
	}

	private static CommandReply.Result untouched(Message message, MessageState state) {
		return new CommandReply.Result(state, CommandReply.Result.Outcome.KEPT,
				(state == MessageState.SCHEDULED) ? Instant.ofEpochMilli(message.due) : null, null);
	}

	/**
	 * What waits goes on with another envelope, count of failures or priority. What is
	 * ready goes behind all others of its new priority, under a new uid.
	 */
	private CommandReply.Result.Outcome change(Message message, MessageCommand action) {
		ChangedMessage changed = ChangedMessage.of(action.argument());
		this.bytesLeft -= message.length() + changed.envelope().getBytes(StandardCharsets.UTF_8).length;
		if (!changed.found(message)) {
			return CommandReply.Result.Outcome.CHANGED;
		}
		MessageKeys keys = message.keys;
		if (changed.priority() != null) {
			if (keys != null && keys.ageing() != null && changed.ageing() == null && changed.former() == 0) {
				return CommandReply.Result.Outcome.KEPT;
			}
			keys = changed.keys(keys);
		}
		boolean moves = message.state == State.READY && keys != null
				&& (message.keys == null || !TurnsModel.attributes(message.keys).equals(TurnsModel.attributes(keys)));
		Message later = message;
		if (moves) {
			later = renewed(message, action.freshUid(), true);
			later.due = message.due;
			later.expiry = message.expiry;
		}
		later.keys = keys;
		later.failures = (changed.failures() != null) ? changed.failures() : later.failures;
		if (!changed.envelope().isEmpty()) {
			later.envelope = changed.envelopeOf(message);
		}
		if (moves) {
			this.bytesLeft -= later.length();
			later.takeName();
			this.turns.place(List.of(later), false, this.now);
		}
		return CommandReply.Result.Outcome.DONE;
	}

	private long due(String when) {
		if (when.startsWith("@")) {
			return Long.parseLong(when.substring(1));
		}
		return when.startsWith("+") ? this.now + 1 + Long.parseLong(when.substring(1)) : this.now;
	}

	/**
	 * Bodies that are buried count, with what handlers notified of them; others do not.
	 */
	private CommandReply.Result expire(Message message, MessageState state, String cause) {
		if (cause.isEmpty()) {
			finish(message);
			passOn();
		}
		else {
			this.bytesLeft -= message.length() + message.work.length();
			message.state = State.DEAD;
			message.work = message.work.renewed();
			message.due = this.now;
			message.cause = cause;
			bury(message);
			passOn();
		}
		return new CommandReply.Result(state, CommandReply.Result.Outcome.DONE, null, null);
	}

	private void reschedule(Message message, long due, String freshUid, boolean first) {
		Message later = message;
		if (message.state != State.SCHEDULED) {
			later = renewed(message, freshUid, due <= this.now);
		}
		place(later, due, first);
	}

	private void place(Message message, long due, boolean first) {
		this.bytesLeft -= message.length();
		message.due = due;
		message.expire(due);
		message.restamp();
		if (due > this.now) {
			message.state = State.SCHEDULED;
		}
		else {
			this.turns.place(List.of(message), first, this.now);
		}
	}

	private Message renewed(Message message, String freshUid, boolean keepsTurn) {
		Message fresh = new Message(freshUid, (message.id != null) ? message.id : message.uid);
		fresh.envelope = message.envelope;
		fresh.nameInEnvelope = (message.id == null) ? message.uid : null;
		fresh.failures = message.failures;
		fresh.crashes = message.crashes;
		fresh.history.addAll(message.history);
		fresh.keys = message.keys;
		fresh.work = message.work.renewed();
		this.bytesLeft -= fresh.work.length();
		if (keepsTurn) {
			this.turns.handOver(message, fresh);
		}
		finish(message);
		passOn();
		this.messages.put(freshUid, fresh);
		this.ids.put(fresh.id, fresh);
		return fresh;
	}

	void purge(String lane, long seq, MessageState state, int most, PurgeScript.Result reply, StoreDump found) {
		if (isNothing(lane, seq, reply, reply.status())) {
			return;
		}
		if (state == MessageState.COMPLETED) {
			List<CompletedModel.Kept> oldest = this.completed.sorted().stream().limit(most).toList();
			oldest.forEach((kept) -> this.completed.remove(kept.uid()));
			done(lane, seq, reply, new PurgeScript.Result(LaneStatus.OK, oldest.size(), oldest.size() == most));
			return;
		}
		// Entries without a message count as steps, so a purge may remove fewer.
		List<Message> removed = switch (state) {
			case DEAD ->
				in(State.DEAD).stream().filter((message) -> message.target == null).sorted(BY_DUE).limit(most).toList();
			case SCHEDULED -> all(MessageState.SCHEDULED).sorted(BY_DUE).limit(most).toList();
			default -> all(MessageState.READY).filter((message) -> !found.messages().contains(message.uid)).toList();
		};
		if (state == MessageState.READY) {
			assertThat(removed.size()).as("purged").isLessThanOrEqualTo(most);
			assertThat(reply.hasNext() || all(MessageState.READY).allMatch(removed::contains))
				.as("purged what is ready, or there is more")
				.isTrue();
		}
		else {
			boolean emptied = state == MessageState.SCHEDULED && living().size() == removed.size();
			assertThat(reply.hasNext()).isEqualTo(removed.size() == most && !emptied);
		}
		removed.forEach(this::finish);
		this.turns.takeEnded()
			.stream()
			.sorted(Comparator.comparing((message) -> follower(message, found)))
			.forEach((message) -> this.turns.passOn(List.of(message), this.now));
		done(lane, seq, reply, new PurgeScript.Result(LaneStatus.OK, removed.size(), reply.hasNext()));
	}

	/**
	 * Where the message is that gets the turn of another one, which decides in what order
	 * the store went through those.
	 */
	private static int follower(Message message, StoreDump found) {
		String holder = (message.keys != null) ? found.order().get(String.valueOf(message.keys.orderingKey())) : null;
		int seat = found.waiting().indexOf(found.seats().get(holder));
		return Math.max(seat, found.ready().indexOf(holder));
	}

	void trimDead(String lane, long seq, long maxCount, Duration maxAge, long maxBytes, TrimDeadScript.Result reply) {
		if (isNothing(lane, seq, reply, reply.status())) {
			return;
		}
		List<Message> dead = in(State.DEAD).stream().sorted(BY_DUE).toList();
		long aged = dead.stream().filter((message) -> message.due < this.now - maxAge.toMillis()).count();
		long many = Math.max(aged, dead.size() - maxCount);
		long bytes = dead.stream().mapToLong(StoreModel::deadBytes).sum();
		List<Message> trimmed = new ArrayList<>();
		for (int i = 0; i < dead.size() && (i < many || bytes > maxBytes); i++) {
			if (dead.get(i).target == null) {
				bytes -= deadBytes(dead.get(i));
				trimmed.add(dead.get(i));
			}
		}
		trimmed.forEach(this::finish);
		passOn();
		done(lane, seq, reply, new TrimDeadScript.Result(LaneStatus.OK,
				trimmed.stream().map((message) -> message.uid).toList(), false));
	}

	/**
	 * The envelope, the cause, the history, and what handlers reported.
	 */
	private static long deadBytes(Message message) {
		return Stream
			.concat(Stream.of(message.envelope, message.cause, String.join("\n", message.history)),
					message.work.texts().values().stream())
			.mapToLong((text) -> text.getBytes(StandardCharsets.UTF_8).length)
			.sum();
	}

	void delete(boolean evenIfNotEmpty, boolean deleted) {
		assertThat(deleted)
			.isEqualTo(evenIfNotEmpty || (living().isEmpty() && in(State.DEAD).isEmpty() && this.outbox.isEmpty()));
		if (deleted) {
			this.messages.values().forEach(Message::let);
			this.messages.values().forEach((message) -> message.state = State.GONE);
			this.turns.clear();
			this.limits.clear();
			this.ids.clear();
			this.lanes.clear();
			this.sleepers.clear();
			this.known = false;
			this.paused = false;
			this.gate = 0;
			this.closed = false;
			this.completed.clear();
			this.outbox.clear();
			this.past.clear();
			this.past.add("@deleted");
		}
	}

	boolean isKnown() {
		return this.known;
	}

	void lookWhetherIdle(QueueNames.Look look, StoreDump before, Duration duration) {
		if (isUsed(before)) {
			assertThat(look).isEqualTo(QueueNames.Look.USED);
			this.idle = null;
			return;
		}
		boolean counts = this.idle != null && this.idle > 0 && !this.known;
		assertThat(look).isEqualTo(
				(counts && this.idle + duration.toMillis() <= this.now) ? QueueNames.Look.DUE : QueueNames.Look.IDLE);
		if (this.idle != null && this.idle == 0) {
			this.known = false;
			this.idle = this.now;
		}
		else if (!counts) {
			this.idle = 0L;
		}
	}

	void forget(boolean forgotten, StoreDump before) {
		assertThat(forgotten).isEqualTo(!isUsed(before) && !this.known);
		this.idle = null;
		if (forgotten) {
			assertThat(living()).isEmpty();
			assertThat(in(State.DEAD)).isEmpty();
			this.gate = 0;
		}
	}

	private boolean isUsed(StoreDump found) {
		Set<String> nothing = Set.of("known", "meta", "stats", "stats:day", "stats:month", "marks", "idle");
		boolean hasKeys = found.expiries()
			.keySet()
			.stream()
			.anyMatch((key) -> !nothing.contains(key) && !key.startsWith("sent:"));
		return hasKeys || this.paused || this.closed || this.gate > this.now || !this.inlet.isEmpty()
				|| !this.limits.stored().equals(StoredLimits.NONE);
	}

	// Looking

	void find(String name, List<StoredMessage> found) {
		Message message = named(name);
		CompletedModel.Kept kept = kept(name, message);
		if (kept != null) {
			assertThat(found).singleElement().satisfies((stored) -> describes(stored, kept));
			return;
		}
		if (message == null) {
			assertThat(found).isEmpty();
			return;
		}
		assertThat(found).singleElement().satisfies((stored) -> describes(stored, message));
	}

	/**
	 * Who is held is looked for again later.
	 */
	void expired(MessagePage page) {
		List<Message> overdue = living().stream()
			.filter((message) -> message.expiry != null && message.expiry <= this.now)
			.sorted(Comparator.<Message>comparingLong((message) -> message.expiry)
				.thenComparing((message) -> message.uid))
			.toList();
		List<Message> passed = overdue.subList(0, page.passed());
		assertThat(page.hasNext()).isEqualTo(overdue.size() > passed.size());
		assertThat(page.messages().stream().map(StoredMessage::uid)).as("expired")
			.containsExactlyElementsOf(passed.stream()
				.filter((message) -> message.state != State.HELD && !this.packed.contains(message.uid))
				.map((message) -> message.uid)
				.toList());
		passed.stream()
			.filter((message) -> message.state == State.HELD || this.packed.contains(message.uid))
			.forEach((message) -> message.expiry = this.now + 10_000);
	}

	void deaths(List<DeathsScript.Death> deaths) {
		assertThat(deaths).containsExactlyElementsOf(in(State.DEAD).stream()
			.sorted(BY_DUE.reversed())
			.map((message) -> new DeathsScript.Death(message.uid, Instant.ofEpochMilli(message.due), message.cause))
			.toList());
	}

	void browse(MessageState state, MessagePage page) {
		assertThat(page.messages()).allSatisfy((stored) -> describes(stored, this.messages.get(stored.uid())));
		List<String> uids = page.messages().stream().map(StoredMessage::uid).toList();
		List<Message> expected = switch (state) {
			case SCHEDULED -> all(state).sorted(BY_DUE).toList();
			case READY -> Stream
				.of(in(State.SUSPECT).stream(), this.turns.plain().stream(), this.turns.seated().stream(),
						all(state).filter((message) -> message.state == State.SCHEDULED).sorted(BY_DUE))
				.flatMap((each) -> each)
				.toList();
			default -> all(state).toList();
		};
		int bytes = page.messages().stream().mapToInt((each) -> each.envelope().length).sum();
		if (state == MessageState.IN_FLIGHT && bytes >= StoreWorkbench.MAX_BYTES) {
			// It has no order, so that its pages may overlap.
			assertThat(expected.stream().map((message) -> message.uid)).as("browsed").containsAll(uids);
			return;
		}
		assertThat(uids).as("browsed")
			.containsExactlyInAnyOrderElementsOf(expected.stream().map((message) -> message.uid).toList());
		if (state == MessageState.SCHEDULED || (state == MessageState.READY && in(State.SUSPECT).isEmpty())) {
			assertThat(uids).containsExactlyElementsOf(expected.stream().map((message) -> message.uid).toList());
		}
	}

	/**
	 * What a search by a tag finds.
	 */
	void byTag(String tag, List<StoredMessage> messages, List<TaggedScript.Place> places) {
		Map<String, MessageState> expected = new HashMap<>(this.completed.byTag(tag));
		this.messages.values()
			.stream()
			.filter((message) -> message.isAlive() || message.state == State.DEAD)
			.filter((message) -> message.tags().contains(tag))
			.forEach((message) -> expected.put(message.uid, stateOf(message)));
		assertThat(messages).as("messages of a tag").hasSize(expected.size());
		assertThat(messages.stream().collect(Collectors.toMap(StoredMessage::uid, StoredMessage::state)))
			.isEqualTo(expected);
		assertThat(places).as("places of the messages of a tag").hasSize(expected.size());
		assertThat(places.stream().collect(Collectors.toMap(TaggedScript.Place::uid, TaggedScript.Place::state)))
			.isEqualTo(expected);
		assertThat(places).allMatch((place) -> isDead(place.uid())
				? place.diedAt() != null && place.diedAt().toEpochMilli() == this.messages.get(place.uid()).due
				: place.diedAt() == null);
	}

	void browseCompleted(MessagePage page) {
		// One that was sent again after it was done is shown where it is now.
		List<CompletedModel.Kept> kept = new ArrayList<>(this.completed.sorted()
			.stream()
			.filter((each) -> stateOf(this.messages.get(each.uid())) == MessageState.UNKNOWN)
			.toList());
		Collections.reverse(kept);
		assertThat(page.messages()).as("completed").hasSameSizeAs(kept);
		for (int i = 0; i < kept.size(); i++) {
			describes(page.messages().get(i), kept.get(i));
		}
	}

	private static void describes(StoredMessage stored, CompletedModel.Kept kept) {
		assertThat(stored.uid()).isEqualTo(kept.uid());
		assertThat(stored.id()).isEqualTo((kept.id() != null) ? kept.id() : kept.uid());
		assertThat(stored.state()).isEqualTo(MessageState.COMPLETED);
		assertThat(new String(stored.envelope(), StandardCharsets.UTF_8)).isEqualTo(kept.envelope());
		assertThat(stored.since()).isEqualTo(Instant.ofEpochMilli(kept.time()));
		assertThat((stored.result() != null) ? new String(stored.result(), StandardCharsets.UTF_8) : null)
			.isEqualTo(kept.result());
	}

	private void describes(StoredMessage stored, Message message) {
		assertThat(stored.uid()).isEqualTo(message.uid);
		assertThat(stored.id()).isEqualTo((message.id != null) ? message.id : message.uid);
		assertThat(stored.state()).isEqualTo(stateOf(message));
		assertThat(new String(stored.envelope(), StandardCharsets.UTF_8)).isEqualTo(message.envelope);
		boolean dated = message.state == State.SCHEDULED || message.state == State.DEAD;
		assertThat(stored.since()).isEqualTo(dated ? Instant.ofEpochMilli(message.due) : null);
		boolean dead = message.state == State.DEAD;
		assertThat(stored.failures()).isEqualTo(dead ? 0 : message.failures);
		assertThat(stored.crashes()).isEqualTo(dead ? 0 : message.crashes);
		assertThat(stored.lane()).isEqualTo((message.state == State.HELD) ? message.lane : null);
		assertThat(stored.cancelled()).isEqualTo(message.cancelled);
		assertThat(stored.cause()).isEqualTo(dead ? message.cause : null);
		assertThat(stored.history()).isEqualTo(message.history);
		assertThat(stored.target()).isEqualTo(message.target);
	}

	void count(CountScript.Counts counts) {
		assertThat(counts.time()).isEqualTo(Instant.ofEpochMilli(this.now));
		assertThat(counts.messages().scheduled()).isEqualTo(count(MessageState.SCHEDULED));
		long missing = in(State.MISSING).size();
		assertThat(counts.messages().ready()).isEqualTo(Math.max(0, count(MessageState.READY) - missing));
		assertThat(counts.messages().inFlight()).isEqualTo(count(MessageState.IN_FLIGHT) + missing);
		assertThat(counts.messages().dead()).isEqualTo(count(MessageState.DEAD));
		assertThat(counts.deadBytes()).isEqualTo(in(State.DEAD).stream().mapToLong(StoreModel::deadBytes).sum());
		assertThat(counts.messages().completed()).isEqualTo(this.completed.size());
		assertThat(counts.completedBytes()).isEqualTo(this.completed.bytes());
		long due = in(State.SCHEDULED).stream()
			.mapToLong((message) -> message.due)
			.filter((each) -> each > this.now)
			.min()
			.orElse(0);
		if (this.packed.isEmpty()) {
			assertThat(counts.nextDue()).isEqualTo((due > 0) ? Instant.ofEpochMilli(due) : null);
		}
		else { // the first message of a chunk may be gone
			assertThat(counts.nextDue()).isBeforeOrEqualTo(Instant.ofEpochMilli(due));
		}
		assertThat(counts.messages().overdue()).isEqualTo(
				living().stream().filter((message) -> message.expiry != null && message.expiry <= this.now).count());
		assertThat(counts.status().paused()).isEqualTo(this.paused);
		assertThat(counts.status().gatedUntil()).isEqualTo(isGated() ? Instant.ofEpochMilli(this.gate) : null);
		assertThat(counts.status().closed()).isEqualTo(this.closed);
		assertThat(counts.limits().claims()).isEqualTo(this.limits.stored().claims());
		assertThat(counts.limits().lineLength()).isEqualTo(this.limits.lineLength());
	}

	private long count(MessageState state) {
		return all(state).count();
	}

	private Stream<Message> all(MessageState state) {
		return this.messages.values().stream().filter((message) -> stateOf(message) == state);
	}

	private Message add(NewMessage sent, boolean again) {
		Message before = this.messages.get(sent.uid());
		Message message = new Message(sent.uid(), sent.id());
		message.keys = (sent.keys() != null && !sent.keys().arePlain()) ? sent.keys() : null;
		message.due = due(sent);
		boolean joins = again && message.due <= this.now && message.keys != null && message.keys.orderingKey() != null;
		if (again) {
			boolean unknown = this.lanes.values().stream().noneMatch((lane) -> lane.hasClaimed)
					|| this.past.contains("@lost");
			message.due = Math.max(message.due, this.now + (unknown ? 10_000 : SendRequest.HOLD_BACK.toMillis()));
		}
		String times = "{\"sentAt\":" + this.now + ((message.due != this.now) ? ",\"dueAt\":" + message.due : "");
		message.envelope = times + "," + new String(sent.envelope(), StandardCharsets.UTF_8).substring(1);
		message.expire(message.due);
		message.sentAgain = again && before != null;
		this.messages.put(message.uid, message);
		if (before != null && before.state == State.MISSING) {
			message.state = State.HELD;
			message.lane = before.lane;
			message.claim = before.claim;
			message.work = before.work;
			this.turns.takeTurn(message, Set.of(), this.now);
		}
		else if (message.due <= this.now) {
			this.turns.place(List.of(message), false, this.now);
		}
		else {
			message.state = State.SCHEDULED;
			if (joins) {
				this.turns.lineUp(List.of(message), false);
			}
		}
		if (sent.id() != null) {
			this.ids.put(sent.id(), message);
		}
		return message;
	}

	void openLane(String lane, Duration lease, long before) {
		this.lanes.computeIfAbsent(lane, (name) -> new Lane(this.now + lease.toMillis(), before));
	}

	/**
	 * Checks what a lane took over from an earlier one.
	 */
	void resume(ResumeScript.Request request, ResumeScript.Reply reply) {
		Lane lane = this.lanes.get(request.lane());
		if (lane == null) {
			assertThat(reply.status()).isEqualTo(LaneStatus.GONE);
			return;
		}
		if (request.seq() < lane.last) {
			assertThat(reply.status()).isEqualTo(LaneStatus.STALE);
			return;
		}
		if (request.seq() == lane.last) {
			assertThat(reply).isEqualTo(reported(lane.refused));
			return;
		}
		if (request.seq() > lane.last + 1) {
			assertThat(reply.status()).isEqualTo(LaneStatus.BEHIND);
			return;
		}
		this.sleepers.remove(request.former());
		lane.deadline = this.now + request.lease().toMillis();
		List<String> reported = new ArrayList<>();
		int elsewhere = 0;
		for (ResumeScript.Holding holding : request.holdings()) {
			Message message = this.messages.get(holding.uid());
			elsewhere += (message != null && isElsewhere(message, request)) ? 1 : 0;
			if (!takeOver(request, holding)) {
				reported.add(holding.uid());
			}
		}
		Lane former = this.lanes.get(request.former());
		boolean last = former != null && request.last();
		reported.add(0, Long.toString(elsewhere + (last ? heldBy(request.former()).size() : 0)));
		if (last) {
			former.deadline = -1;
		}
		if (former == null && request.wentBack()) {
			this.past.add("@lost");
		}
		lane.last = request.seq();
		lane.refused = reported;
		lane.claimed = List.of();
		assertThat(reply).isEqualTo(reported(reported));
	}

	private static ResumeScript.Reply reported(List<String> reported) {
		return new ResumeScript.Reply(LaneStatus.OK, Long.parseLong(reported.get(0)),
				Set.copyOf(reported.subList(1, reported.size())));
	}

	private static boolean isElsewhere(Message message, ResumeScript.Request request) {
		return (message.state == State.HELD || message.state == State.MISSING)
				&& !message.lane.equals(request.former());
	}

	private boolean takeOver(ResumeScript.Request request, ResumeScript.Holding holding) {
		Message message = this.messages.get(holding.uid());
		State state = (message != null) ? message.state : State.GONE;
		boolean takes = switch (state) {
			case HELD, MISSING -> message.lane.equals(request.former()) && message.claim == holding.claim();
			case SCHEDULED, READY, LINED -> request.wentBack();
			case SUSPECT -> true;
			case DEAD -> false;
			case GONE -> request.wentBack() && (!holding.done() || holding.completes());
		};
		if (state == State.GONE && request.wentBack() && holding.done() && !holding.completes()) {
			this.past.add(holding.uid());
		}
		if (!takes) {
			return false;
		}
		if (state == State.GONE) {
			message = new Message(holding.uid(), null);
			message.state = State.MISSING;
			this.messages.put(holding.uid(), message);
		}
		else if (state != State.MISSING) {
			boolean waited = state != State.HELD;
			this.turns.leave(message);
			message.state = State.HELD;
			if (waited) {
				this.tookOver = true;
				this.turns.takeTurn(message,
						request.holdings()
							.stream()
							.filter(ResumeScript.Holding::done)
							.map(ResumeScript.Holding::uid)
							.collect(Collectors.toSet()),
						this.now);
			}
		}
		message.lane = request.lane();
		message.claim = holding.claim();
		return true;
	}

	void renewLane(String name, Duration lease, long answered, boolean alive) {
		Lane lane = this.lanes.get(name);
		assertThat(alive).as("renewed").isEqualTo(lane != null && lane.last >= answered);
		if (alive) {
			lane.deadline = Math.max(lane.deadline, this.now + lease.toMillis());
		}
	}

	/**
	 * Checks what is kept of what handlers report, and the renewal that comes with it.
	 */
	void keepWork(WorkRequest request, WorkReply reply) {
		Lane lane = this.lanes.get(request.lane());
		if (lane == null || lane.last < request.answered()) {
			assertThat(reply.status()).isEqualTo((lane == null) ? LaneStatus.GONE : LaneStatus.BEHIND);
			return;
		}
		Set<String> lost = new HashSet<>();
		for (WorkRequest.Entry entry : request.entries()) {
			Message message = this.messages.get(entry.uid());
			if (message == null || !message.isHeldUnder(request.lane(), entry.claim())) {
				lost.add(entry.uid());
			}
			else {
				message.work.keep(request.lane() + "/" + entry.claim(), entry);
				if (message.work.resetsAttempts(entry)) {
					message.failures = 0;
					message.crashes = 0;
				}
			}
		}
		assertThat(reply).isEqualTo(new WorkReply(LaneStatus.OK, reply.time(), lost, Set.of()));
		renewLane(request.lane(), request.lease(), request.answered(), true);
	}

	void closeLane(String name) {
		this.sleepers.remove(name);
		Lane lane = this.lanes.get(name);
		if (lane != null && !heldBy(name).isEmpty()) {
			lane.deadline = 0;
		}
		else {
			this.lanes.remove(name);
		}
	}

	/**
	 * Checks a claim and its reply.
	 * @param request the claim
	 * @param reply the reply
	 * @param found what is in Redis afterwards
	 */
	void claim(ClaimRequest request, ClaimReply reply, StoreDump found) {
		Lane lane = this.lanes.get(request.lane());
		if (lane != null && request.seq() < lane.last) {
			assertThat(reply.status()).isEqualTo(LaneStatus.STALE);
			return;
		}
		assertThat(reply.time()).isEqualTo(Instant.ofEpochMilli(this.now));
		if (lane != null && request.seq() == lane.last) {
			assertThat(reply.status()).isEqualTo(LaneStatus.OK);
			lane.deadline = Math.max(lane.deadline, this.now + request.lease().toMillis());
			assertRefused(reply, lane.refused);
			assertThat(reply.next()).isEqualTo(Duration.ZERO);
			List<Message> still = lane.claimed.stream()
				.filter((message) -> message.isHeldUnder(request.lane(), request.seq()))
				.toList();
			assertThat(reply.hasNotes()).as("shows notes").isEqualTo(!this.outbox.isEmpty());
			assertClaimed(reply, still);
			return;
		}
		if (lane == null) {
			assertThat(reply.status()).isEqualTo(this.past.contains("@deleted") ? LaneStatus.DELETED : LaneStatus.GONE);
			return;
		}
		if (request.seq() > lane.last + 1) {
			assertThat(reply.status()).isEqualTo(LaneStatus.BEHIND);
			assertThat(reply.remembered()).isEqualTo(lane.last);
			return;
		}
		this.sleepers.remove(request.lane());
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		List<String> refused = settle(request, lane, found);
		assertThat(reply.hasNotes()).as("shows notes").isEqualTo(!this.outbox.isEmpty());
		assertRefused(reply, refused);
		lane.last = request.seq();
		lane.deadline = this.now + request.lease().toMillis();
		lane.refused = refused;
		reapDeadLanes();
		if (!isGated()) {
			this.gate = 0;
		}
		lane.claimed = take(request, reply, found);
		lane.hasClaimed = true;
		if (this.limits.isLimited()) {
			assertComesInTime(request, reply, found);
			sleep(request, reply, found);
			return;
		}
		assertThat(reply.next()).as("next").isEqualTo(next(request, reply, found));
		boolean comesAtOnce = Duration.ZERO.equals(reply.next()) && request.wanted() > 0 && !this.paused && !isGated()
				&& (!this.turns.ready().isEmpty() || !found.ready().isEmpty() || !found.turns().isEmpty()
						|| (request.suspect() && !tookSuspect(reply) && !found.suspects().isEmpty()));
		if (reply.messages().isEmpty() && request.wanted() > 0 && !request.sleep().isZero() && !comesAtOnce) {
			long back = this.now + request.sleep().toMillis();
			if (reply.next() != null) {
				back = Math.min(back, event(request));
			}
			this.sleepers.values().removeIf((other) -> other <= this.now - LOST_SLEEPER);
			this.sleepers.put(request.lane(), back);
		}
	}

	/**
	 * Checks what the reply says of settlements that did not count, or of messages that
	 * ended as cancelled in place of what was said of them.
	 */
	private static void assertRefused(ClaimReply reply, List<String> reported) {
		assertThat(reply.refused()).as("refused")
			.isEqualTo(reported.stream().filter((word) -> !word.startsWith(CANCELLED)).collect(Collectors.toSet()));
		assertThat(reply.moves().cancelled()).as("ended as cancelled")
			.isEqualTo(reported.stream()
				.filter((word) -> word.startsWith(CANCELLED))
				.map((word) -> word.substring(CANCELLED.length()))
				.collect(Collectors.toSet()));
	}

	private List<String> settle(ClaimRequest request, Lane lane, StoreDump found) {
		List<String> refused = new ArrayList<>();
		Set<String> settled = new HashSet<>();
		List<Message> readyAgain = new ArrayList<>();
		List<Message> atTheEnd = new ArrayList<>();
		List<Message> buried = new ArrayList<>();
		List<Message> cancelled = new ArrayList<>();
		List<Runnable> kept = new ArrayList<>();
		List<Runnable> keptOfMissing = new ArrayList<>();
		List<Completion> missing = new ArrayList<>();
		List<Completion> together = new ArrayList<>();
		List<Settlement> acknowledgementsFirst = request.settlements()
			.stream()
			.sorted(Comparator.comparing((settlement) -> settlement.action() != Settlement.Action.ACK))
			.toList();
		for (Settlement settlement : acknowledgementsFirst) {
			Message message = this.messages.get(settlement.uid());
			boolean ack = settlement.action() == Settlement.Action.ACK;
			boolean mine = lane != null && message != null && message.isHeldUnder(request.lane(), settlement.claim());
			boolean held = message != null && (message.state == State.HELD || message.state == State.MISSING);
			boolean nobodys = !held || (settlement.claim() == Settlement.LATE && !message.lane.equals(request.lane())
					&& this.lanes.get(message.lane).deadline <= this.now);
			if (settlement.action() == Settlement.Action.DONE) {
				boolean late = !held && message != null && message.isAlive() && !isPackedAgain(message);
				if (settled.contains(settlement.uid()) || (!mine && !late)) {
					refused.add(settlement.uid());
					continue;
				}
				settled.add(settlement.uid());
				if (mine && message.state == State.MISSING) {
					this.past.add(message.uid);
					WorkModel work = message.work;
					keptOfMissing.add(() -> this.completed.done(settlement, null, Set.of(), work, this.now));
					missing.add(settlement.completion());
				}
				else {
					if (!mine) {
						this.finishedLate.add(message.uid);
					}
					String envelope = message.envelope;
					WorkModel work = message.work;
					Set<String> tags = message.tags();
					kept.add(() -> this.completed.done(settlement, envelope, tags, work, this.now));
					together.add(settlement.completion());
				}
				finish(message);
				continue;
			}
			if (settled.contains(settlement.uid()) || (!mine && !(ack && nobodys))) {
				refused.add(settlement.uid());
				continue;
			}
			settled.add(settlement.uid());
			if (mine && message.state == State.MISSING) {
				finish(message);
				if (settlement.isEnd()) {
					this.past.add(message.uid);
				}
				continue;
			}
			if (ack) {
				if (message != null && (message.isAlive() || message.state == State.MISSING)
						&& !isPackedAgain(message)) {
					if (!mine) {
						this.finishedLate.add(message.uid);
					}
					boolean ofDeadLane = !mine && held;
					finish(message);
					if (ofDeadLane) {
						this.ofDeadLanes.add(message);
					}
				}
				continue;
			}
			boolean suspect = message.heldAsSuspect;
			boolean cancels = settlement.action() == Settlement.Action.CANCEL;
			if (message.cancelled || cancels) {
				if (!cancels) {
					refused.add(CANCELLED + message.uid);
				}
				String envelope = message.envelope;
				WorkModel work = message.work;
				Set<String> tags = message.tags();
				kept.add(() -> this.completed.done(settlement, envelope, tags, work, this.now));
				cancelled.add(message);
				finish(message);
				continue;
			}
			message.let();
			switch (settlement.action()) {
				case RETRY -> {
					message.failures++;
					if (!settlement.cause().isEmpty()) {
						message.note(settlement.cause());
					}
					if (settlement.delay().isZero() && !found.scheduled().containsKey(message.uid)) {
						message.state = State.READY;
						atTheEnd.add(message);
					}
					else {
						schedule(message, settlement.delay());
					}
				}
				case GIVE_BACK -> {
					if (!settlement.delay().isZero()) {
						schedule(message, settlement.delay());
					}
					else if (suspect) {
						message.state = State.SUSPECT;
					}
					else {
						message.state = State.READY;
						readyAgain.add(message);
					}
				}
				case WAIT -> {
					String key = TurnsModel.fairnessKey(message);
					if (!settlement.cause().isEmpty() && !key.isEmpty()) {
						this.limits.closeLonger(key, this.now + 1 + settlement.delay().toMillis());
					}
					else if (!settlement.cause().isEmpty() && !settlement.delay().isZero()) {
						schedule(message, settlement.delay());
						break;
					}
					if (settlement.cause().isEmpty()) {
						this.gate = Math.max(this.gate, this.now + 1 + settlement.delay().toMillis());
					}
					message.state = suspect ? State.SUSPECT : State.READY;
					if (!suspect) {
						readyAgain.add(message);
					}
				}
				case BURY -> {
					message.state = State.DEAD;
					message.work = message.work.renewed();
					message.due = this.now;
					message.cause = settlement.cause();
					buried.add(message);
				}
				default -> throw new IllegalStateException();
			}
		}
		// Those that are done pass their turns on first, and of these the cancelled ones.
		List<Message> done = new ArrayList<>(this.turns.takeEnded());
		done.removeAll(this.ofDeadLanes);
		done.sort(Comparator.comparing((message) -> !cancelled.contains(message)));
		this.turns.passOn(done, this.now);
		this.turns.place(atTheEnd, false, this.now);
		this.turns.place(readyAgain, true, this.now);
		buried.forEach(this::bury);
		passOn();
		keptOfMissing.forEach(Runnable::run);
		kept.forEach(Runnable::run);
		Stream.concat(missing.stream(), together.stream())
			.forEach((completion) -> completion.sections()
				.stream()
				.filter(NextMessage.class::isInstance)
				.forEach((section) -> sendNext((NextMessage) section, completion.isAgain(), found)));
		return refused;
	}

	/**
	 * Whether no late acknowledgement of a message counts: it was held before the store
	 * went back, or before it was sent again as after that, and was packed since. It is
	 * delivered again. No other one is packed that a lane has held.
	 */
	private boolean isPackedAgain(Message message) {
		return (this.wentBack || message.sentAgain) && message.state == State.SCHEDULED
				&& this.packed.contains(message.uid);
	}

	private void bury(Message message) {
		if (message.keys != null && message.keys.deadHoldsKey()) {
			this.turns.leave(message);
		}
		else {
			this.turns.end(message);
		}
	}

	/**
	 * Those that have ended give their turns to the next ones.
	 */
	private void passOn() {
		this.turns.passOn(this.turns.takeEnded(), this.now);
	}

	private void schedule(Message message, Duration delay) {
		message.state = State.SCHEDULED;
		message.due = this.now + 1 + delay.toMillis();
	}

	private void finish(Message message) {
		message.let();
		message.work = new WorkModel();
		message.state = State.GONE;
		message.cancelled = false;
		this.turns.end(message);
		if (message.id != null) {
			this.ids.remove(message.id, message);
		}
	}

	private void reapDeadLanes() {
		List<Message> givenBack = new ArrayList<>();
		this.lanes.entrySet().removeIf((entry) -> {
			if (entry.getValue().deadline > this.now) {
				return false;
			}
			for (Message message : heldBy(entry.getKey())) {
				if (message.cancelled || message.state == State.MISSING) {
					finish(message);
					continue;
				}
				boolean givesBack = entry.getValue().deadline == -1;
				if (givesBack && !message.heldAsSuspect) {
					message.let();
					givenBack.add(message);
					continue;
				}
				if (message.heldAsSuspect && !givesBack) {
					message.crashes++;
				}
				message.let();
				message.state = State.SUSPECT;
			}
			return true;
		});
		givenBack.sort(Comparator.comparing((message) -> message.uid));
		List<Message> done = new ArrayList<>(this.turns.takeEnded());
		done.addAll(this.ofDeadLanes);
		this.ofDeadLanes.clear();
		done.sort(Comparator.comparing((message) -> message.uid));
		this.turns.passOn(done, this.now);
		this.turns.place(givenBack, true, this.now);
	}

	/**
	 * Whether nothing is claimed because the queue's gate is closed.
	 */
	boolean isGated() {
		return this.gate > this.now;
	}

	private List<Message> take(ClaimRequest request, ClaimReply reply, StoreDump found) {
		List<Message> expected = new ArrayList<>();
		LimitsModel.Rooms rooms = rooms();
		if (request.wanted() > 0 && !this.paused && !isGated()) {
			in(State.SCHEDULED).stream()
				.filter((message) -> message.due <= this.now)
				.sorted(BY_DUE)
				.limit(Math.max(DUE_AT_A_TIME, request.wanted() * 2))
				.forEach((message) -> this.turns.place(List.of(message), false, this.now));
			boolean mustTakeSuspect = request.suspect() && mustTakeSuspect(rooms, found);
			if (mustTakeSuspect || (request.suspect() && tookSuspect(reply))) {
				// Which one is the store's choice.
				assertThat(reply.messages()).as("a suspect comes first").isNotEmpty();
				Message suspect = this.messages.get(reply.messages().get(0).uid());
				assertThat(suspect.state).as("state of %s", suspect.uid).isEqualTo(State.SUSPECT);
				rooms.take(TurnsModel.fairnessKey(suspect));
				suspect.hold(request, true);
				expected.add(suspect);
			}
			int bytes = expected.stream().mapToInt(Message::claimedLength).sum();
			List<Message> chosen = reply.messages()
				.stream()
				.skip(expected.size())
				.map((claimed) -> this.messages.get(claimed.uid()))
				.toList();
			this.turns.claim(chosen, request, rooms, bytes, expected.size());
			chosen.forEach((message) -> message.hold(request, false));
			expected.addAll(chosen);
		}
		assertClaimed(reply, expected);
		expected.forEach((message) -> this.limits.claimed(TurnsModel.fairnessKey(message), this.now));
		return expected;
	}

	/**
	 * The store looks at no more than some, so that those whose keys wait can hide one.
	 */
	private boolean mustTakeSuspect(LimitsModel.Rooms rooms, StoreDump found) {
		return rooms.least() > 0 && (found.suspects().size() < 20 || !this.limits.isLimited())
				&& in(State.SUSPECT).stream().anyMatch((message) -> rooms.mustTake(TurnsModel.fairnessKey(message)));
	}

	/**
	 * What may be claimed by the limits.
	 */
	LimitsModel.Rooms rooms() {
		List<Message> held = in(State.HELD);
		return this.limits.rooms(this.now, held.size() + in(State.MISSING).size(),
				held.stream().collect(Collectors.groupingBy(TurnsModel::fairnessKey, Collectors.counting())));
	}

	/**
	 * The fairness keys whose gates are closed.
	 */
	Set<String> closedKeys() {
		return this.limits.closedKeys(this.now);
	}

	boolean isLimited() {
		return this.limits.isLimited();
	}

	private void assertClaimed(ClaimReply reply, List<Message> expected) {
		assertThat(reply.messages().stream().map(StoreModel::describe)).as("claimed")
			.containsExactlyElementsOf(expected.stream().map(StoreModel::describe).toList());
	}

	private static String describe(ClaimReply.Message claimed) {
		byte[] checkpoint = claimed.checkpoint();
		return "%s claim %d, failures %d, crashes %d, suspect %s, checkpoint %s: %s".formatted(claimed.uid(),
				claimed.claim(), claimed.failures(), claimed.crashes(), claimed.suspect(),
				(checkpoint != null) ? new String(checkpoint, StandardCharsets.UTF_8) : null,
				new String(claimed.envelope(), StandardCharsets.UTF_8));
	}

	private static String describe(Message message) {
		return "%s claim %d, failures %d, crashes %d, suspect %s, checkpoint %s: %s".formatted(message.uid,
				message.claim, message.failures, message.crashes, message.heldAsSuspect,
				message.work.texts().get("checkpoint"), message.envelope);
	}

	/**
	 * A lane that is given its next time gets it in time for what the limits allow then.
	 */
	private void assertComesInTime(ClaimRequest request, ClaimReply reply, StoreDump found) {
		long bound = Long.MAX_VALUE;
		for (Map.Entry<String, Lane> other : this.lanes.entrySet()) {
			if (isAnyHeld() && !other.getKey().equals(request.lane())) {
				bound = Math.min(bound, other.getValue().deadline);
			}
		}
		LimitsModel.Rooms rooms = rooms();
		if (isGated()) {
			bound = Math.min(bound, this.gate);
		}
		else if (request.wanted() > 0 && !this.paused) {
			bound = Math.min(bound, Math.max(nextDue(), rooms.queueFreeAt()));
			for (Message message : this.turns.ready()) {
				bound = Math.min(bound, rooms.freeAt(TurnsModel.fairnessKey(message)));
			}
			boolean seesSuspects = request.suspect() && !tookSuspect(reply) && !mustTakeSuspect(rooms, found);
			for (Message message : seesSuspects ? in(State.SUSPECT) : List.<Message>of()) {
				bound = Math.min(bound, rooms.freeAt(TurnsModel.fairnessKey(message)));
			}
		}
		if (bound != Long.MAX_VALUE) {
			assertThat(reply.next()).as("next, which is to be at %d", bound).isNotNull();
			assertThat(this.now + reply.next().toMillis()).as("next")
				.isLessThanOrEqualTo(Math.max(bound, this.now) + ((bound > this.now) ? LimitsModel.LATE : 0));
		}
		if (Duration.ZERO.equals(reply.next()) && bound > this.now && request.wanted() > 0) {
			// It can be that it is not known yet that a group has no room: then it is
			// now.
			assertThat(rooms.most()).as("room in the queue, if one is to come at once").isPositive();
			assertThat(found.ready().isEmpty() && found.turns().isEmpty() && found.suspects().isEmpty())
				.as("nothing is there, but one is to come at once")
				.isFalse();
		}
	}

	private void sleep(ClaimRequest request, ClaimReply reply, StoreDump found) {
		if (!reply.messages().isEmpty() || request.wanted() == 0 || request.sleep().isZero()) {
			return;
		}
		boolean isNow = Duration.ZERO.equals(reply.next());
		if (isNow && !found.sleepers().containsKey(request.lane())) {
			return;
		}
		long back = this.now + request.sleep().toMillis();
		if (reply.next() != null) {
			back = Math.min(back, this.now + reply.next().toMillis());
		}
		this.sleepers.values().removeIf((other) -> other <= this.now - LOST_SLEEPER);
		this.sleepers.put(request.lane(), isNow ? found.sleepers().get(request.lane()) : back);
	}

	private Duration next(ClaimRequest request, ClaimReply reply, StoreDump found) {
		boolean readyLeft = !this.turns.ready().isEmpty();
		// Entries without a message are passed over, some at a time.
		boolean staleLeft = !found.ready().isEmpty() || !found.turns().isEmpty()
				|| (!found.suspects().isEmpty() && request.suspect() && !tookSuspect(reply));
		if (request.wanted() > 0 && !this.paused && !isGated()
				&& (readyLeft || (staleLeft && Duration.ZERO.equals(reply.next())))) {
			return Duration.ZERO;
		}
		long event = event(request);
		return (event != Long.MAX_VALUE) ? Duration.ofMillis(Math.max(0, event - this.now)) : null;
	}

	private static boolean tookSuspect(ClaimReply reply) {
		return reply.messages().stream().anyMatch(ClaimReply.Message::suspect);
	}

	/**
	 * Whether the death of a lane would matter: no lane takes over one that holds nothing
	 * while no other does.
	 */
	private boolean isAnyHeld() {
		return !in(State.HELD).isEmpty() || !in(State.MISSING).isEmpty();
	}

	/**
	 * When something happens next, as far as a lane is concerned.
	 */
	private long event(ClaimRequest request) {
		long event = (this.paused && request.wanted() > 0) ? Long.MAX_VALUE : nextDue();
		if (isGated()) {
			event = this.gate;
		}
		for (Map.Entry<String, Lane> other : this.lanes.entrySet()) {
			if (isAnyHeld() && !other.getKey().equals(request.lane())) {
				event = Math.min(event, other.getValue().deadline);
			}
		}
		return event;
	}

	/**
	 * Compares all that is known with all that is in Redis.
	 * @param found what is in Redis
	 */
	void compare(StoreDump found) {
		Set<String> living = living().stream().map((message) -> message.uid).collect(Collectors.toSet());
		assertThat(found.messages()).as("messages with a body").isEqualTo(living);
		for (Map.Entry<String, List<String>> list : Map.of("ready", found.ready(), "suspects", found.suspects())
			.entrySet()) {
			assertThat(list.getValue().stream().filter(living::contains)).as("messages in '%s'", list.getKey())
				.doesNotHaveDuplicates();
		}
		assertThat(found.ready().stream().filter(living::contains)).as("ready, in order")
			.containsExactlyElementsOf(this.turns.plain().stream().map((message) -> message.uid).toList());
		assertThat(Stream.concat(found.ready().stream(), found.suspects().stream())
			.filter((uid) -> !living.contains(uid) && !this.finishedLate.contains(uid)))
			.as("entries that a message has left behind that was not acknowledged late")
			.isEmpty();
		assertThat(found.suspects().stream().filter(living::contains)).as("suspects")
			.containsExactlyInAnyOrderElementsOf(in(State.SUSPECT).stream().map((message) -> message.uid).toList());
		assertThat(found.scheduled()).as("scheduled").isEqualTo(byUid(in(State.SCHEDULED), (message) -> message.due));
		Map<String, String> held = byUid(in(State.HELD),
				(message) -> message.lane + "/" + message.claim + (message.heldAsSuspect ? "!" : ""));
		held.putAll(byUid(in(State.MISSING), (message) -> message.lane + "/" + message.claim + "?"));
		this.lanes.forEach((name, lane) -> held.put("@" + name,
				lane.last + "|" + heldBy(name).size() + "|" + sorted(lane.refused.stream()) + "|"
						+ lane.claimed.stream().map((message) -> message.uid).collect(Collectors.joining(" "))));
		Map<String, String> foundHeld = new HashMap<>(found.held());
		foundHeld.replaceAll((name, holder) -> name.startsWith("@")
				? withSortedRefused(PROCESS.matcher(holder).replaceFirst("$1")) : holder);
		assertThat(foundHeld).as("held").isEqualTo(held);
		Map<String, Long> deadlines = new HashMap<>();
		this.lanes.forEach((name, lane) -> deadlines.put(name, lane.deadline));
		assertThat(found.lanes()).as("lanes by deadline").isEqualTo(deadlines);
		Map<String, String> tries = new HashMap<>(found.tries());
		tries.values().remove("0/0"); // of one that a lane held and that has another time
										// now
		assertThat(tries).as("failures/crashes")
			.isEqualTo(byUid(living().stream().filter((message) -> message.failures + message.crashes > 0).toList(),
					(message) -> message.failures + "/" + message.crashes));
		assertThat(found.livesUntil()).as("ends of times to live")
			.isEqualTo(byUid(living().stream().filter((message) -> message.expiry != null).toList(),
					(message) -> message.expiry));
		assertThat(found.dead()).as("dead").isEqualTo(byUid(in(State.DEAD), (message) -> message.due));
		Map<String, String> deadMessages = byUid(in(State.DEAD), (message) -> message.envelope);
		in(State.DEAD).forEach((message) -> {
			deadMessages.put(message.uid + "/cause", message.cause);
			if (!message.history.isEmpty()) {
				deadMessages.put(message.uid + "/history", String.join("\n", message.history));
			}
			if (message.keys != null) {
				deadMessages.put(message.uid + "/keys", TurnsModel.attributes(message.keys));
			}
			if (message.target != null) {
				deadMessages.put(message.uid + "/to", message.target);
			}
			message.work.texts().forEach((name, text) -> deadMessages.put(message.uid + "/" + name, text));
		});
		WorkModel.count(in(State.DEAD).stream().map((message) -> message.work.texts()), deadMessages);
		if (!in(State.DEAD).isEmpty()) {
			deadMessages.put("@bytes", Long.toString(in(State.DEAD).stream().mapToLong(StoreModel::deadBytes).sum()));
		}
		assertThat(found.deadMessages()).as("bodies of the dead").isEqualTo(deadMessages);
		Map<String, String> owners = new HashMap<>();
		this.ids.forEach((id, message) -> owners.put("i:" + id, message.uid));
		this.messages.values()
			.stream()
			.filter((message) -> message.state != State.GONE && message.state != State.MISSING && message.id != null)
			.forEach((message) -> owners.put("u:" + message.uid, message.id));
		assertThat(found.ids()).as("ids").isEqualTo(owners);
		assertThat(found.deadIds()).as("the dead whose ids are others'")
			.isEqualTo(in(State.DEAD).stream()
				.filter((message) -> message.id != null && this.ids.get(message.id) != message)
				.map((message) -> "%d:%s%015d%s".formatted(message.id.getBytes(StandardCharsets.UTF_8).length,
						message.id, message.due, message.uid))
				.collect(Collectors.toSet()));
		assertThat(found.cancelled()).as("cancelled")
			.isEqualTo(
					byUid(living().stream().filter((message) -> message.cancelled).toList(), (message) -> "").keySet());
		assertThat(found.history()).as("attempts of the living")
			.isEqualTo(byUid(living().stream().filter((message) -> !message.history.isEmpty()).toList(),
					(message) -> String.join("\n", message.history)));
		assertThat(found.meta().containsKey("paused")).as("paused").isEqualTo(this.paused);
		assertThat(found.meta().containsKey("gate")).as("gate").isEqualTo(this.gate != 0);
		assertThat(found.meta().containsKey("closed")).as("closed").isEqualTo(this.closed);
		assertThat(found.past()).as("past").isEqualTo(this.past);
		assertThat(found.inlet()).as("inlet").isEqualTo(this.inlet);
		assertThat(found.sleepers()).as("sleepers").isEqualTo(this.sleepers);
		Map<String, String> work = new HashMap<>();
		this.messages.values()
			.stream()
			.filter((message) -> message.isAlive() || message.state == State.MISSING)
			.forEach((message) -> work.putAll(message.work.fields(message.uid)));
		assertThat(found.work()).as("what handlers wrote of the living").isEqualTo(work);
		assertThat(found.tags()).as("tags of those that live or are dead")
			.containsExactlyInAnyOrderElementsOf(this.messages.values()
				.stream()
				.filter((message) -> message.isAlive() || message.state == State.DEAD)
				.flatMap((message) -> message.tags().stream().map((tag) -> tag + "\0" + message.uid))
				.toList());
		this.completed.compare(found);
		this.outbox.compare(found);
		this.turns.compare(found, living(), this.wentBack || this.tookOver);
		compareExpiries(found);
	}

	/**
	 * In which order a lane remembers what was refused does not matter.
	 */
	private static String withSortedRefused(String entry) {
		String[] parts = entry.split("\\|", -1);
		parts[2] = sorted(Stream.of(parts[2].split(" ")));
		return String.join("|", parts);
	}

	private static String sorted(Stream<String> words) {
		return words.sorted().collect(Collectors.joining(" "));
	}

	private void compareExpiries(StoreDump found) {
		boolean somethingHeld = !in(State.HELD).isEmpty() || !in(State.MISSING).isEmpty();
		found.expiries().forEach((key, expiry) -> {
			boolean expires = switch (key) {
				case "messages", "ready", "suspects", "scheduled", "tries", "dead", "dead:messages", "ids", "meta",
						"known", "cancelled", "history", "dead:ids", "expiries", "keys", "order", "waiting", "seats",
						"turns", "weights", "busy", "blocked", "outbox", "work", "tags", "far", "far:chunks" ->
					false;
				case "held", "lanes" -> !somethingHeld;
				case "sleepers", "past", "rates", "bursts", "gates", "completed", "completed:messages",
						"completed:tags", "handed", "idle" ->
					true;
				default -> {
					assertThat(key).as("a key that nobody knows").startsWith("sent:");
					yield true;
				}
			};
			assertThat(expiry >= 0).as("'%s' has an expiry", key).isEqualTo(expires);
			if (expires && key.equals("lanes")) {
				long last = this.lanes.values().stream().mapToLong((lane) -> lane.deadline).max().orElseThrow();
				assertThat(System.currentTimeMillis() + expiry).as("when '%s' expires", key).isGreaterThan(last);
			}
		});
	}

	private static <T> Map<String, T> byUid(List<Message> messages, Function<Message, T> value) {
		Map<String, T> map = new HashMap<>();
		messages.forEach((message) -> map.put(message.uid, value.apply(message)));
		return map;
	}

	enum State {

		SCHEDULED, READY, SUSPECT, HELD, DEAD, GONE,

		/**
		 * Waits for the turn of its ordering key.
		 */
		LINED,

		/**
		 * Held without a body, until it is sent again.
		 */
		MISSING

	}

	static final class Message {

		private static final Pattern ROUNDS = Pattern.compile("\"redriven\":(\\d+),");

		private static final Pattern LIFE = Pattern
			.compile("\"v\":1,(?:\"timeToLive\":(\\d+),)?(?:\"deadline(After)?\":(\\d+),)?");

		final String uid;

		final String id;

		State state;

		long due;

		String envelope = "";

		/**
		 * When its time to live is over.
		 */
		Long expiry;

		int failures;

		int crashes;

		String lane = "";

		long claim;

		boolean heldAsSuspect;

		boolean cancelled;

		String cause = "";

		/**
		 * The queue it is moving to.
		 */
		String target;

		/**
		 * The name that the store puts into the envelope, which has none of the sender's.
		 */
		String nameInEnvelope;

		final List<String> history = new ArrayList<>();

		/**
		 * What makes it other than plain, if anything does.
		 */
		MessageKeys keys;

		/**
		 * It was there before, and had ended when it was sent again.
		 */
		boolean sentAgain;

		/**
		 * The time that its seat in a group has.
		 */
		long seat;

		/**
		 * What handlers reported.
		 */
		WorkModel work = new WorkModel();

		Message(String uid, String id) {
			this.uid = uid;
			this.id = id;
		}

		Set<String> tags() {
			return (this.keys != null) ? this.keys.tags() : Set.of();
		}

		Message copy() {
			Message copy = new Message(this.uid, this.id);
			copy.state = this.state;
			copy.due = this.due;
			copy.envelope = this.envelope;
			copy.failures = this.failures;
			copy.crashes = this.crashes;
			copy.lane = this.lane;
			copy.claim = this.claim;
			copy.expiry = this.expiry;
			copy.heldAsSuspect = this.heldAsSuspect;
			copy.cancelled = this.cancelled;
			copy.cause = this.cause;
			copy.target = this.target;
			copy.nameInEnvelope = this.nameInEnvelope;
			copy.history.addAll(this.history);
			copy.keys = this.keys;
			copy.seat = this.seat;
			copy.sentAgain = this.sentAgain;
			copy.work = this.work.copy();
			return copy;
		}

		boolean isAlive() {
			return this.state != State.DEAD && this.state != State.GONE && this.state != State.MISSING;
		}

		void expire(long due) {
			Matcher life = LIFE.matcher(this.envelope);
			this.expiry = (life.find() && life.group(1) != null) ? (Long) (due + Long.parseLong(life.group(1))) : null;
			Long deadline = deadline();
			if (deadline != null && (this.expiry == null || deadline < this.expiry)) {
				this.expiry = deadline;
			}
		}

		/**
		 * Until when it is handled, if that is limited.
		 */
		Long deadline() {
			return deadline(this.envelope,
					Long.parseLong(this.envelope.substring("{\"sentAt\":".length(), this.envelope.indexOf(','))));
		}

		static Long deadline(String envelope, long sentAt) {
			Matcher life = LIFE.matcher(envelope);
			if (!life.find() || life.group(3) == null) {
				return null;
			}
			return Long.parseLong(life.group(3)) + ((life.group(2) != null) ? sentAt : 0);
		}

		void liftDeadline() {
			Matcher life = LIFE.matcher(this.envelope);
			if (life.find() && life.group(3) != null) {
				this.envelope = this.envelope.substring(0, this.envelope.indexOf("\"deadline", life.start()))
						+ this.envelope.substring(life.end());
			}
		}

		/**
		 * In how many rounds it was redriven by a rule; {@code null} if that cannot be
		 * counted, as its envelope does not begin as the store writes it.
		 */
		Integer rounds() {
			Matcher life = LIFE.matcher(this.envelope);
			if (!life.find()) {
				return null;
			}
			Matcher rounds = ROUNDS.matcher(this.envelope).region(life.end(), this.envelope.length());
			return rounds.lookingAt() ? Integer.parseInt(rounds.group(1)) : 0;
		}

		void redriven(int round) {
			Matcher life = LIFE.matcher(this.envelope);
			if (life.find()) {
				Matcher rounds = ROUNDS.matcher(this.envelope).region(life.end(), this.envelope.length());
				String rest = this.envelope.substring(rounds.lookingAt() ? rounds.end() : life.end());
				this.envelope = this.envelope.substring(0, life.end())
						+ ((round > 0) ? "\"redriven\":" + round + "," : "") + rest;
			}
		}

		void note(String line) {
			this.history.add(line);
			if (this.history.size() > 10) {
				this.history.remove(0);
			}
		}

		void restamp() {
			String sentAt = this.envelope.substring("{\"sentAt\":".length(), this.envelope.indexOf(','));
			String others = this.envelope.substring(this.envelope.indexOf(',') + 1);
			if (others.startsWith("\"dueAt\":")) {
				others = others.substring(others.indexOf(',') + 1);
			}
			this.envelope = "{\"sentAt\":" + sentAt + ",\"dueAt\":" + this.due + ","
					+ ((this.nameInEnvelope != null) ? "\"id\":\"" + this.nameInEnvelope + "\"," : "") + others;
			this.nameInEnvelope = null;
		}

		/**
		 * The envelope gets the name, and keeps its times.
		 */
		void takeName() {
			if (this.nameInEnvelope != null) {
				Matcher times = ChangedMessage.TIMES.matcher(this.envelope);
				assertThat(times.lookingAt()).isTrue();
				this.envelope = times.group() + "\"id\":\"" + this.nameInEnvelope + "\","
						+ this.envelope.substring(times.end());
				this.nameInEnvelope = null;
			}
		}

		boolean isHeldUnder(String lane, long claim) {
			return (this.state == State.HELD || this.state == State.MISSING) && this.lane.equals(lane)
					&& this.claim == claim;
		}

		int claimedLength() {
			return length() + this.work.texts().getOrDefault("checkpoint", "").getBytes(StandardCharsets.UTF_8).length;
		}

		int length() {
			return this.envelope.getBytes(StandardCharsets.UTF_8).length;
		}

		void hold(ClaimRequest request, boolean suspect) {
			this.state = State.HELD;
			this.lane = request.lane();
			this.claim = request.seq();
			this.heldAsSuspect = suspect;
		}

		void let() {
			this.lane = "";
			this.claim = 0;
			this.heldAsSuspect = false;
		}

	}

	static final class Lane {

		long last;

		long deadline;

		List<String> refused = List.of();

		List<Message> claimed = List.of();

		boolean hasClaimed;

		Lane(long deadline, long last) {
			this.deadline = deadline;
			this.last = last;
		}

	}

	private static final class Sender {

		long last;

		Object reply = "";

	}

}
