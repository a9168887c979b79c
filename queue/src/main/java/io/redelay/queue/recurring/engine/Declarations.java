package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.queue.recurring.engine.RecurringRepository.Decision;
import io.redelay.queue.recurring.engine.RecurringRepository.Outcome;

/**
 * What the code of this instance declares: writes it to Redis and keeps it there.
 * <p>
 * The instance that starts last wins: it replaces what others have declared by the same
 * name. No living instance changes that afterwards. When all instances have ended that
 * declared the present declaration, a living one replaces it with its own.
 */
final class Declarations {

	private final RecurringRepository ledger;

	private final LivingDeclarers living;

	private final RecurringReporter reporter;

	private final String instance;

	private final Map<RecurringName, StoredDeclaration> own = new ConcurrentHashMap<>();

	/**
	 * The last declarations of this instance that were begun, by recurring message.
	 */
	private final Map<RecurringName, CompletableFuture<?>> begun = new ConcurrentHashMap<>();

	Declarations(RecurringRepository ledger, LivingDeclarers living, RecurringReporter reporter, String instance) {
		this.ledger = ledger;
		this.living = living;
		this.reporter = reporter;
		this.instance = instance;
	}

	void add(RecurringName name, StoredDeclaration declaration) {
		this.own.put(name, declaration);
	}

	Map<RecurringName, StoredDeclaration> own() {
		return Map.copyOf(this.own);
	}

	boolean isOwn(RecurringName name) {
		return this.own.containsKey(name);
	}

	/**
	 * Declares a message of this instance when the application starts, or when no
	 * instance lives any more that declared it otherwise. Does nothing if it was removed
	 * meanwhile.
	 */
	CompletableFuture<Outcome<Boolean>> declare(RecurringName name, StoredDeclaration declaration) {
		CompletableFuture<Void> begins = new CompletableFuture<>();
		CompletableFuture<Outcome<Boolean>> declared = begins
			.thenCompose((nothing) -> declare(name, declaration, false));
		// Before it begins: a removal meanwhile must find this future to wait for.
		this.begun.merge(name, declared,
				(former, next) -> former.isDone() ? next : CompletableFuture.allOf(former, next));
		begins.complete(null);
		return declared;
	}

	/**
	 * Declares something.
	 * @param byApi whether it stays although no instance declares it
	 */
	CompletableFuture<Outcome<Boolean>> declare(RecurringName name, StoredDeclaration declaration, boolean byApi) {
		return this.ledger
			.<Boolean>change(name.queue(), name.name(),
					(seen) -> (byApi || isOwn(name)) ? decide(name, seen, declaration, byApi) : Decision.nothing(false))
			.thenCompose((outcome) -> this.ledger.register(name.queue()).thenApply((registered) -> {
				if (outcome.result()) {
					StoredRecurring state = outcome.state();
					Long next = (state != null) ? state.next() : null;
					this.reporter.report(name, Kind.REPLACED, (next != null) ? next : 0, 1);
				}
				return outcome;
			}));
	}

	private Decision<Boolean> decide(RecurringName name, RecurringRepository.Seen seen, StoredDeclaration declaration,
			boolean byApi) {
		StoredRecurring state = seen.state();
		if (state == null) {
			StoredRecurring first = StoredRecurring.first(declaration, byApi, this.instance).anchored(seen.now());
			return running(name, seen, first.goingOn(seen.now()), false);
		}
		boolean same = state.declaration().equals(declaration);
		StoredRecurring after = (same && !byApi) ? state.declaredAgain(this.instance)
				: state.replacedBy(declaration, byApi, this.instance);
		if (state.wasRemoved()) {
			after = after.begun(0);
		}
		after = withTicks(seen, state, after);
		if (!same) {
			after = after.nextUid(null);
		}
		boolean replaced = !same && !state.isOver();
		return (!same || state.wasRemoved()) ? running(name, seen, after, replaced) : Decision.keep(after, replaced);
	}

	/**
	 * Finds the next tick again, as it may have changed. The number of runs, or the end,
	 * may have changed too.
	 */
	private static StoredRecurring withTicks(RecurringRepository.Seen seen, StoredRecurring state,
			StoredRecurring after) {
		if (!state.declaration().ticksLike(after.declaration())) {
			return after.anchored(seen.now()).goingOn(seen.now());
		}
		Long next = after.next();
		boolean beyond = next != null && Instant.ofEpochMilli(next).isAfter(after.schedule().end());
		boolean begins = state.wasRemoved() || isLongAgo(state, seen.now()) || next == null || beyond
				|| after.isExhausted();
		return begins ? after.goingOn(seen.now()) : after;
	}

