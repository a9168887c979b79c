package io.redelay.queue.handle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.failure.DeliveryFacts;
import io.redelay.queue.failure.RetryBackoff;
import io.redelay.queue.idempotency.KeyedRun;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.KeptMessage;
import io.redelay.queue.message.SavedRunState;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.HandlerNotes;
import io.redelay.queue.notes.RunState;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.script.NextMessages;
import io.redelay.scheduling.AsyncCall;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The way of one delivery's settlement. It is decided on once, gets what goes to Redis
 * together with it, passes stages that record what has to be recorded before, and is
 * sent.
 * <p>
 * The way through this class: {@code settle} marks the message, {@code decide} asks for
 * the settlement, {@code completed} adds its completion, {@code pass} takes it through
 * the stages, and the loop sends it.
 * <p>
 * Safe for use by many threads.
 */
final class SettlementStages {

	/**
	 * The stages, in their order. For most messages none has anything to do.
	 */
	private static final List<Stage> STAGES = List.of(SettlementStages::endRun, SettlementStages::endTick,
			SettlementStages::forward, SettlementStages::writeNotes);

	private static final Log logger = PlainLog.of(SettlementStages.class);

	private final Delivery delivery;

	private final DeliveryClaim claim;

	private volatile boolean settled;

	private volatile @Nullable Runnable whenSettled;

	/**
	 * Whether the handling succeeded, so that no other message of its idempotency key is
	 * to be handled.
	 */
	private boolean succeeded;

	/**
	 * The run that has the message's idempotency key; {@code null} if it has none, or
	 * none yet.
	 */
	private volatile @Nullable KeyedRun run;

	/**
	 * Records the end of the run of a tick; {@code null} if there is nothing to record.
	 */
	private volatile @Nullable Supplier<CompletableFuture<?>> endOfTick;

	/**
	 * How the message ended if the handler did not decide that.
	 */
	private volatile @Nullable String endedAs;

	/**
	 * The value that the handler returned.
	 */
	private volatile @Nullable Object returned;

	/**
	 * The state that the run of a tick reads and passes on; {@code null} if the message
	 * is no tick.
	 */
	private volatile @Nullable RunState runState;

	/**
	 * The messages that the handler sends with the acknowledgement.
	 */
	private volatile @Nullable NextMessages next;

	/**
	 * Observes the handling.
	 */
	private volatile GuardedObservation observation = GuardedObservation.NONE;

	SettlementStages(Delivery delivery, DeliveryClaim claim) {
		this.delivery = delivery;
		this.claim = claim;
	}

	boolean isSettled() {
		return this.settled;
	}

	/**
	 * Marks the message as settled.
	 * @return whether it was not settled before
	 */
	synchronized boolean mark() {
		boolean first = !this.settled;
		this.settled = true;
		return first;
	}

	/**
	 * Runs an action when the message is settled, or at once if it is settled already.
	 */
	void whenSettled(Runnable action) {
		if (isSettled()) {
			action.run();
			return;
		}
		this.whenSettled = action;
		if (isSettled()) {
			runWhenSettled();
		}
	}

	private void runWhenSettled() {
		if (this.whenSettled == null) {
			return;
		}
		Runnable action;
		synchronized (this) {
			action = this.whenSettled;
			this.whenSettled = null;
		}
		if (action != null) {
			action.run();
		}
	}

	/**
	 * Marks the message as settled without any settlement, because its queue was deleted.
	 * @return whether it was not settled before
	 */
	boolean drop() {
		boolean dropped = mark();
		if (dropped) {
			freeKey();
		}
		return dropped;
	}

	/**
	 * Ends the run that has the key, without a success.
	 */
	private void freeKey() {
		KeyedRun present = this.run;
		if (present != null) {
			present.end(false, () -> {
			});
		}
	}

	/**
	 * Returns the run that has the message's idempotency key, or {@code null} if there is
	 * none.
	 */
	@Nullable KeyedRun run() {
		return this.run;
	}

	/**
	 * Sets the run that handles the message, so that the settlement ends it.
	 */
	void run(KeyedRun keyed) {
		this.run = keyed;
		if (isSettled()) {
			freeKey();
		}
	}

	/**
	 * Sets what belongs to the run of a tick.
	 * @param end the action before the settlement
	 * @param state the state that the run reads and passes on
	 */
	void ofTick(@Nullable Supplier<CompletableFuture<?>> end, @Nullable RunState state) {
		this.endOfTick = end;
		this.runState = state;
	}

	/**
	 * Returns the state that the run of a tick reads and passes on, or {@code null} if
	 * the message is no tick.
	 */
	@Nullable RunState runState() {
		return this.runState;
	}

	/**
	 * Resets the state that the handler has set, because it has failed.
	 */
	void handlerFailed() {
		RunState state = this.runState;
		if (state != null) {
			state.reset();
		}
	}

