package io.redelay.queue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the store is meant to do, in plain Java and without a thought for speed. It is
 * given each request with the reply that the real store gave, says whether the reply is
 * right, and does the same; then it compares itself with all that is in Redis.
 */
final class StoreModel {

	/**
	 * As many due messages as a claim makes ready at least.
	 */
	private static final int DUE_AT_A_TIME = 100;

	/**
	 * A sleeper who is that late will not come back.
	 */
	private static final long LOST_SLEEPER = 60_000;

	final Map<String, Message> messages = new LinkedHashMap<>();

	final Map<String, Lane> lanes = new TreeMap<>();

	/**
	 * Who comes back by itself, and when.
	 */
	final Map<String, Long> sleepers = new HashMap<>();

	private final Map<String, Sender> senders = new TreeMap<>();

	private final List<Message> ready = new ArrayList<>();

	/**
	 * The owner of each id, which may be dead.
	 */
	private final Map<String, Message> ids = new HashMap<>();

	long now;

	StoreModel(long now) {
		this.now = now;
	}

	List<Message> in(State state) {
		return this.messages.values().stream().filter((message) -> message.state == state).toList();
	}

	List<Message> living() {
		return this.messages.values().stream().filter(Message::isAlive).toList();
	}

	List<Message> heldBy(String lane) {
		return in(State.HELD).stream().filter((message) -> message.lane.equals(lane)).toList();
	}

	/**
	 * When the first scheduled message is due, or the end of time.
	 */
	long nextDue() {
		return in(State.SCHEDULED).stream().mapToLong((message) -> message.due).min().orElse(Long.MAX_VALUE);
	}

	void openSender(String lane) {
		this.senders.putIfAbsent(lane, new Sender());
	}

	void send(SendRequest request, SendReply reply) {
		Sender sender = this.senders.get(request.lane());
		if (sender == null) {
			assertThat(reply.status()).isEqualTo(LaneStatus.GONE);
			return;
		}
		if (request.seq() < sender.last) {
			assertThat(reply.status()).isEqualTo(LaneStatus.STALE);
			return;
		}
		if (request.seq() == sender.last) {
			assertThat(reply).as("reply to a repeated request").isEqualTo(sender.reply);
			return;
		}
		Map<Integer, SendReply.Duplicate> duplicates = new HashMap<>();
		for (int i = 0; i < request.messages().size(); i++) {
			NewMessage sent = request.messages().get(i);
			Message owner = (sent.id() != null) ? this.ids.get(sent.id()) : null;
			if (owner != null && owner.isAlive()) {
				long due = (owner.state == State.SCHEDULED) ? owner.due : this.now;
				duplicates.put(i, new SendReply.Duplicate(owner.uid, Instant.ofEpochMilli(due)));
				continue;
			}
			add(sent);
		}
		sender.last = request.seq();
		sender.reply = new SendReply(LaneStatus.OK, Instant.ofEpochMilli(this.now), duplicates);
		assertThat(reply).isEqualTo(sender.reply);
	}

	private void add(NewMessage sent) {
		Message message = new Message(sent.uid(), sent.id());
		if (sent.dueAt() != null) {
			message.due = sent.dueAt().toEpochMilli();
		}
		else {
			message.due = (sent.delay() != null) ? this.now + 1 + sent.delay().toMillis() : this.now;
		}
		String times = "{\"sentAt\":" + this.now + ((message.due != this.now) ? ",\"dueAt\":" + message.due : "");
		message.envelope = times + "," + new String(sent.envelope(), StandardCharsets.UTF_8).substring(1);
		this.messages.put(message.uid, message);
		if (message.due <= this.now) {
			message.state = State.READY;
			this.ready.add(message);
		}
		else {
			message.state = State.SCHEDULED;
		}
		if (sent.id() != null) {
			this.ids.put(sent.id(), message);
		}
	}

	void openLane(String lane, Duration lease) {
		this.lanes.computeIfAbsent(lane, (name) -> new Lane(this.now + lease.toMillis()));
	}

