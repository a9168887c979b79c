package io.redelay.queue.recurring.engine;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.queue.script.admin.DeleteScript;

/**
 * Reports the recurring messages that are removed with their queue.
 * <p>
 * Safe for use by many threads.
 */
final class RecurringDeletion implements DeleteScript.Watch {

	private final RecurringRepository ledger;

	private final RecurringReporter reporter;

	RecurringDeletion(RecurringRepository ledger, RecurringReporter reporter) {
		this.ledger = ledger;
		this.reporter = reporter;
	}

	@Override
	public CompletableFuture<Map<String, Long>> recurring(String queue) {
		return this.ledger.list(queue).thenApply((known) -> {
			Map<String, Long> found = new TreeMap<>();
			known.forEach((name, seen) -> {
				StoredRecurring state = seen.state();
				if (state != null && !state.isOver()) {
					Long next = state.next();
					found.put(name, (next != null) ? next : 0);
				}
			});
			return found;
		});
	}

	@Override
	public void deleted(String queue, Map<String, Long> recurring) {
		recurring.forEach((name, tick) -> this.reporter.report(new RecurringName(queue, name), Kind.DELETED, tick, 1));
	}

}