	/**
	 * Returns how the message ended if the handler did not decide that; else
	 * {@code null}. Either the idempotency key kept it from being called, or the message
	 * was cancelled or lost.
	 */
	@Nullable String endedAs() {
		return this.endedAs;
	}

	void endsAs(@Nullable String way) {
		this.endedAs = way;
	}

	/**
	 * Sets the value that the handler returned, which is kept if the queue or the sender
	 * asks for it.
	 */
	void returned(@Nullable Object value) {
		this.returned = value;
	}

	/**
	 * Sets the messages that the handler sends with the acknowledgement; in a batch, with
	 * the first one.
	 */
	void sends(NextMessages collected) {
		this.next = collected;
	}

	/**
	 * Sets the observation of the handling: later reports of a failure name its trace.
	 */
	void observedBy(GuardedObservation observing) {
		if (this.observation != observing) {
			this.observation = observing;
		}
	}

	/**
	 * Settles the message, unless it is settled.
	 * @param success whether its handling succeeded, so that no other message of its key
	 * is to be handled
	 * @param decision decides on the settlement; may block
	 */
	void settle(boolean success, Supplier<Settlement> decision) {
		if (!mark()) {
			return;
		}
		this.succeeded = success;
		HandlerNotes notes = this.delivery.notesIfAny();
		if (success || notes == null || !notes.isToReset() || this.delivery.isGivenUp()) {
			settleMarked(decision);
		}
		else {
			// Whether the attempts count is known when Redis has accepted or refused the
			// checkpoint.
			notes.flushToSettle().thenRun(() -> settleLater(decision));
		}
	}

	private void settleLater(Supplier<Settlement> decision) {
		Runnable settling = () -> {
			try (GuardedObservation.Scope scope = this.observation.openScope()) {
				settleMarked(decision);
			}
		};
		if (!this.claim.context().clock().execute(settling)) {
			settling.run();
		}
	}

	private void settleMarked(Supplier<Settlement> decision) {
		boolean givenUp = !this.succeeded && this.delivery.isGivenUp();
		Settlement decided = decide(givenUp ? this::givenUp : decision);
		pass(this.claim.traced(completed(decided)), 0);
		runWhenSettled();
	}

	/**
	 * Returns the settlement that was decided on, or another one if the decision throws,
	 * as when an exception cannot be printed. A message without a settlement would be
	 * held for ever.
	 */
	private Settlement decide(Supplier<Settlement> settlement) {
		try {
			return settlement.get();
		}
		catch (Throwable ex) {
			return decideAnyhow(ex);
		}
	}

	/**
	 * Returns a settlement even if there is not enough memory to record and report the
	 * failure.
	 */
	private Settlement decideAnyhow(Throwable failure) {
		try {
			return this.claim.context().failures().policy().undecided(facts(), failure);
		}
		catch (Throwable ex) {
			return Settlement.retry(this.claim.uid(), this.claim.number(), RetryBackoff.DEFAULTS.maxInterval());
		}
	}

	/**
	 * Returns the settlement of a message that is not to be handled here any more:
	 * cancelled, or given back if another instance may have it.
	 */
	Settlement givenUp() {
		if (!this.delivery.isCalledOff()) {
			this.endedAs = QueueProcessContext.LOST;
			logger.info("The handling of the " + this.claim
					+ " has ended, and does not count: another instance may have it");
			return this.claim.givenBack(Duration.ZERO);
		}
		return cancelled();
	}

	private Settlement cancelled() {
		this.endedAs = QueueProcessContext.CANCELLED;
		logger.info("The " + this.claim + " was cancelled while it was in hand, and has ended");
		return this.claim.context().completions().cancelled(this.claim);
	}

	private Settlement completed(Settlement decided) {
		NextMessages collected = this.next;
		Completion sends = (collected != null)
				? collected.settled(Completions.isAcknowledged(decided) && this.endedAs == null) : null;
		RunState state = this.runState;
		SavedRunState saved = (state != null) ? state.end() : null;
		return this.claim.context()
			.completions()
			.complete(this.claim, decided, this.succeeded, this.returned,
					(this.succeeded && this.endedAs == null) ? saved : null, sends);
	}

	/**
	 * Takes the settlement through the stages, and sends it.
	 * @param from the first stage that it has not passed
	 */
	private void pass(Settlement decided, int from) {
		Settlement passing = decided;
		for (int stage = from; stage < STAGES.size(); stage++) {
			CompletableFuture<Settlement> recorded = STAGES.get(stage).begin(this, passing);
			if (recorded != null && !recorded.isDone()) {
				int next = stage + 1;
				recorded.thenAccept((passed) -> pass(passed, next));
				return;
			}
			passing = (recorded != null) ? recorded.join() : passing;
		}
		this.delivery.owner().settle(this.delivery, passing);
	}

