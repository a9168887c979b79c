package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.script.StoreModel.Message;
import io.redelay.queue.script.StoreModel.State;
import io.redelay.queue.wire.StoreDump;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whose turn it is by ordering key, who waits for that, and what is ready by level and
 * fairness key: the part of {@link StoreModel} for messages with keys and priorities.
 */
final class TurnsModel {

	static final int MAX_WEIGHT = 3;

	/**
	 * The group of plain messages.
	 */
	private static final String PLAIN = "5";

	/**
	 * By ordering key.
	 */
	private final Map<String, Message> turns = new TreeMap<>();

	/**
	 * By ordering key, those that come first first.
	 */
	private final Map<String, List<Message>> lines = new TreeMap<>();

	/**
	 * What is ready, the next one of each group first.
	 */
	private final Map<String, List<Message>> groups = new TreeMap<>(Map.of(PLAIN, new ArrayList<>()));

	/**
	 * Those that have ended and may have the turn still.
	 */
	private final List<Message> ended = new ArrayList<>();

	/**
	 * How many messages of other groups of its level were claimed since a group that has
	 * something was served.
	 */
	private final Map<String, Map<String, Integer>> passedOver = new HashMap<>();

	void copyTo(TurnsModel copy, Function<Message, Message> copied) {
		this.turns.forEach((key, message) -> copy.turns.put(key, copied.apply(message)));
		this.lines.forEach((key, line) -> copy.line(key).addAll(line.stream().map(copied).toList()));
		this.groups.forEach((group, list) -> copy.group(group).addAll(list.stream().map(copied).toList()));
	}

	/**
	 * What is ready and plain, which the store has in a list.
	 */
	List<Message> plain() {
		return this.groups.get(PLAIN);
	}

	List<Message> ready() {
		return this.groups.values().stream().flatMap(List::stream).toList();
	}

	/**
	 * What has a seat, in the order in which the store has them.
	 */
	List<Message> seated() {
		List<Message> seated = new ArrayList<>();
		this.groups.forEach((group, list) -> seated.addAll(group.equals(PLAIN) ? List.of() : list));
		this.lines.values().forEach(seated::addAll);
		return seated;
	}

	void clear() {
		this.turns.clear();
		this.lines.clear();
		this.groups.clear();
		group(PLAIN);
		this.passedOver.clear();
	}

	private List<Message> line(String key) {
		return this.lines.computeIfAbsent(key, (name) -> new ArrayList<>());
	}

	private List<Message> group(String group) {
		return this.groups.computeIfAbsent(group, (name) -> new ArrayList<>());
	}

	/**
	 * How many messages the line of an ordering key has, that whose turn it is included.
	 */
	int lineLength(String key) {
		Message holder = this.turns.get(key);
		boolean isThere = holder != null && (holder.isAlive() || holder.state == State.DEAD);
		return (isThere ? 1 : 0) + this.lines.getOrDefault(key, List.of()).size();
	}

	boolean hasTurn(Message message) {
		return this.turns.containsValue(message);
	}

	private static String orderingKey(Message message) {
		return (message.keys != null) ? message.keys.orderingKey() : null;
	}

	static String fairnessKey(Message message) {
		return (message.keys != null) ? Objects.requireNonNullElse(message.keys.fairnessKey(), "") : "";
	}

	private static int level(String group) {
		return group.startsWith("a") ? 5 : group.charAt(0) - '0';
	}

	// The three verbs -----------------------------------------------------------------

	/**
	 * Messages become ready, or line up for the turn of their key.
	 */
	void place(Collection<Message> messages, boolean front, long now) {
		List<Message> free = lineUp(messages, front);
		free.forEach((message) -> message.state = State.READY);
		enter(free, front, now);
	}

	/**
	 * Those wait in line whose turn it is not. Gives the others.
	 */
	List<Message> lineUp(Collection<Message> messages, boolean front) {
		List<Message> free = new ArrayList<>();
		int waiting = 0;
		for (Message message : messages) {
			String key = orderingKey(message);
			if (key == null || this.turns.computeIfAbsent(key, (unused) -> message) == message) {
				free.add(message);
			}
			else {
				message.state = State.LINED;
				line(key).add(front ? waiting++ : line(key).size(), message);
			}
		}
		return free;
	}

