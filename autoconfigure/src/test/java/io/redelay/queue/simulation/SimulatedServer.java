package io.redelay.queue.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.ResumeScript;

/**
 * One queue as the scripts keep it, in plain Java: the part of the protocol that senders
 * and listeners use. It never goes back in time. Each method is one script, whole or not
 * at all, and safe to repeat.
 * <p>
 * Beside the messages it keeps the history that a test checks: who held what, and until
 * when no other lane may.
 */
final class SimulatedServer {

	private static final Comparator<Message> BY_DUE = Comparator.<Message>comparingLong((message) -> message.due)
		.thenComparing((message) -> message.uid);

	private final LongSupplier clock;

	/**
	 * Is notified of each lane that is woken.
	 */
	private final Consumer<String> wakeUps;

	private final Map<String, Message> messages = new LinkedHashMap<>();

	private final List<Message> ready = new ArrayList<>();

	private final List<Message> suspects = new ArrayList<>();

	private final Map<String, Lane> lanes = new TreeMap<>();

	private final Map<String, Sender> senders = new HashMap<>();

	/**
	 * When a sleeping lane comes back by itself.
	 */
	private final Map<String, Long> sleepers = new TreeMap<>();

	/**
	 * Creates a server.
	 * @param clock its clock, ms
	 * @param wakeUps is notified of each lane that is woken
	 */
	SimulatedServer(LongSupplier clock, Consumer<String> wakeUps) {
		this.clock = clock;
		this.wakeUps = wakeUps;
	}

	// What a test asks

	/**
	 * Whether there is nothing to do any more, now or later.
	 */
	boolean isSettled() {
		return this.messages.values().stream().allMatch((message) -> message.state.isFinal());
	}

	/**
	 * Returns what became of each message.
	 */
	Collection<Message> messages() {
		return this.messages.values();
	}

	Message message(String uid) {
		return this.messages.get(uid);
	}

	// Sending

	void openSender(String lane) {
		this.senders.putIfAbsent(lane, new Sender());
	}

	SendReply send(SendRequest request) {
		Sender sender = this.senders.get(request.lane());
		LaneStatus status = (sender == null) ? LaneStatus.GONE : (request.seq() < sender.last) ? LaneStatus.STALE
				: (request.seq() > sender.last + 1) ? LaneStatus.BEHIND : LaneStatus.OK;
		if (sender == null || status != LaneStatus.OK) {
			return new SendReply(status, time(), Map.of(), List.of());
		}
		if (request.seq() == sender.last) {
			return sender.reply;
		}
		boolean anyReady = false;
		for (NewMessage sent : request.messages()) {
			Message message = new Message(sent, due(sent));
			if (this.messages.put(message.uid, message) != null) {
				throw new AssertionError("The message " + message.uid + " was added twice");
			}
			if (message.due <= now()) {
				makeReady(message, false);
				anyReady = true;
			}
		}
		sender.last = request.seq();
		sender.reply = new SendReply(LaneStatus.OK, time(), Map.of(), List.of());
		if (anyReady) {
			wake();
		}
		watch(nextDue());
		return sender.reply;
	}

	SenderState checkSender(String lane) {
		Sender sender = this.senders.get(lane);
		return (sender != null) ? new SenderState(LaneStatus.OK, time(), sender.last)
				: new SenderState(LaneStatus.GONE, time(), 0);
	}

	private long due(NewMessage sent) {
		if (sent.dueAt() != null) {
			return sent.dueAt().toEpochMilli();
		}
		// The millisecond that has begun does not count.
		return (sent.delay() != null && !sent.delay().isZero()) ? now() + 1 + sent.delay().toMillis() : now();
	}

	// Lanes

	void openLane(String lane, Duration lease, long before) {
		if (this.lanes.putIfAbsent(lane, new Lane(now() + lease.toMillis(), before)) == null) {
			watch(now() + lease.toMillis());
		}
	}

