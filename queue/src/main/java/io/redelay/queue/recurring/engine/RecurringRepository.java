package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.script.admin.RecurringStore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and changes what Redis keeps of recurring messages. A change is decided here from
 * the state that was read, and is applied only if that has not changed; else it is
 * decided again.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 */
record RecurringRepository(RecurringStore store, JsonMapper mapper, TickMessages messages,
		RecurringReporter reporter) implements DeleteScript.Watch {

	/**
	 * How often a change is decided again at most, after other changes.
	 */
	private static final int MOST_TRIES = 200;

	/**
	 * What is known.
	 *
	 * @param now the present time by the clock of the store
	 * @param state what is kept, or {@code null} if nothing is
	 * @param savedState the state that its runs pass on
	 * @param living the uids of those of its messages that have not ended
	 */
	record Seen(Instant now, @Nullable StoredRecurring state, StoredRunState savedState, Set<String> living) {

		/**
		 * The runs that have not ended.
		 */
		List<StoredRun> unended() {
			return (this.state == null) ? List.of()
					: this.state.runs().stream().filter((run) -> this.living.contains(run.uid())).toList();
		}

		/**
		 * The message of the next tick, if it is gone.
		 */
		@Nullable String missingUid() {
			String uid = (this.state != null) ? this.state.nextUid() : null;
			return (uid != null && !this.living.contains(uid)) ? uid : null;
		}

	}

	/**
	 * What is to be done about it.
	 *
	 * @param state what is kept from now on. If it ticks and has no message for the next
	 * tick, it gets one; {@code null} to keep nothing
	 * @param added further messages
	 * @param changes whether anything changes
	 * @param result what the caller gets
	 * @param forgetsState whether the state that its runs pass on is forgotten
	 * @param <T> its type
	 */
	record Decision<T>(@Nullable StoredRecurring state, List<NewMessage> added, boolean changes, T result,
			boolean forgetsState) {

		static <T> Decision<T> nothing(T result) {
			return new Decision<>(null, List.of(), false, result, false);
		}

		static <T> Decision<T> keep(@Nullable StoredRecurring state, T result) {
			return new Decision<>(state, List.of(), true, result, false);
		}

	}

	/**
	 * The outcome of a change.
	 *
	 * @param now the present time by the clock of the store
	 * @param state what is kept now
	 * @param result what was decided
	 * @param <T> its type
	 */
	record Outcome<T>(Instant now, @Nullable StoredRecurring state, T result) {

	}

	CompletableFuture<Seen> look(String queue, String name) {
		return this.store.look(queue, name).thenApply(this::seen);
	}

	/**
	 * Reads all recurring messages of a queue.
	 */
	CompletableFuture<Map<String, Seen>> list(String queue) {
		return this.store.list(queue).thenApply((all) -> {
			Map<String, Seen> seen = new TreeMap<>();
			all.forEach((name, entry) -> seen.put(name, seen(entry)));
			return seen;
		});
	}

	<T> CompletableFuture<Outcome<T>> change(String queue, String name, Function<Seen, Decision<T>> decide) {
		return change(queue, name, decide, MOST_TRIES);
	}

	private <T> CompletableFuture<Outcome<T>> change(String queue, String name, Function<Seen, Decision<T>> decide,
			int tries) {
		return this.store.look(queue, name).thenCompose((entry) -> {
			Seen seen = seen(entry);
			Decision<T> decision = decide.apply(seen);
			if (!decision.changes()) {
				return CompletableFuture.completedFuture(new Outcome<>(seen.now(), seen.state(), decision.result()));
			}
			Prepared prepared = prepare(new RecurringName(queue, name), entry, seen.state(), decision);
			return this.store.write(queue, prepared.change()).thenCompose((changed) -> {
				if (changed) {
					reportEnd(new RecurringName(queue, name), seen.state(), prepared.state());
					return CompletableFuture
						.completedFuture(new Outcome<>(seen.now(), prepared.state(), decision.result()));
				}
				if (tries == 1) {
					return CompletableFuture.failedFuture(new IllegalStateException("The recurring message '" + name
							+ "' of the queue '" + queue + "' was changed by others all the time"));
				}
				return change(queue, name, decide, tries - 1);
			});
		});
	}

	private void reportEnd(RecurringName name, @Nullable StoredRecurring before, @Nullable StoredRecurring after) {
		boolean hadEnded = before != null && before.next() == null;
		if (after != null && after.hasEnded() && !hadEnded) {
			Long last = after.lastTick();
			this.reporter.report(name, RecurringEvent.Kind.ENDED, (last != null) ? last : 0, 1);
		}
	}

	/**
	 * Creates the message of a run.
	 */
	NewMessage message(RecurringName name, StoredDeclaration declaration, Instant tick) {
		return this.messages.create(name, declaration, tick);
	}

	private Seen seen(RecurringStore.Entry entry) {
		return new Seen(entry.time(), StoredRecurring.read(this.mapper, entry.known()), entry.state(), entry.living());
	}

	private record Prepared(@Nullable StoredRecurring state, RecurringStore.Change change) {

	}

	private Prepared prepare(RecurringName name, RecurringStore.Entry entry, @Nullable StoredRecurring before,
			Decision<?> decision) {
		List<NewMessage> added = new ArrayList<>(decision.added());
		StoredRecurring after = decision.state();
		if (after != null) {
			Long next = after.next();
			String uid = after.nextUid();
			if (uid != null && !entry.living().contains(uid)) {
				// It was removed.
				after = after.nextUid(null);
			}
			if (!after.ticks()) {
				after = after.nextUid(null);
			}
			else if (after.nextUid() == null && next != null) {
				NewMessage message = this.messages.create(name, after.declaration(), Instant.ofEpochMilli(next));
				added.add(message);
				after = after.nextUid(message.uid());
			}
		}
		String former = (before != null) ? before.nextUid() : null;
		StoredRecurring present = after;
		boolean stays = former == null || (present != null && (former.equals(present.nextUid())
				|| present.runs().stream().anyMatch((run) -> run.uid().equals(former))));
		if (after != null) {
			after = after.withdrawn(withdrawn(after, stays ? null : former, entry.living())).changed();
		}
		return new Prepared(after,
				new RecurringStore.Change(name.name(), entry.known(), (after != null) ? after.write(this.mapper) : null,
						decision.forgetsState(), stays ? List.of() : List.of(former), added));
	}

	/**
	 * The messages of former ticks that live and are not to be handled. If one more is
	 * not due yet, it is removed with the change, and is none of them the next time.
	 */
	private static List<String> withdrawn(StoredRecurring state, @Nullable String former, Set<String> living) {
		List<String> all = new ArrayList<>(state.withdrawn());
		if (former != null) {
			all.add(former);
		}
		all.retainAll(living);
		return all;
	}

	@Override
	public CompletableFuture<Map<String, Long>> recurring(String queue) {
		return list(queue).thenApply((known) -> {
			Map<String, Long> found = new TreeMap<>();
			known.forEach((name, seen) -> {
				StoredRecurring state = seen.state();
				if (state != null && !state.isOver()) {
					found.put(name, Objects.requireNonNullElse(state.next(), 0L));
				}
			});
			return found;
		});
	}

	@Override
	public void deleted(String queue, Map<String, Long> recurring) {
		recurring.forEach((name, tick) -> this.reporter.report(new RecurringName(queue, name),
				RecurringEvent.Kind.DELETED, tick, 1));
	}

	CompletableFuture<Void> register(String queue) {
		return this.store.register(queue);
	}

}