	private void enter(List<Message> messages, boolean front, long now) {
		for (int i = 0; i < messages.size(); i++) {
			Message message = messages.get(front ? messages.size() - 1 - i : i);
			List<Message> group = group(groupOf(message));
			Duration ageing = (message.keys != null) ? message.keys.ageing() : null;
			message.seat = (ageing != null && !front) ? now - ageing.toMillis() * priority(message.keys) : 0;
			int position = group.size();
			while (position > 0 && group.get(position - 1).seat > message.seat) {
				position--;
			}
			group.add(front ? 0 : position, message);
		}
	}

	/**
	 * A message leaves the place where it waits.
	 */
	void leave(Message message) {
		this.groups.values().forEach((group) -> group.remove(message));
		this.lines.values().forEach((line) -> line.remove(message));
	}

	/**
	 * A message is no more: {@link #passOn} is to follow.
	 */
	void end(Message message) {
		leave(message);
		this.ended.add(message);
	}

	/**
	 * Those that have ended, to be passed to {@link #passOn}.
	 */
	List<Message> takeEnded() {
		List<Message> all = List.copyOf(this.ended);
		this.ended.clear();
		return all;
	}

	void passOn(List<Message> messages, long now) {
		List<Message> followers = new ArrayList<>();
		for (Message message : messages) {
			String key = orderingKey(message);
			if (key != null && this.turns.remove(key, message) && !line(key).isEmpty()) {
				Message next = line(key).remove(0);
				next.state = State.READY;
				this.turns.put(key, next);
				followers.add(next);
			}
		}
		enter(followers, false, now);
	}

	void handOver(Message message, Message fresh) {
		String key = orderingKey(message);
		if (key != null) {
			this.turns.replace(key, message, fresh);
		}
	}

	/**
	 * A message is held because its consumer has it.
	 */
	void takeTurn(Message message, Set<String> finished, long now) {
		String key = orderingKey(message);
		if (key == null) {
			return;
		}
		Message holder = this.turns.get(key);
		if (holder != null && finished.contains(message.uid)) {
			return;
		}
		if (holder != null && holder != message && holder.state == State.HELD && !finished.contains(holder.uid)) {
			return;
		}
		this.turns.put(key, message);
		if (holder != null && holder != message && holder.state == State.READY) {
			leave(holder);
			place(List.of(holder), true, now);
		}
	}

	// Claims --------------------------------------------------------------------------

	/**
	 * Takes what the store chose, if that is right: the next one of a group of the first
	 * level that has something.
	 */
	void claim(List<Message> chosen, ClaimRequest request, LimitsModel.Rooms rooms, int bytesBefore, int before) {
		Map<String, Integer> waited = this.groups.entrySet()
			.stream()
			.filter((group) -> !group.getValue().isEmpty())
			.collect(Collectors.toMap(Map.Entry::getKey, (group) -> group.getValue().size()));
		Map<String, Integer> taken = new HashMap<>();
		int bytes = bytesBefore;
		for (Message message : chosen) {
			String group = groupOf(message);
			assertThat(group(group)).as("ready in the group of %s", message.uid).isNotEmpty();
			assertThat(message.uid).as("the first one of the group '%s'", group).isEqualTo(group(group).get(0).uid);
			assertThat(level(group)).as("the first level that has room when %s was taken", message.uid)
				.isLessThanOrEqualTo(first(rooms));
			rooms.take(fairnessKey(message));
			group(group).remove(0);
			taken.merge(group, 1, Integer::sum);
			bytes += message.claimedLength();
		}
		int total = before + chosen.size();
		assertThat(total).as("claimed").isLessThanOrEqualTo(request.wanted());
		assertThat(bytes <= request.maxBytes() || total <= 1).as("%d bytes are within the limit", bytes).isTrue();
		if (total < request.wanted() && rooms.least() > 0 && first(rooms) < 10) {
			int shortOf = request.maxBytes() - bytes;
			assertThat(ready()).as("messages that are longer than the %d bytes that are left", shortOf)
				.anyMatch((message) -> message.claimedLength() > shortOf && total > 0);
		}
		if (request.maxBytes() < 1_000_000 || rooms.limitsKeys()) {
			this.passedOver.clear();
			return;
		}
		this.passedOver.keySet().retainAll(waited.keySet());
		waited.forEach((group, count) -> {
			if (taken.containsKey(group)) {
				this.passedOver.remove(group);
				return;
			}
			Map<String, Integer> others = this.passedOver.computeIfAbsent(group, (unused) -> new HashMap<>());
			taken.forEach((other, n) -> {
				if (level(other) == level(group)) {
					assertThat(others.merge(other, n, Integer::sum))
						.as("messages of the group '%s' since '%s' was served", other, group)
						.isLessThanOrEqualTo(2 * MAX_WEIGHT + 2);
				}
			});
		});
	}