	/**
	 * Records the end of the run that has the message's idempotency key: before the
	 * settlement is sent, or with it if the acknowledgement has a completion.
	 */
	private @Nullable CompletableFuture<Settlement> endRun(Settlement decided) {
		KeyedRun keyed = this.run;
		if (keyed == null) {
			return null;
		}
		Completion completion = decided.completion();
		if (completion == null || !decided.isAcknowledgment()) {
			CompletableFuture<Settlement> ended = new CompletableFuture<>();
			keyed.end(this.succeeded, () -> ended.complete(decided));
			return ended;
		}
		// If this instance died between the two, the message would be acknowledged as a
		// duplicate later, without its sections.
		return CompletableFuture.completedFuture(
				Settlement.done(decided.uid(), decided.claim(), new Completion(completion.sections(), (counted) -> {
					completion.complete(counted);
					keyed.end(this.succeeded && counted, () -> {
					});
				})));
	}

	/**
	 * Records the end of a tick's run before its settlement lets the next one begin.
	 */
	private @Nullable CompletableFuture<Settlement> endTick(Settlement decided) {
		CompletableFuture<?> recorded = endTick();
		return (recorded != null) ? recorded.handle((done, failure) -> decided) : null;
	}

	/**
	 * Records the end of a tick's run.
	 * @return a future of that, or {@code null} if there is nothing to record
	 */
	private @Nullable CompletableFuture<?> endTick() {
		Supplier<CompletableFuture<?>> end = this.endOfTick;
		return (end != null) ? AsyncCall.of(() -> end.get().thenApply((done) -> null)) : null;
	}

	/**
	 * Records the end of the handling of a message that was acknowledged before.
	 */
	void handled() {
		CompletableFuture<?> recorded = endTick();
		if (recorded == null) {
			this.delivery.owner().handled(this.delivery);
		}
		else {
			recorded.whenComplete((done, failure) -> this.delivery.owner().handled(this.delivery));
		}
	}

	/**
	 * Forwards a dead message to the dead-letter queue that its sender named, unless it
	 * was cancelled. If that queue does not take it, it is kept in its own queue.
	 */
	private @Nullable CompletableFuture<Settlement> forward(Settlement decided) {
		Envelope read = (decided.action() == Settlement.Action.BURY) ? this.claim.envelopeIfRead() : null;
		String target = (read != null) ? read.handling().deadLetterQueue() : null;
		DeadLetterCourier courier = this.claim.context().failures().deadLetters();
		if (target == null || courier == null) {
			return null;
		}
		return AsyncCall.of(() -> this.delivery.owner().isCancelled(this.claim.uid()))
			.handle((cancelled, unknown) -> unknown == null && cancelled)
			.thenCompose((cancelled) -> cancelled ? CompletableFuture.completedFuture(decide(this::cancelled))
					: forward(decided, courier, target))
			.exceptionally((failure) -> decided);
	}

	private CompletableFuture<Settlement> forward(Settlement burial, DeadLetterCourier courier, String target) {
		return courier
			.forward(this.claim.queue(), this.claim.uid(), this.claim.envelope(), target, burial.cause(),
					this.claim.storeTime())
			.handle((done, failure) -> {
				if (failure == null) {
					return this.claim.context().completions().forwarded(this.claim, burial.cause());
				}
				logger.warn("The " + this.claim + " could not be forwarded to the queue '" + target
						+ "', and is kept among the dead messages of its own: " + failure.getMessage());
				return burial;
			});
	}

	/**
	 * Writes the notes of the handler, if they stay after the settlement.
	 */
	private @Nullable CompletableFuture<Settlement> writeNotes(Settlement decided) {
		HandlerNotes notes = this.delivery.notesIfAny();
		return (notes != null && leavesNotes(decided)) ? notes.flushToSettle().thenApply((written) -> decided) : null;
	}

	/**
	 * Returns whether the notes of the handler stay after a settlement, so that they are
	 * written before.
	 */
	private static boolean leavesNotes(Settlement decided) {
		Completion completion = decided.completion();
		return !decided.isAcknowledgment()
				|| (completion != null && completion.sections().stream().anyMatch(KeptMessage.class::isInstance));
	}

	/**
	 * Returns the facts for a decision about the message, without its attempts if Redis
	 * has forgotten these.
	 */
	DeliveryFacts facts() {
		HandlerNotes notes = this.delivery.notesIfAny();
		return this.claim.facts(notes != null && notes.hasReset());
	}

	/**
	 * A stage of a settlement.
	 */
	@FunctionalInterface
	private interface Stage {

		/**
		 * Begins to record what has to be recorded before the settlement is sent.
		 * @return a future of the settlement to go on with, which does not fail; or
		 * {@code null} if there is nothing to record
		 */
		@Nullable CompletableFuture<Settlement> begin(SettlementStages stages, Settlement decided);

	}

}