	boolean renewLane(String lane, Duration lease, long answered) {
		Lane renewed = this.lanes.get(lane);
		if (renewed == null || renewed.last < answered) {
			return false;
		}
		renewed.deadline = Math.max(renewed.deadline, now() + lease.toMillis());
		return true;
	}

	void closeLane(String lane) {
		this.sleepers.remove(lane);
		Lane closed = this.lanes.get(lane);
		if (closed != null && !heldBy(lane).isEmpty()) {
			closed.deadline = 0;
		}
		else {
			this.lanes.remove(lane);
		}
		wake();
	}

	ResumeScript.Reply resume(ResumeScript.Request request) {
		Lane lane = this.lanes.get(request.lane());
		if (lane == null) {
			return new ResumeScript.Reply(LaneStatus.GONE, 0, Set.of());
		}
		if (request.seq() < lane.last) {
			return new ResumeScript.Reply(LaneStatus.STALE, 0, Set.of());
		}
		if (request.seq() == lane.last && lane.resumed != null) {
			return lane.resumed;
		}
		if (request.wentBack()) {
			throw new AssertionError("The server never goes back in time, as a lane believes: " + request);
		}
		this.sleepers.remove(request.former());
		lane.deadline = now() + request.lease().toMillis();
		Set<String> refused = new HashSet<>();
		for (ResumeScript.Holding holding : request.holdings()) {
			Message message = this.messages.get(holding.uid());
			boolean suspect = message.state == State.SUSPECT;
			if (suspect || message.isHeldBy(request.former(), holding.claim())) {
				this.suspects.remove(message);
				message.hold(request.lane(), holding.claim(), suspect ? false : message.heldAsSuspect);
			}
			else {
				refused.add(holding.uid());
			}
		}
		long givenBack = 0;
		Lane former = this.lanes.get(request.former());
		if (former != null && request.last()) {
			givenBack = heldBy(request.former()).size();
			former.deadline = Lane.GIVES_BACK;
		}
		lane.last = request.seq();
		lane.resumed = new ResumeScript.Reply(LaneStatus.OK, givenBack, refused);
		return lane.resumed;
	}

	// Claiming

	ClaimReply claim(ClaimRequest request) {
		Lane lane = this.lanes.get(request.lane());
		if (lane == null) {
			return nothing(LaneStatus.GONE, 0);
		}
		if (request.seq() < lane.last) {
			return nothing(LaneStatus.STALE, 0);
		}
		if (request.seq() > lane.last + 1) {
			return nothing(LaneStatus.BEHIND, lane.last);
		}
		if (request.seq() == lane.last) {
			lane.deadline = Math.max(lane.deadline, now() + request.lease().toMillis());
			List<ClaimReply.Message> again = lane.claimed.stream()
				.filter((message) -> message.isHeldBy(request.lane(), request.seq()))
				.map(Message::claimed)
				.toList();
			return new ClaimReply(LaneStatus.OK, time(), Duration.ZERO, lane.refused, again, 0);
		}
		this.sleepers.remove(request.lane());
		Set<String> refused = settle(request);
		lane.deadline = now() + request.lease().toMillis();
		buryDeadLanes();
		List<Message> claimed = (request.wanted() > 0) ? take(request) : List.of();
		lane.last = request.seq();
		lane.refused = refused;
		lane.claimed = claimed;
		lane.resumed = null;
		Duration next = next(request, claimed);
		return new ClaimReply(LaneStatus.OK, time(), next, refused, claimed.stream().map(Message::claimed).toList(), 0);
	}

	private ClaimReply nothing(LaneStatus status, long remembered) {
		return new ClaimReply(status, time(), null, Set.of(), List.of(), remembered);
	}