	/**
	 * Whether it has been over for so long that its ticks since are not missed.
	 */
	private static boolean isLongAgo(StoredRecurring state, Instant now) {
		StoredRecurring.End end = state.end();
		return end != null && now.toEpochMilli() - end.since() > RecurringMaintenance.MEMORY.toMillis();
	}

	/**
	 * Adds the run at the declaration, if there is to be one.
	 */
	private Decision<Boolean> running(RecurringName name, RecurringRepository.Seen seen, StoredRecurring state,
			boolean result) {
		StoredDeclaration declaration = state.declaration();
		List<StoredRun> runs = new ArrayList<>(seen.unended());
		boolean overlaps = !runs.isEmpty() && declaration.overlap() == OverlappingRuns.SKIP;
		if (!declaration.limits().runAtDeclaration() || state.paused() || state.isExhausted() || overlaps
				|| seen.now().isAfter(state.schedule().end())) {
			return Decision.keep(state, result);
		}
		long now = seen.now().toEpochMilli();
		NewMessage message = this.ledger.message(name, declaration, seen.now());
		runs.add(new StoredRun(message.uid(), now, now));
		return new Decision<>(state.runs(runs).ran(now), List.of(message), true, result, false);
	}

	/**
	 * What is to be done before a tick runs whose recurring message the code of this
	 * instance declares differently, or not at all.
	 */
	enum Standing {

		/**
		 * What is kept holds.
		 */
		HOLDS,

		/**
		 * No living instance declares it.
		 */
		ABANDONED,

		/**
		 * The instances that declared it so have ended, and this one declares it
		 * otherwise.
		 */
		OUTLIVED

	}

	/**
	 * Finds out whether a declaration holds.
	 */
	CompletableFuture<Standing> standing(RecurringName name, StoredRecurring state) {
		StoredDeclaration mine = this.own.get(name);
		if (state.declarers().byApi() || (mine != null && mine.equals(state.declaration()))) {
			return CompletableFuture.completedFuture(Standing.HOLDS);
		}
		List<String> declarers = new ArrayList<>();
		if (mine == null) {
			declarers.addAll(state.declarers().others());
		}
		declarers.addAll(state.declarers().present());
		return this.living.isAny(declarers)
			.thenApply((lives) -> lives ? Standing.HOLDS : (mine != null) ? Standing.OUTLIVED : Standing.ABANDONED);
	}

	/**
	 * Carries out what follows from a declaration that does not hold.
	 */
	CompletableFuture<Void> settle(RecurringName name, Standing standing, StoredRecurring judged) {
		StoredDeclaration mine = this.own.get(name);
		if (standing == Standing.OUTLIVED && mine != null) {
			return declare(name, mine).thenApply((declared) -> null);
		}
		return (standing == Standing.ABANDONED) ? drop(name, judged) : CompletableFuture.completedFuture(null);
	}

	/**
	 * Ends a recurring message that no instance declares. It is remembered for some time,
	 * so that its ticks count as missed if it is declared again.
	 */
	private CompletableFuture<Void> drop(RecurringName name, StoredRecurring judged) {
		return this.ledger.<Boolean>change(name.queue(), name.name(), (seen) -> {
			StoredRecurring state = seen.state();
			if (state == null || state.isOver() || state.revision() != judged.revision()) {
				return Decision.nothing(false);
			}
			return Decision.keep(state.over(seen.now().toEpochMilli(), false), true);
		}).thenAccept((outcome) -> {
			Long next = judged.next();
			if (outcome.result() && next != null) {
				this.reporter.report(name, Kind.DROPPED, next, 1);
			}
		});
	}

	/**
	 * Forgets a declaration of this instance, because it was removed.
	 * @return completes when all declarations that were begun before have ended, with or
	 * without success
	 */
	CompletableFuture<Void> forget(RecurringName name) {
		this.own.remove(name);
		CompletableFuture<?> declared = this.begun.remove(name);
		return (declared != null) ? declared.handle((outcome, failure) -> null)
				: CompletableFuture.completedFuture(null);
	}

}
