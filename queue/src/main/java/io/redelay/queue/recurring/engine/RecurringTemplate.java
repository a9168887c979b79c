package io.redelay.queue.recurring.engine;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.UnknownRecurringMessageException;
import io.redelay.queue.recurring.engine.RecurringRepository.Decision;
import io.redelay.queue.recurring.engine.RecurringRepository.Outcome;
import io.redelay.queue.recurring.engine.RecurringRepository.Seen;
import io.redelay.queue.script.admin.RecurringStore;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes recurring messages.
 */
record RecurringTemplate(RecurringStore store, RecurringRepository ledger, Declarations declarations,
		DeclarationReader reader, TickMessages messages, RecurringMaintenance care,
		RecentCommands recent) implements RecurringMessages {

	private static final int NEXT_RUNS = 5;

	@Override
	public RecurringInfo declare(RecurringDeclaration declaration) {
		RecurringName name = new RecurringName(declaration.queue(), declaration.name());
		StoredDeclaration stored = this.reader.read(declaration, "The " + name);
		await(name, () -> this.declarations.declare(name, stored, true).thenApply((outcome) -> {
			this.care.watch(name, outcome);
			return outcome;
		}));
		return find(name.queue(), name.name())
			.orElseThrow(() -> new UnknownRecurringMessageException(name.queue(), name.name()));
	}

	/**
	 * Waits for a command, which is repeated if Redis forgets it.
	 */
	private <T> Outcome<T> await(RecurringName name, Supplier<CompletableFuture<Outcome<T>>> command) {
		Outcome<T> outcome = StoreCalls.await(command.get());
		StoredRecurring state = outcome.state();
		if (state != null) {
			this.recent.add(name, state, command::get);
		}
		return outcome;
	}

	@Override
	public List<RecurringInfo> list() {
		return StoreCalls.await(this.store.queues().thenCompose((all) -> {
			CompletableFuture<List<RecurringInfo>> infos = CompletableFuture.completedFuture(new ArrayList<>());
			for (String queue : all) {
				infos = infos.thenCombine(this.ledger.list(queue), (list, known) -> {
					known.forEach((name, seen) -> info(new RecurringName(queue, name), seen).ifPresent(list::add));
					return list;
				});
			}
			return infos;
		}));
	}

	@Override
	public Optional<RecurringInfo> find(String queue, String name) {
		return StoreCalls
			.await(this.ledger.look(queue, name).thenApply((seen) -> info(new RecurringName(queue, name), seen)));
	}

	private static Optional<RecurringInfo> info(RecurringName name, Seen seen) {
		StoredRecurring state = seen.state();
		return (state == null || state.isOver()) ? Optional.empty()
				: Optional.of(info(name, state.runs(seen.unended()), text(seen.savedState().value())));
	}

	private static @Nullable String text(byte @Nullable [] savedState) {
		return (savedState != null) ? new String(savedState, StandardCharsets.UTF_8) : null;
	}

	private static RecurringInfo info(RecurringName name, StoredRecurring state, @Nullable String savedState) {
		StoredDeclaration declaration = state.declaration();
		Integer most = declaration.limits().maxRuns();
		Long left = (most != null) ? Long.valueOf(Math.max(0, most - state.begun())) : null;
		Long last = state.lastTick();
		return new RecurringInfo(name.queue(), name.name(), declaration.plainSchedule().toString(),
				declaration.missed(), declaration.overlap(), state.declarers().byApi(), state.declarers().last(),
				state.paused(), nextRuns(state, left), (last != null) ? Instant.ofEpochMilli(last) : null,
				state.runs().stream().map((run) -> Instant.ofEpochMilli(run.tick())).toList(),
				declaration.limits().toLimits(), state.begun(), left, state.hasEnded(), savedState);
	}

	private static List<Instant> nextRuns(StoredRecurring state, @Nullable Long left) {
		TickSchedule schedule = state.schedule();
		long most = (left != null) ? Math.min(left, NEXT_RUNS) : NEXT_RUNS;
		List<Instant> next = new ArrayList<>();
		Long first = state.next();
		if (state.ticks() && first != null) {
			Instant each = Instant.ofEpochMilli(first);
			for (int i = 0; i < most && each != null; i++) {
				next.add(each);
				each = schedule.next(each, each);
			}
		}
		return List.copyOf(next);
	}

	@Override
	public boolean runNow(String queue, String name) {
		return StoreCalls.await(changing(queue, name, (seen, state) -> {
			List<StoredRun> runs = new ArrayList<>(seen.unended());
			if (!runs.isEmpty() && state.declaration().overlap() == OverlappingRuns.SKIP) {
				return Decision.nothing(false);
			}
			NewMessage message = this.messages.create(new RecurringName(queue, name), state.declaration(), seen.now());
			runs.add(new StoredRun(message.uid(), seen.now().toEpochMilli(), seen.now().toEpochMilli()));
			return new Decision<>(state.runs(runs), List.of(message), true, true, false);
		})).result().orElseThrow(() -> new UnknownRecurringMessageException(queue, name));
	}

	@Override
	public void pause(String queue, String name) {
		change(queue, name,
				(seen, state) -> state.paused() ? Decision.nothing(true) : Decision.keep(state.paused(true), true));
	}

	@Override
	public void resume(String queue, String name) {
		change(queue, name, (seen, state) -> state.paused()
				? Decision.keep(state.paused(false).goingOn(seen.now()), true) : Decision.nothing(true));
	}

	@Override
	public void forgetState(String queue, String name) {
		change(queue, name, (seen, state) -> new Decision<>(state, List.of(), true, true, true));
	}

	@Override
	public boolean remove(String queue, String name) {
		RecurringName named = new RecurringName(queue, name);
		return await(named, () -> this.declarations.forget(named)
			.thenCompose((nothing) -> this.ledger.<Boolean>change(queue, name, (seen) -> {
				StoredRecurring state = seen.state();
				if (state == null || state.isOver()) {
					return Decision.nothing(false);
				}
				return new Decision<>(state.over(seen.now().toEpochMilli(), true), List.of(), true, true, true);
			}))).result();
	}

	private void change(String queue, String name, BiFunction<Seen, StoredRecurring, Decision<Boolean>> decide) {
		if (await(new RecurringName(queue, name), () -> changing(queue, name, decide)).result().isEmpty()) {
			throw new UnknownRecurringMessageException(queue, name);
		}
	}

	private CompletableFuture<Outcome<Optional<Boolean>>> changing(String queue, String name,
			BiFunction<Seen, StoredRecurring, Decision<Boolean>> decide) {
		return this.ledger.<Optional<Boolean>>change(queue, name, (seen) -> {
			StoredRecurring state = seen.state();
			if (state == null || state.isOver()) {
				return Decision.nothing(Optional.empty());
			}
			Decision<Boolean> decision = decide.apply(seen, state);
			return new Decision<>(decision.state(), decision.added(), decision.changes(),
					Optional.of(decision.result()), decision.forgetsState());
		});
	}

}