	void renewLane(String name, Duration lease, boolean alive) {
		Lane lane = this.lanes.get(name);
		assertThat(alive).as("renewed").isEqualTo(lane != null);
		if (lane != null) {
			lane.deadline = Math.max(lane.deadline, this.now + lease.toMillis());
		}
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
			assertThat(reply.refused()).as("refused, as before").isEqualTo(Set.copyOf(lane.refused));
			assertThat(reply.next()).isEqualTo(Duration.ZERO);
			List<Message> still = lane.claimed.stream()
				.filter((message) -> message.isHeldUnder(request.lane(), request.seq()))
				.toList();
			assertClaimed(reply, still);
			return;
		}
		this.sleepers.remove(request.lane());
		List<String> refused = settle(request, lane);
		if (lane == null) {
			assertThat(reply.status()).isEqualTo(LaneStatus.GONE);
			return;
		}
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		assertThat(reply.refused()).as("refused").isEqualTo(Set.copyOf(refused));
		lane.last = request.seq();
		lane.deadline = this.now + request.lease().toMillis();
		lane.refused = refused;
		reapDeadLanes();
		lane.claimed = claim(request, reply);
		assertThat(reply.next()).as("next").isEqualTo(next(request, reply, found));
		boolean comesAtOnce = Duration.ZERO.equals(reply.next()) && (request.wanted() > 0)
				&& (!this.ready.isEmpty() || !found.ready().isEmpty()
						|| (request.suspect() && !tookSuspect(reply) && !found.suspects().isEmpty()));
		if (reply.messages().size() < request.wanted() && !request.sleep().isZero() && !comesAtOnce) {
			long back = this.now + request.sleep().toMillis();
			if (reply.next() != null) {
				back = Math.min(back, event(request.lane()));
			}
			this.sleepers.values().removeIf((other) -> other <= this.now - LOST_SLEEPER);
			this.sleepers.put(request.lane(), back);
		}
	}

	private List<String> settle(ClaimRequest request, Lane lane) {
		List<String> refused = new ArrayList<>();
		Set<String> settled = new HashSet<>();
		List<Message> readyAgain = new ArrayList<>();
		List<Settlement> acknowledgementsFirst = request.settlements()
			.stream()
			.sorted(Comparator.comparing((settlement) -> settlement.action() != Settlement.Action.ACK))
			.toList();
		for (Settlement settlement : acknowledgementsFirst) {
			Message message = this.messages.get(settlement.uid());
			boolean ack = settlement.action() == Settlement.Action.ACK;
			boolean mine = lane != null && message != null && message.isHeldUnder(request.lane(), settlement.claim());
			boolean nobodys = message == null || message.state != State.HELD;
			if (settled.contains(settlement.uid()) || (!mine && !(ack && nobodys))) {
				refused.add(settlement.uid());
				continue;
			}
			settled.add(settlement.uid());
			if (ack) {
				if (message != null && message.isAlive()) {
					finish(message);
				}
				continue;
			}
			boolean suspect = message.heldAsSuspect;
			message.let();
			switch (settlement.action()) {
				case RETRY -> {
					message.failures++;
					if (settlement.delay().isZero()) {
						message.state = State.READY;
						this.ready.add(message);
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
				case BURY -> {
					message.state = State.DEAD;
					message.due = this.now;
					message.cause = settlement.cause();
				}
				default -> throw new IllegalStateException();
			}
		}
		this.ready.addAll(0, readyAgain);
		return refused;
	}

	private void schedule(Message message, Duration delay) {
		message.state = State.SCHEDULED;
		message.due = this.now + 1 + delay.toMillis();
	}

	private void finish(Message message) {
		message.let();
		message.state = State.GONE;
		this.ready.remove(message);
		if (message.id != null) {
			this.ids.remove(message.id, message);
		}
	}

	private void reapDeadLanes() {
		this.lanes.entrySet().removeIf((entry) -> {
			if (entry.getValue().deadline > this.now) {
				return false;
			}
			for (Message message : heldBy(entry.getKey())) {
				if (message.heldAsSuspect) {
					message.crashes++;
				}
				message.let();
				message.state = State.SUSPECT;
			}
			return true;
		});
	}

	private List<Message> claim(ClaimRequest request, ClaimReply reply) {
		List<Message> expected = new ArrayList<>();
		if (request.wanted() > 0) {
			in(State.SCHEDULED).stream()
				.filter((message) -> message.due <= this.now)
				.sorted(Comparator.<Message>comparingLong((message) -> message.due)
					.thenComparing((message) -> message.uid))
				.limit(Math.max(DUE_AT_A_TIME, request.wanted() * 2))
				.forEach((message) -> {
					message.state = State.READY;
					this.ready.add(message);
				});
			if (request.suspect() && !in(State.SUSPECT).isEmpty()) {
				// Which one is the store's choice.
				assertThat(reply.messages()).as("a suspect comes first").isNotEmpty();
				Message suspect = this.messages.get(reply.messages().get(0).uid());
				assertThat(suspect.state).as("state of %s", suspect.uid).isEqualTo(State.SUSPECT);
				suspect.hold(request, true);
				expected.add(suspect);
			}
			int bytes = expected.stream().mapToInt(Message::length).sum();
			while (expected.size() < request.wanted() && !this.ready.isEmpty()) {
				Message next = this.ready.get(0);
				bytes += next.length();
				if (bytes > request.maxBytes() && !expected.isEmpty()) {
					break;
				}
				this.ready.remove(0);
				next.hold(request, false);
				expected.add(next);
			}
		}
		assertClaimed(reply, expected);
		return expected;
	}

	private void assertClaimed(ClaimReply reply, List<Message> expected) {
		assertThat(reply.messages().stream().map(StoreModel::describe)).as("claimed")
			.containsExactlyElementsOf(expected.stream().map(StoreModel::describe).toList());
	}

	private static String describe(ClaimedMessage claimed) {
		return "%s claim %d, failures %d, crashes %d, suspect %s: %s".formatted(claimed.uid(), claimed.claim(),
				claimed.failures(), claimed.crashes(), claimed.suspect(),
				new String(claimed.envelope(), StandardCharsets.UTF_8));
	}

	private static String describe(Message message) {
		return "%s claim %d, failures %d, crashes %d, suspect %s: %s".formatted(message.uid, message.claim,
				message.failures, message.crashes, message.heldAsSuspect, message.envelope);
	}

	private Duration next(ClaimRequest request, ClaimReply reply, StoreDump found) {
		boolean readyLeft = !this.ready.isEmpty();
		// Entries without a message are passed over, some at a time.
		boolean staleLeft = !found.ready().isEmpty()
				|| (!found.suspects().isEmpty() && request.suspect() && !tookSuspect(reply));
		if (request.wanted() > 0 && (readyLeft || (staleLeft && Duration.ZERO.equals(reply.next())))) {
			return Duration.ZERO;
		}
		long event = event(request.lane());
		return (event != Long.MAX_VALUE) ? Duration.ofMillis(Math.max(0, event - this.now)) : null;
	}

	private static boolean tookSuspect(ClaimReply reply) {
		return reply.messages().stream().anyMatch(ClaimedMessage::suspect);
	}

	/**
	 * When something happens next, as far as a lane is concerned.
	 */
	private long event(String lane) {
		long event = nextDue();
		for (Map.Entry<String, Lane> other : this.lanes.entrySet()) {
			if (!other.getKey().equals(lane)) {
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
			.containsExactlyElementsOf(this.ready.stream().map((message) -> message.uid).toList());
		assertThat(found.suspects().stream().filter(living::contains)).as("suspects")
			.containsExactlyInAnyOrderElementsOf(in(State.SUSPECT).stream().map((message) -> message.uid).toList());
		assertThat(found.scheduled()).as("scheduled").isEqualTo(byUid(in(State.SCHEDULED), (message) -> message.due));
		Map<String, String> held = byUid(in(State.HELD),
				(message) -> message.lane + "/" + message.claim + (message.heldAsSuspect ? "!" : ""));
		this.lanes.forEach((name, lane) -> held.put("@" + name,
				lane.last + "|" + heldBy(name).size() + "|" + String.join(" ", lane.refused) + "|"
						+ lane.claimed.stream().map((message) -> message.uid).collect(Collectors.joining(" "))));
		assertThat(found.held()).as("held").isEqualTo(held);
		Map<String, Long> deadlines = new HashMap<>();
		this.lanes.forEach((name, lane) -> deadlines.put(name, lane.deadline));
		assertThat(found.lanes()).as("lanes by deadline").isEqualTo(deadlines);
		assertThat(found.tries()).as("failures/crashes")
			.isEqualTo(byUid(living().stream().filter((message) -> message.failures + message.crashes > 0).toList(),
					(message) -> message.failures + "/" + message.crashes));
		assertThat(found.dead()).as("dead").isEqualTo(byUid(in(State.DEAD), (message) -> message.due));
		Map<String, String> deadMessages = byUid(in(State.DEAD), (message) -> message.envelope);
		in(State.DEAD).forEach((message) -> deadMessages.put(message.uid + "/cause", message.cause));
		assertThat(found.deadMessages()).as("bodies of the dead").isEqualTo(deadMessages);
		Map<String, String> owners = new HashMap<>();
		this.ids.forEach((id, message) -> {
			owners.put("i:" + id, message.uid);
			owners.put("u:" + message.uid, id);
		});
		assertThat(found.ids()).as("ids").isEqualTo(owners);
		assertThat(found.sleepers()).as("sleepers").isEqualTo(this.sleepers);
		compareExpiries(found);
	}

	private void compareExpiries(StoreDump found) {
		boolean somethingHeld = !in(State.HELD).isEmpty();
		found.expiries().forEach((key, expiry) -> {
			boolean expires = switch (key) {
				case "messages", "ready", "suspects", "scheduled", "tries", "dead", "dead:messages", "ids", "meta" ->
					false;
				case "held", "lanes" -> !somethingHeld;
				case "sleepers" -> true;
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

		SCHEDULED, READY, SUSPECT, HELD, DEAD, GONE

	}

	static final class Message {

		final String uid;

		final String id;

		State state;

		long due;

		String envelope = "";

		int failures;

		int crashes;

		String lane = "";

		long claim;

		boolean heldAsSuspect;

		String cause = "";

		Message(String uid, String id) {
			this.uid = uid;
			this.id = id;
		}

		boolean isAlive() {
			return this.state != State.DEAD && this.state != State.GONE;
		}

		boolean isHeldUnder(String lane, long claim) {
			return this.state == State.HELD && this.lane.equals(lane) && this.claim == claim;
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

		Lane(long deadline) {
			this.deadline = deadline;
		}

	}

	private static final class Sender {

		long last;

		SendReply reply = new SendReply(LaneStatus.OK, Instant.EPOCH, Map.of());

	}

}
