package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiPredicate;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.store.DeathPage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredDeath;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the dead messages of a queue by what they died of, step by step, and reads
 * the bodies of those that are shown only.
 */
final class DeadLetterReader {

	/**
	 * The order in which the store lists deaths.
	 */
	private static final Comparator<StoredDeath> LAST_FIRST = Comparator.comparing(StoredDeath::at)
		.thenComparing(StoredDeath::uid)
		.reversed();

	private final QueueAdminStore store;

	private final MessageReader reader;

	private final PageReader pages;

	DeadLetterReader(QueueAdminStore store, MessageReader reader, PageReader pages) {
		this.store = store;
		this.reader = reader;
		this.pages = pages;
	}

	QueuePage page(String queue, DeadLetterFilter filter, int page, int size) {
		List<String> chosen = new ArrayList<>();
		int first = page * size;
		int[] matches = new int[1];
		visit(queue, (stored, death) -> {
			if (matches(filter, stored.at(), death) && matches[0] < filter.limit()) {
				if (matches[0] >= first) {
					chosen.add(stored.uid());
				}
				matches[0]++;
			}
			return chosen.size() <= size && matches[0] < filter.limit();
		});
		boolean hasNext = chosen.size() > size;
		List<QueuedMessage> messages = this.pages.find(queue, hasNext ? chosen.subList(0, size) : chosen)
			.stream()
			.filter((message) -> message.state() == MessageState.DEAD)
			.toList();
		return new QueuePage(messages, page, size, hasNext);
	}

	/**
	 * The uids of all that match and died by a time, the last one first.
	 */
	List<String> matching(String queue, DeadLetterFilter filter, Instant until) {
		List<String> matching = new ArrayList<>();
		visit(queue, (stored, death) -> {
			if (matches(filter, stored.at(), death) && !stored.at().isAfter(until)) {
				matching.add(stored.uid());
			}
			return true;
		});
		return matching;
	}

	/**
	 * Visits the dead, the last one first, until the visitor returns {@code false}. A
	 * message that dies meanwhile shifts the others to the next page, where they would be
	 * seen twice: those that are not behind the last one visited are skipped.
	 */
	void visit(String queue, BiPredicate<StoredDeath, @Nullable FailedAttempt> visitor) {
		StoredDeath last = null;
		long offset = 0;
		DeathPage page;
		do {
			page = StoreCalls.await(this.store.deaths(queue, offset, QueueAdminStore.MAX_PAGE));
			for (StoredDeath death : page.deaths()) {
				if (last == null || LAST_FIRST.compare(last, death) < 0) {
					last = death;
					if (!visitor.test(death, this.reader.read(death))) {
						return;
					}
				}
			}
			offset += page.deaths().size();
		}
		while (page.hasNext());
	}

	/**
	 * Whether a filter chooses a dead message, its limit aside.
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

}