	private Set<String> settle(ClaimRequest request) {
		Set<String> refused = new HashSet<>();
		List<Message> givenBack = new ArrayList<>();
		request.settlements()
			.stream()
			.sorted(Comparator.comparing((settlement) -> settlement.action() != Settlement.Action.ACK))
			.forEach((settlement) -> {
				Message message = this.messages.get(settlement.uid());
				boolean mine = message.isHeldBy(request.lane(), settlement.claim());
				boolean done = settlement.action() == Settlement.Action.ACK && message.state != State.HELD;
				if (!mine && !done) {
					refused.add(settlement.uid());
				}
				else if (mine || !message.state.isFinal()) {
					settle(message, settlement, givenBack);
				}
			});
		for (int i = givenBack.size() - 1; i >= 0; i--) {
			makeReady(givenBack.get(i), true);
		}
		return refused;
	}

	private void settle(Message message, Settlement settlement, List<Message> givenBack) {
		this.ready.remove(message);
		this.suspects.remove(message);
		boolean wasSuspect = message.heldAsSuspect;
		message.let();
		if (settlement.action() == Settlement.Action.ACK) {
			message.state = State.DONE;
			return;
		}
		if (settlement.action() == Settlement.Action.BURY) {
			message.state = State.DEAD;
			return;
		}
		boolean failed = settlement.action() == Settlement.Action.RETRY;
		if (failed) {
			message.failures++;
		}
		if (!settlement.delay().isZero()) {
			message.due = now() + 1 + settlement.delay().toMillis();
			message.state = State.SCHEDULED;
		}
		else if (!failed && wasSuspect) {
			message.state = State.SUSPECT;
			this.suspects.add(0, message);
		}
		else if (failed) {
			makeReady(message, false);
		}
		else {
			givenBack.add(message);
		}
	}

	/**
	 * Makes suspects of what dead lanes hold, but for what a consumer gives back that
	 * lives on another lane.
	 */
	private void buryDeadLanes() {
		this.lanes.entrySet().removeIf((entry) -> {
			if (entry.getValue().deadline > now()) {
				return false;
			}
			boolean givesBack = entry.getValue().deadline == Lane.GIVES_BACK;
			for (Message message : heldBy(entry.getKey())) {
				boolean wasSuspect = message.heldAsSuspect;
				message.let();
				message.losses++;
				if (givesBack && !wasSuspect) {
					makeReady(message, true);
					continue;
				}
				if (wasSuspect && !givesBack) {
					message.crashes++;
				}
				message.state = State.SUSPECT;
				this.suspects.add(message);
			}
			return true;
		});
	}

	private List<Message> take(ClaimRequest request) {
		this.messages.values()
			.stream()
			.filter((message) -> message.state == State.SCHEDULED && message.due <= now())
			.sorted(BY_DUE)
			.forEach((message) -> makeReady(message, false));
		List<Message> taken = new ArrayList<>();
		if (request.suspect() && !this.suspects.isEmpty()) {
			Message suspect = this.suspects.remove(0);
			suspect.hold(request.lane(), request.seq(), true);
			taken.add(suspect);
		}
		while (taken.size() < request.wanted() && !this.ready.isEmpty()) {
			Message next = this.ready.remove(0);
			next.hold(request.lane(), request.seq(), false);
			taken.add(next);
		}
		return taken;
	}

	private Duration next(ClaimRequest request, List<Message> claimed) {
		boolean tookSuspect = claimed.stream().anyMatch((message) -> message.heldAsSuspect);
		boolean suspectsLeft = !this.suspects.isEmpty();
		boolean atOnce = request.wanted() > 0
				&& (!this.ready.isEmpty() || (suspectsLeft && request.suspect() && !tookSuspect));
		if (!this.ready.isEmpty() || suspectsLeft) {
			wake();
		}
		long event = nextDue();
		boolean sleeps = !request.sleep().isZero();
		if (!atOnce && (!claimed.isEmpty() || request.wanted() == 0 || !sleeps)) {
			watch(event);
		}
		if (atOnce) {
			return Duration.ZERO;
		}
		for (Map.Entry<String, Lane> other : this.lanes.entrySet()) {
			if (!other.getKey().equals(request.lane())) {
				event = Math.min(event, other.getValue().deadline);
			}
		}
		if (claimed.isEmpty() && request.wanted() > 0 && sleeps) {
			this.sleepers.put(request.lane(), Math.min(event, now() + request.sleep().toMillis()));
		}
		return (event != Long.MAX_VALUE) ? Duration.ofMillis(Math.max(0, event - now())) : null;
	}

