package io.redelay.queue.admin.engine.deadletter;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeathsScript;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the deaths of a queue and their causes, step by step, and reads only the
 * bodies of messages that are shown.
 *
 * @since 0.1.0
 */
public record DeadLetterReader(AdminScripts store, MessageReader reader, PageReader pages) {

	public QueuePage page(List<String> partitions, DeadLetterFilter filter, int page, int size) {
		List<DeadUid> chosen = new ArrayList<>();
		int first = page * size;
		int[] matches = new int[1];
		visit(partitions, (partition, stored, death) -> {
			if (matches(filter, stored.at(), death) && matches[0] < filter.limit()) {
				if (matches[0] >= first) {
					chosen.add(new DeadUid(partition, stored.uid()));
				}
				matches[0]++;
			}
			return chosen.size() <= size && matches[0] < filter.limit();
		});
		boolean hasNext = chosen.size() > size;
		return new QueuePage(read(hasNext ? chosen.subList(0, size) : chosen), page, size, hasNext);
	}

	private List<QueuedMessage> read(List<DeadUid> chosen) {
		Map<String, QueuedMessage> messages = new HashMap<>();
		DeadUid.byPartition(chosen)
			.forEach((partition, uids) -> this.pages.find(partition, uids)
				.forEach((message) -> messages.put(message.uid(), message)));
		return chosen.stream()
			.map((dead) -> messages.get(dead.uid()))
			.filter((message) -> message != null && message.state() == MessageState.DEAD)
			.toList();
	}

	/**
	 * Returns all that match and died by a time of their partition, the last one first.
	 * @param until the time, by partition
	 */
	List<DeadUid> matching(Map<String, Instant> until, DeadLetterFilter filter) {
		List<DeadUid> matching = new ArrayList<>();
		visit(List.copyOf(until.keySet()), (partition, stored, death) -> {
			Instant last = until.get(partition);
			if (matches(filter, stored.at(), death) && last != null && !stored.at().isAfter(last)) {
				matching.add(new DeadUid(partition, stored.uid()));
			}
			return true;
		});
		return matching;
	}

	/**
	 * Visits the dead messages of the partitions of a queue, the last one first, until
	 * the visitor stops.
	 */
	void visit(List<String> partitions, Visitor visitor) {
		List<DeathCursor> cursors = partitions.stream()
			.map((partition) -> new DeathCursor(this.store, partition))
			.toList();
		DeathCursor last = last(cursors);
		while (last != null) {
			DeathsScript.Death death = Objects.requireNonNull(last.current());
			last.advance();
			if (!visitor.visit(last.partition(), death, this.reader.read(death))) {
				return;
			}
			last = last(cursors);
		}
	}

	/**
	 * Returns the cursor at the message that died last, or {@code null} if all are at
	 * their end.
	 */
	private static @Nullable DeathCursor last(List<DeathCursor> cursors) {
		return cursors.stream()
			.filter((cursor) -> cursor.current() != null)
			.min(Comparator.comparing(DeathCursor::current, DeathCursor.LAST_FIRST))
			.orElse(null);
	}

	/**
	 * Whether a filter without its limit chooses a dead message.
	 */
	private static boolean matches(DeadLetterFilter filter, Instant diedAt, @Nullable FailedAttempt death) {
		return (filter.diedAfter() == null || !diedAt.isBefore(filter.diedAfter()))
				&& (filter.diedBefore() == null || diedAt.isBefore(filter.diedBefore())) && matches(filter, death);
	}

	private static boolean matches(DeadLetterFilter filter, @Nullable FailedAttempt death) {
		if (filter.reason() == null && filter.exception() == null && filter.text() == null) {
			return true;
		}
		return death != null && (filter.reason() == null || filter.reason() == death.reason())
				&& (filter.exception() == null || filter.exception().equals(death.exception()))
				&& (filter.text() == null || (death.message() != null && death.message().contains(filter.text())));
	}

	/**
	 * Visits dead messages, one after the other.
	 */
	interface Visitor {

		/**
		 * Visits a dead message.
		 * @param partition the name that the store has for its partition
		 * @param stored its death, as stored
		 * @param death what it died of, if that is known
		 * @return whether to go on
		 */
		boolean visit(String partition, DeathsScript.Death stored, @Nullable FailedAttempt death);

	}

}
