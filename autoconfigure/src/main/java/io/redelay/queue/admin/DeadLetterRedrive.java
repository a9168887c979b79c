package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.store.CommandResult;
import io.redelay.queue.store.DeathPage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredDeath;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the dead messages of a queue by what they died of, step by step, and reads
 * only the messages that are asked for.
 */
final class DeadLetterRedrive {

	/**
	 * The order in which the store tells of them.
	 */
	private static final Comparator<StoredDeath> LAST_FIRST = Comparator.comparing(StoredDeath::at)
		.thenComparing(StoredDeath::uid)
		.reversed();

	/**
	 * How many causes are told apart by their words at most.
	 */
	private static final int MOST_CAUSES = 100;

	private final QueueAdminStore store;

	private final MessageReader reader;

	private final PageReader pages;

	private final CommandSender steerer;

	DeadLetterRedrive(QueueAdminStore store, MessageReader reader, PageReader pages, CommandSender steerer) {
		this.store = store;
		this.reader = reader;
		this.pages = pages;
		this.steerer = steerer;
	}

	QueuePage page(String queue, DeadLetterFilter filter, int page, int size) {
		List<String> chosen = new ArrayList<>();
		int first = page * size;
		int[] matches = new int[1];
		visit(queue, (stored, death) -> {
			if (filter.matches(stored.at(), death) && matches[0] < filter.limit()) {
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

	List<DeadLetterCount> tolls(String queue) {
		Map<Cause, DeadLetterCount> tolls = new LinkedHashMap<>();
		visit(queue, (stored, death) -> {
			Cause full = Cause.of(death);
			Cause cause = (tolls.size() < MOST_CAUSES || tolls.containsKey(full)) ? full : full.withoutWords();
			tolls.merge(cause,
					new DeadLetterCount(cause.reason(), cause.exception(), (death != null) ? death.message() : null, 1),
					(known, another) -> new DeadLetterCount(known.reason(), known.exception(), known.message(),
							known.count() + 1));
			return true;
		});
		return tolls.values().stream().sorted(Comparator.comparingLong(DeadLetterCount::count).reversed()).toList();
	}

	/**
	 * Lets messages live again, each after its own delay.
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter, Function<Integer, Duration> delay) {
		List<String> chosen = new ArrayList<>();
		Instant start = StoreCalls.await(this.store.count(queue)).time();
		visit(queue, (stored, death) -> {
			if (filter.matches(stored.at(), death) && !stored.at().isAfter(start)) {
				chosen.add(stored.uid());
			}
			return true;
		});
		List<String> uids = new ArrayList<>(chosen.subList(Math.max(0, chosen.size() - filter.limit()), chosen.size()));
		Collections.reverse(uids);
		List<CommandResult> results = this.steerer.redrive(queue, uids, delay);
		int redriven = 0;
		List<String> refused = new ArrayList<>();
		for (int i = 0; i < results.size(); i++) {
			CommandResult result = results.get(i);
			if (result.outcome() == CommandResult.Outcome.DONE) {
				redriven++;
			}
			else if (result.state() == MessageState.DEAD) {
				refused.add(uids.get(i));
			}
		}
		return new RedriveResult(redriven, refused);
	}

	/**
	 * Visits the dead, the last one first, until the visitor has enough. What dies
	 * meanwhile pushes the others on, which would be seen twice, so what does not come
	 * behind the last one is passed over.
	 */
	private void visit(String queue, BiPredicate<StoredDeath, @Nullable FailedAttempt> visitor) {
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
	 * What counts as one cause. Of what a handler threw, the type does, for its words may
	 * name the message; of what does not fit or was rejected, the words do, but for the
	 * numbers in them.
	 */
	private record Cause(@Nullable DeathReason reason, @Nullable String exception, @Nullable String words) {

		static Cause of(@Nullable FailedAttempt death) {
			if (death == null) {
				return new Cause(null, null, null);
			}
			boolean told = death.reason() == DeathReason.UNFIT || death.reason() == DeathReason.REJECTED;
			String words = death.message();
			return new Cause(death.reason(), death.exception(),
					(told && words != null) ? words.replaceAll("\\d+", "#") : null);
		}

		Cause withoutWords() {
			return new Cause(this.reason, this.exception, null);
		}

	}

}
