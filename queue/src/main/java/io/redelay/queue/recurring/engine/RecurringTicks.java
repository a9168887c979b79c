package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.notes.RunState;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.engine.RecurringRepository.Decision;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Decides about the messages of ticks as they are claimed: each is followed by the
 * message of the next tick, in the same step in which it is decided whether it runs.
 */
final class RecurringTicks implements TickAdmission {

	private static final Duration WAIT = Duration.ofSeconds(1);

	private final RecurringRepository ledger;

	private final Declarations declarations;

	private final RecurringReporter reporter;

	private final Scheduler clock;

	private final AtomicInteger rollbacks = new AtomicInteger();

	RecurringTicks(RecurringRepository ledger, Declarations declarations, RecurringReporter reporter, Scheduler clock) {
		this.ledger = ledger;
		this.declarations = declarations;
		this.reporter = reporter;
		this.clock = clock;
	}

	@Override
	public CompletableFuture<Verdict> admit(String queue, String uid, Envelope envelope) {
		Object header = envelope.headers().get(QueueHeaders.RECURRING);
		if (header == null) {
			return CompletableFuture.completedFuture(Verdict.HANDLE);
		}
		// The uid of one that an admin has moved is another one, and its id the former
		// one.
		String id = envelope.id();
		return admit(new RecurringName(queue, header.toString()), (id != null) ? id : uid);
	}

	private CompletableFuture<Verdict> admit(RecurringName name, String uid) {
		return this.ledger.look(name.queue(), name.name()).thenCompose((seen) -> {
			StoredRecurring state = seen.state();
			if (state == null || !uid.equals(state.nextUid())) {
				return decide(name, uid);
			}
			return this.declarations.standing(name, state)
				.thenCompose((standing) -> (standing == Declarations.Standing.HOLDS) ? decide(name, uid)
						: this.declarations.settle(name, standing, state).thenCompose((settled) -> decide(name, uid)));
		});
	}

	/**
	 * Has decisions about current runs repeated at their end, if Redis has forgotten
	 * them.
	 */
	void rolledBack() {
		this.rollbacks.incrementAndGet();
	}

	private CompletableFuture<Verdict> decide(RecurringName name, String uid) {
		return this.ledger.<Ruling>change(name.queue(), name.name(), (seen) -> rule(seen, uid)).thenApply((outcome) -> {
			Ruling ruling = outcome.result();
			this.reporter.report(name, ruling.findings());
			return switch (ruling.action()) {
				case RUN -> new Verdict(Action.HANDLE, Duration.ZERO, endOf(name, uid, ruling),
						new RunState(name.name(), ruling.savedState()));
				case SKIP -> Verdict.SKIP;
				case WAIT -> new Verdict(Action.WAIT, WAIT, null, null);
			};
		});
	}

	/**
	 * The decision about a message.
	 *
	 * @param action what becomes of it
	 * @param findings what is not as planned
	 * @param now the present time by the clock of the store, ms
	 * @param nanos the same time by the clock of this instance
	 * @param next the next tick that could come while it runs, ms, or {@code null}
	 * @param savedState the state that the last run saved
	 */
	private record Ruling(TickPlan.Action action, List<TickPlan.Finding> findings, long now, long nanos,
			@Nullable Long next, StoredRunState savedState) {

	}

	private Decision<Ruling> rule(RecurringRepository.Seen seen, String uid) {
		StoredRecurring state = seen.state();
		long now = seen.now().toEpochMilli();
		long nanos = this.clock.nanoTime();
		if (state != null && state.runs().stream().anyMatch((run) -> run.uid().equals(uid))) {
			return Decision.nothing(new Ruling(TickPlan.Action.RUN, List.of(), now, nanos,
					mayOverlap(state) ? state.next() : null, seen.savedState()));
		}
		Long tick = (state != null) ? state.next() : null;
		if (state == null || tick == null || !uid.equals(state.nextUid())) {
			// It was removed, replaced or dropped when this message was due already; or
			// this
			// is a run that is not remembered, because there are too many.
			boolean runs = state != null && !state.withdrawn().contains(uid);
			return Decision.nothing(new Ruling(runs ? TickPlan.Action.RUN : TickPlan.Action.SKIP, List.of(), now, nanos,
					null, seen.savedState()));
		}
		List<StoredRun> unended = seen.unended();
		TickPlan plan = TickPlan.of(state, unended, now);
		if (plan.action() == TickPlan.Action.WAIT) {
			return Decision.nothing(new Ruling(plan.action(), List.of(), now, nanos, null, seen.savedState()));
		}
		List<StoredRun> runs = new ArrayList<>(unended);
		StoredRecurring after = state.next(plan.next()).nextUid(null);
		if (plan.action() == TickPlan.Action.RUN) {
			runs.add(new StoredRun(uid, tick, plan.since()));
			after = after.ran(tick);
		}
		return Decision.keep(after.runs(runs), new Ruling(plan.action(), plan.findings(), now, nanos,
				mayOverlap(state) ? plan.next() : null, seen.savedState()));
	}

	private static boolean mayOverlap(StoredRecurring state) {
		return state.declaration().overlap() != OverlappingRuns.SIDE_BY_SIDE;
	}

	/**
	 * Notes when a run ended that has outlasted its interval, so that the ticks meanwhile
	 * count as overlapping with it although they were not claimed yet.
	 */
	private Supplier<CompletableFuture<?>> endOf(RecurringName name, String uid, Ruling ruling) {
		Long next = ruling.next();
		int before = this.rollbacks.get();
		return () -> {
			if (this.rollbacks.get() != before) {
				// Redis may have forgotten that it runs and what comes next.
				return this.ledger.<Ruling>change(name.queue(), name.name(), (seen) -> rule(seen, uid));
			}
			if (next == null) {
				return CompletableFuture.completedFuture(null);
			}
			long passed = Duration.ofNanos(this.clock.nanoTime() - ruling.nanos()).toMillis();
			if (ruling.now() + passed < next) {
				return CompletableFuture.completedFuture(null);
			}
			return this.ledger.<Boolean>change(name.queue(), name.name(), (seen) -> ended(seen, uid));
		};
	}

	private static Decision<Boolean> ended(RecurringRepository.Seen seen, String uid) {
		StoredRecurring state = seen.state();
		StoredRun run = (state == null) ? null
				: state.runs().stream().filter((each) -> each.uid().equals(uid)).findFirst().orElse(null);
		if (state == null || run == null) {
			return Decision.nothing(false);
		}
		BusyTime busy = new BusyTime(run.since(), seen.now().toEpochMilli());
		return Decision.keep(state.busy(busy.since(state.busy(), state.next())), true);
	}

}
