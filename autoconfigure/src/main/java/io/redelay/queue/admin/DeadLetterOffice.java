package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.store.MessagePage;
import io.redelay.queue.store.MessageState;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.Steered;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the dead messages of a queue, page by page.
 */
final class DeadLetterOffice {

	private final QueueAdminStore store;

	private final MessageReader reader;

	private final Steerer steerer;

	DeadLetterOffice(QueueAdminStore store, MessageReader reader, Steerer steerer) {
		this.store = store;
		this.reader = reader;
		this.steerer = steerer;
	}

	QueuePage page(String queue, DeadLetterFilter filter, int page, int size) {
		List<QueuedMessage> chosen = new ArrayList<>();
		int first = page * size;
		int[] matches = new int[1];
		visit(queue, (message) -> {
			if (filter.matches(message) && matches[0] < filter.limit()) {
				if (matches[0] >= first) {
					chosen.add(message);
				}
				matches[0]++;
			}
			return chosen.size() <= size && matches[0] < filter.limit();
		});
		boolean hasNext = chosen.size() > size;
		return new QueuePage(hasNext ? List.copyOf(chosen.subList(0, size)) : chosen, page, size, hasNext);
	}

	List<DeathToll> tolls(String queue) {
		Map<Cause, DeathToll> tolls = new LinkedHashMap<>();
		visit(queue, (message) -> {
			FailedAttempt death = message.death();
			Cause cause = (death != null) ? new Cause(death.reason(), death.exception()) : new Cause(null, null);
			tolls.merge(cause,
					new DeathToll(cause.reason(), cause.exception(), (death != null) ? death.message() : null, 1),
					(known, another) -> new DeathToll(known.reason(), known.exception(), known.message(),
							known.count() + 1));
			return true;
		});
		return tolls.values().stream().sorted(Comparator.comparingLong(DeathToll::count).reversed()).toList();
	}

	/**
	 * Lets messages live again, each after its own delay.
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter, Function<Integer, Duration> delay) {
		List<String> chosen = new ArrayList<>();
		Instant start = StoreCalls.await(this.store.count(queue)).time();
		visit(queue, (message) -> {
			Instant diedAt = message.diedAt();
			if (filter.matches(message) && diedAt != null && !diedAt.isAfter(start)) {
				chosen.add(message.uid());
			}
			return true;
		});
		List<String> uids = new ArrayList<>(chosen.subList(0, Math.min(chosen.size(), filter.limit())));
		Collections.reverse(uids);
		List<Steered> results = this.steerer.redrive(queue, uids, delay);
		int redriven = 0;
		List<String> refused = new ArrayList<>();
		for (int i = 0; i < results.size(); i++) {
			Steered result = results.get(i);
			if (result.outcome() == Steered.Outcome.DONE) {
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
	 * meanwhile pushes the others on, which are then seen twice, so the uids of the page
	 * before are passed over.
	 */
	private void visit(String queue, Predicate<QueuedMessage> visitor) {
		List<String> before = List.of();
		long offset = 0;
		MessagePage page;
		do {
			page = StoreCalls.await(this.store.browse(queue, MessageState.DEAD, offset, QueueAdminStore.MAX_PAGE));
			List<String> seen = new ArrayList<>();
			for (var stored : page.messages()) {
				seen.add(stored.uid());
				if (!before.contains(stored.uid()) && !visitor.test(this.reader.read(queue, stored))) {
					return;
				}
			}
			before = seen;
			offset += QueueAdminStore.MAX_PAGE;
		}
		while (page.hasNext());
	}

	private record Cause(@Nullable DeathReason reason, @Nullable String exception) {

	}

}