	/**
	 * Wakes the lane that would sleep for the longest time.
	 */
	private void wake() {
		this.sleepers.entrySet().stream().max(Map.Entry.comparingByValue()).ifPresent((sleeper) -> {
			this.sleepers.remove(sleeper.getKey());
			this.wakeUps.accept(sleeper.getKey());
		});
	}

	/**
	 * Makes sure that a sleeper comes back when something happens next.
	 */
	private void watch(long event) {
		if (event != Long.MAX_VALUE
				&& this.sleepers.values().stream().noneMatch((time) -> time >= now() && time <= event)) {
			wake();
		}
	}

	private void makeReady(Message message, boolean first) {
		message.state = State.READY;
		this.ready.add(first ? 0 : this.ready.size(), message);
	}

	private List<Message> heldBy(String lane) {
		return this.messages.values()
			.stream()
			.filter((message) -> message.state == State.HELD && message.lane.equals(lane))
			.toList();
	}

	private long nextDue() {
		return this.messages.values()
			.stream()
			.filter((message) -> message.state == State.SCHEDULED)
			.mapToLong((message) -> message.due)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	private long now() {
		return this.clock.getAsLong();
	}

	private Instant time() {
		return Instant.ofEpochMilli(now());
	}

	enum State {

		SCHEDULED, READY, SUSPECT, HELD, DONE, DEAD;

		boolean isFinal() {
			return this == DONE || this == DEAD;
		}

	}

	/**
	 * A message and where it is.
	 */
	static final class Message {

		final String uid;

		private final byte[] envelope;

		State state = State.SCHEDULED;

		long due;

		int failures;

		int crashes;

		/**
		 * How often a lane lost it whose lease ran out.
		 */
		int losses;

		private String lane = "";

		private long claim;

		private boolean heldAsSuspect;

		Message(NewMessage sent, long due) {
			this.uid = sent.uid();
			this.envelope = sent.envelope();
			this.due = due;
		}

		boolean isHeldBy(String lane, long claim) {
			return this.state == State.HELD && this.lane.equals(lane) && this.claim == claim;
		}

		private void hold(String lane, long claim, boolean suspect) {
			this.state = State.HELD;
			this.lane = lane;
			this.claim = claim;
			this.heldAsSuspect = suspect;
		}

		private void let() {
			this.lane = "";
			this.claim = 0;
			this.heldAsSuspect = false;
		}

		private ClaimReply.Message claimed() {
			return new ClaimReply.Message(this.uid, this.claim, this.failures, this.crashes, this.heldAsSuspect,
					this.envelope);
		}

		@Override
		public String toString() {
			return this.uid + " " + this.state + " due " + this.due + " failures " + this.failures + " crashes "
					+ this.crashes + (this.lane.isEmpty() ? "" : " held by " + this.lane + "/" + this.claim);
		}

	}

	/**
	 * What is known of a lane that claims.
	 */
	private static final class Lane {

		/**
		 * The deadline of a lane whose consumer lives on another one.
		 */
		static final long GIVES_BACK = -1;

		private long deadline;

		private long last;

		private Set<String> refused = Set.of();

		private List<Message> claimed = List.of();

		private ResumeScript.Reply resumed;

		Lane(long deadline, long last) {
			this.deadline = deadline;
			this.last = last;
		}

	}

	/**
	 * What is known of a lane that sends.
	 */
	private static final class Sender {

		private long last;

		private SendReply reply;

	}

}
