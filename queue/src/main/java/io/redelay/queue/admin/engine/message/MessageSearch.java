package io.redelay.queue.admin.engine.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ScanScript;
import io.redelay.queue.script.admin.ScanScript.Request.What;
import org.jspecify.annotations.Nullable;

/**
 * Searches the messages of a queue in steps of bounded work: first the living ones, then
 * the dead, then the completed, as far as their states are wanted, each of one partition
 * after the other. Of the living ones of a partition those that are packed come first:
 * what comes near meanwhile is found then. Last come those that were packed since the
 * search of the partition began: what was packed before the search came to it.
 *
 * @since 0.1.0
 */
public record MessageSearch(AdminScripts store, MessageReader reader, KnownPartitions partitions, PageReader pages,
		MessagesByTag tagged) {

	/**
	 * How many messages a call examines before it returns what it has; its last step may
	 * exceed that.
	 */
	static final int MAX_EXAMINED = 1000;

	private static final long MAX_BYTES = 4 * 1024 * 1024;

	private static final int MAX_STEPS = 20;

	private static final Set<What> LIVING_KINDS = EnumSet.of(What.FAR, What.LIVING, What.IN_FLIGHT, What.SCHEDULED,
			What.FAR_SINCE);

	public static final Set<MessageState> LIVING = EnumSet.of(MessageState.SCHEDULED, MessageState.READY,
			MessageState.IN_FLIGHT);

	/**
	 * Continues a search, or begins one.
	 * @param cursor where it goes on, or {@code null} at first
	 * @param limit how many are wanted; there may be some more of those that come in no
	 * order
	 */
	public SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit) {
		MessageMatcher matcher = new MessageMatcher(filter);
		String id = filter.id();
		if (id != null) {
			return named(queue, id, matcher);
		}
		String tag = filter.tag();
		if (tag != null) {
			return tagged(queue, tag, matcher, cursor, limit);
		}
		Set<MessageState> states = states(filter);
		List<What> kinds = kinds(states);
		SearchCursor place = (cursor != null) ? SearchCursor.of(cursor) : start(kinds.get(0), 0, filter, "");
		if (!kinds.contains(place.what())) {
			throw new IllegalArgumentException("'cursor' was returned by a search with another filter: " + cursor);
		}
		List<String> all = this.partitions.of(queue);
		List<QueuedMessage> found = new ArrayList<>();
		Set<String> uids = new HashSet<>(); // living ones may be seen twice
		Budget budget = new Budget();
		int ask = Math.max(limit, 20);
		SearchCursor next = place;
		while (next != null && found.size() < limit && budget.isLeft()) {
			int room = limit - found.size();
			int count = Math.min(ask, Math.min(AdminScripts.MAX_PAGE, budget.leftToExamine()));
			Step step = step(all, next, states, count, matcher, budget);
			if (step.matching.size() > room && count > room) {
				// Messages that do not fit would be lost: take a smaller step instead.
				ask = room;
				step = step(all, next, states, room, matcher, budget);
			}
			else if (step.matching.size() * 4 < room && (step.last != null || !next.what().isPacked())) {
				ask = Math.min(AdminScripts.MAX_PAGE, ask * 2);
			}
			step.matching.stream().filter((message) -> uids.add(message.uid())).forEach(found::add);
			next = step.isOver(filter) ? after(next, step, kinds, all.size(), filter) : step.next;
		}
		return new SearchPage(List.copyOf(found), (next != null) ? next.toString() : null, budget.examined);
	}

	private SearchPage named(String queue, String id, MessageMatcher matcher) {
		List<QueuedMessage> found = new ArrayList<>();
		int examined = 0;
		for (String partition : this.partitions.of(queue, id)) {
			for (QueuedMessage message : this.pages.find(partition, List.of(id))) {
				examined++;
				if (matcher.matches(message)) {
					found.add(message);
				}
			}
		}
		return new SearchPage(List.copyOf(found), null, examined);
	}

	private SearchPage tagged(String queue, String tag, MessageMatcher matcher, @Nullable String cursor, int limit) {
		List<String> all = this.partitions.of(queue);
		List<QueuedMessage> found = new ArrayList<>();
		Budget budget = new Budget();
		String next = cursor;
		do {
			int count = Math.min(limit - found.size(), budget.leftToExamine());
			SearchPage step = this.tagged.find(all, tag, next, count);
			budget.take(step);
			step.messages().stream().filter(matcher::matches).forEach(found::add);
			next = step.cursor();
		}
		while (next != null && found.size() < limit && budget.isLeft());
		return new SearchPage(List.copyOf(found), next, budget.examined);
	}

	private Step step(List<String> partitions, SearchCursor place, Set<MessageState> states, int count,
			MessageMatcher matcher, Budget budget) {
		if (place.partition() >= partitions.size()) {
			return new Step(List.of(), null, null, "", false);
		}
		String partition = partitions.get(place.partition());
		ScanScript.Result reply = StoreCalls.await(this.store.scan()
			.run(partition,
					new ScanScript.Request(place.what(), states, place.place(), place.uid(), count, place.since())));
		boolean packed = !reply.nextChunk().isEmpty();
		String since = (place.what() == What.FAR && place.place().isEmpty()) ? reply.nextChunk() : place.since();
		if (!packed || (!since.isEmpty() && Long.parseLong(since) > Long.parseLong(reply.nextChunk()))) {
			since = ""; // All came near meanwhile, and chunks are numbered anew.
		}
		if (!place.what().isPacked() || reply.examined() > 0 || reply.hasNext()) {
			budget.take(reply); // Chunks may be there that cannot be read.
		}
		List<QueuedMessage> messages = reply.messages()
			.stream()
			.map((stored) -> this.reader.read(PartitionName.queueOf(partition), stored))
			.toList();
		SearchCursor next = reply.hasNext()
				? new SearchCursor(place.what(), place.partition(), reply.place(), reply.uid(), since) : null;
		return new Step(messages.stream().filter(matcher::matches).toList(), next,
				messages.isEmpty() ? null : messages.get(messages.size() - 1), since, packed);
	}

	/**
	 * The possible states of messages that the filter chooses.
	 */
	private static Set<MessageState> states(MessageFilter filter) {
		Set<MessageState> states = filter.states().isEmpty() ? EnumSet.complementOf(EnumSet.of(MessageState.UNKNOWN))
				: EnumSet.copyOf(filter.states());
		boolean dead = filter.reason() != null || filter.diedAfter() != null || filter.diedBefore() != null;
		return (dead && states.contains(MessageState.DEAD)) ? EnumSet.of(MessageState.DEAD) : states;
	}

	private static List<What> kinds(Set<MessageState> states) {
		Set<MessageState> living = EnumSet.copyOf(LIVING);
		living.retainAll(states);
		List<What> kinds = new ArrayList<>();
		if (living.contains(MessageState.SCHEDULED)) {
			kinds.add(What.FAR);
		}
		if (!living.isEmpty()) {
			kinds.add((living.size() > 1 || living.contains(MessageState.READY)) ? What.LIVING
					: living.contains(MessageState.IN_FLIGHT) ? What.IN_FLIGHT : What.SCHEDULED);
		}
		if (living.contains(MessageState.SCHEDULED)) {
			kinds.add(What.FAR_SINCE);
		}
		if (states.contains(MessageState.DEAD)) {
			kinds.add(What.DEAD);
		}
		if (states.contains(MessageState.COMPLETED)) {
			kinds.add(What.COMPLETED);
		}
		return kinds;
	}

	/**
	 * The place of the first message of a kind that the filter can choose.
	 */
	private static SearchCursor start(What what, int partition, MessageFilter filter, String since) {
		Instant from = switch (what) {
			case DEAD -> filter.diedBefore();
			case SCHEDULED -> filter.dueAfter();
			default -> null;
		};
		return new SearchCursor(what, partition, (from != null) ? Long.toString(Math.max(0, from.toEpochMilli())) : "",
				"", since);
	}

	/**
	 * Where a search goes on behind all of a kind in a partition: all kinds of living
	 * messages of a partition come before those of the next one.
	 */
	private static @Nullable SearchCursor after(SearchCursor place, Step step, List<What> kinds, int partitions,
			MessageFilter filter) {
		int kind = kinds.indexOf(place.what());
		int following = kind + 1;
		if (!step.packed && following < kinds.size() && kinds.get(following) == What.FAR_SINCE) {
			following++; // What is packed from now on was seen where it was.
		}
		boolean isLiving = LIVING_KINDS.contains(place.what());
		if (isLiving && following < kinds.size() && LIVING_KINDS.contains(kinds.get(following))) {
			return start(kinds.get(following), place.partition(), filter, step.since);
		}
		if (place.partition() + 1 < partitions) {
			return start(isLiving ? kinds.get(0) : place.what(), place.partition() + 1, filter, "");
		}
		return (following < kinds.size()) ? start(kinds.get(following), 0, filter, "") : null;
	}

	/**
	 * The result of a step.
	 *
	 * @param matching the messages that match
	 * @param next where the next step begins, if there are more of this kind and
	 * partition
	 * @param last the last message it examined, whether it matches or not
	 * @param since the number of the next chunk when the search of the partition began
	 * @param packed whether any message of the partition is packed
	 */
	private record Step(List<QueuedMessage> matching, @Nullable SearchCursor next, @Nullable QueuedMessage last,
			String since, boolean packed) {

		/**
		 * Whether no further message of this kind and partition can match.
		 */
		boolean isOver(MessageFilter filter) {
			if (this.next == null) {
				return true;
			}
			Instant end = switch (this.next.what()) {
				case DEAD -> (this.last != null) ? this.last.diedAt() : null;
				default -> null;
			};
			if (end != null && filter.diedAfter() != null && end.isBefore(filter.diedAfter())) {
				return true;
			}
			if (this.next.what().isPacked() && filter.dueBefore() != null) {
				return Long.parseLong(this.next.place()) >= filter.dueBefore().toEpochMilli();
			}
			return this.next.what() == What.SCHEDULED && this.last != null && filter.dueBefore() != null
					&& !this.last.dueAt().isBefore(filter.dueBefore());
		}

	}

	/**
	 * How much work a call has left.
	 */
	private static final class Budget {

		private int examined;

		private int steps;

		private long bytes;

		void take(ScanScript.Result reply) {
			this.steps++;
			this.examined += reply.examined();
			reply.messages().forEach((message) -> this.bytes += message.envelope().length);
		}

		void take(SearchPage page) {
			this.steps++;
			this.examined += page.examined();
			page.messages().forEach((message) -> this.bytes += message.payload().length);
		}

		boolean isLeft() {
			return this.examined < MAX_EXAMINED && this.steps < MAX_STEPS && this.bytes < MAX_BYTES;
		}

		int leftToExamine() {
			return Math.max(1, MAX_EXAMINED - this.examined);
		}

	}

}