	/**
	 * The first level of which something is ready that is not held up.
	 */
	int first(LimitsModel.Rooms rooms) {
		return this.groups.entrySet()
			.stream()
			.filter((group) -> !group.getValue().isEmpty() && rooms.mustTake(group.getKey().substring(1)))
			.mapToInt((group) -> level(group.getKey()))
			.min()
			.orElse(10);
	}

	// Comparison ----------------------------------------------------------------------

	void compare(StoreDump found, List<Message> living, boolean wentBack) {
		assertThat(found.keys()).as("attributes")
			.isEqualTo(living.stream()
				.filter((message) -> message.keys != null)
				.collect(Collectors.toMap((message) -> message.uid, (message) -> attributes(message.keys))));
		assertThat(found.order()).as("whose turn it is")
			.isEqualTo(this.turns.entrySet()
				.stream()
				.collect(Collectors.toMap(Map.Entry::getKey, (turn) -> turn.getValue().uid)));
		assertThat(found.waiting().stream().map((member) -> member.substring(member.indexOf(0) + 32)))
			.as("seats in order")
			.containsExactlyElementsOf(seated().stream().map((message) -> message.uid).toList());
		assertThat(found.seats().values()).as("seats").containsExactlyInAnyOrderElementsOf(found.waiting());
		found.seats().forEach((uid, member) -> assertThat(member).as("the seat of %s", uid).endsWith(uid));
		Map<String, String> busy = new HashMap<>();
		living.stream()
			.filter((message) -> message.state == State.HELD && message.keys != null
					&& message.keys.fairnessKey() != null)
			.collect(Collectors.groupingBy((message) -> message.keys.fairnessKey(), Collectors.counting()))
			.forEach((key, count) -> busy.put(key, count.toString()));
		assertThat(found.busy()).as("held by fairness key").isEqualTo(busy);
		Set<String> waiting = this.groups.entrySet()
			.stream()
			.filter((group) -> !group.getKey().equals(PLAIN) && !group.getValue().isEmpty())
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
		Set<String> known = new HashSet<>(found.turns().keySet());
		known.addAll(found.blocked().keySet());
		assertThat(known).as("groups that take turns, or are blocked").containsAll(waiting);
		assertThat(found.turns().keySet()).as("groups that take turns").noneMatch(found.blocked()::containsKey);
		if (!wentBack) {
			assertThat(living.stream()
				.filter((message) -> message.state == State.HELD && orderingKey(message) != null)
				.map(TurnsModel::orderingKey)).as("ordering keys of what is held").doesNotHaveDuplicates();
		}
		assertThat(living.stream().filter((message) -> message.state == State.LINED).map(TurnsModel::orderingKey))
			.as("ordering keys of what waits in line")
			.allMatch(this.turns::containsKey);
	}

	private static int priority(MessageKeys keys) {
		return Objects.requireNonNullElse(keys.priority(), 4);
	}

	private static String groupOf(Message message) {
		if (message.keys == null) {
			return PLAIN;
		}
		String level = (message.keys.ageing() != null) ? "a" : Integer.toString(9 - priority(message.keys));
		return level + Objects.requireNonNullElse(message.keys.fairnessKey(), "");
	}

	static String attributes(MessageKeys keys) {
		Duration ageing = keys.ageing();
		return "%s\0%s\0%d\0%s\0%s\0%s".formatted(Objects.requireNonNullElse(keys.orderingKey(), ""),
				Objects.requireNonNullElse(keys.fairnessKey(), ""), keys.weight(),
				(ageing != null) ? "a" : Integer.toString(9 - priority(keys)),
				(ageing != null) ? Long.toString(ageing.toMillis() * priority(keys)) : "",
				keys.deadHoldsKey() ? "1" : "") + (keys.tags().isEmpty() ? "" : "\0" + String.join("\n", keys.tags()));
	}

}
