package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.listener.failure.DeliveryFacts;
import io.redelay.queue.listener.failure.RetryBackoff;
import io.redelay.queue.listener.idempotency.KeyedRun;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.KeptMessage;
import io.redelay.queue.store.NextMessages;
import io.redelay.queue.store.SavedRunState;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The steps of the settlement of one delivery, each taken once. The settlement is decided
 * on, gets its completion, and is sent after all that has to be recorded before.
 * <p>
 * Safe for use by many threads.
 */
final class SettlementSteps {

	private static final Log logger = LogFactory.getLog(SettlementSteps.class);

	private final Delivery delivery;

	private final DeliveryClaim claim;

	private volatile boolean settled;

	private volatile @Nullable Runnable whenSettled;

	/**
	 * The runs that end with the delivery; {@code null} while there are none.
	 */
	private volatile @Nullable DeliveryRuns runs;

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

	SettlementSteps(Delivery delivery, DeliveryClaim claim) {
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
		this.whenSettled = action;
		if (isSettled()) {
			runWhenSettled();
		}
	}

	private void runWhenSettled() {
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
		DeliveryRuns ends = this.runs;
		if (dropped && ends != null) {
			ends.drop();
		}
		return dropped;
	}

	/**
	 * Returns the run that has the message's idempotency key, or {@code null} if there is
	 * none.
	 */
	@Nullable KeyedRun run() {
		DeliveryRuns ends = this.runs;
		return (ends != null) ? ends.keyed() : null;
	}

	/**
	 * Sets the run that handles the message, so that the settlement ends it.
	 */
	void runs(KeyedRun keyed) {
		DeliveryRuns ends = runs();
		ends.keyed(keyed);
		if (isSettled()) {
			ends.drop();
		}
	}

	/**
	 * Sets the action before the settlement of a tick.
	 */
	void endsRun(@Nullable Supplier<CompletableFuture<?>> end) {
		if (end != null) {
			runs().endOfTick(end);
		}
	}

	/**
	 * Sets the state that the run of a tick reads and passes on.
	 */
	void runState(@Nullable RunState state) {
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
	 * Runs an action after the end of the run of a tick, or at once if the message is no
	 * tick.
	 */
	void afterTick(Runnable action) {
		DeliveryRuns ends = this.runs;
		if (ends == null) {
			action.run();
		}
		else {
			ends.afterTick(action);
		}
	}

	private synchronized DeliveryRuns runs() {
		DeliveryRuns present = this.runs;
		if (present == null) {
			present = new DeliveryRuns();
			this.runs = present;
		}
		return present;
	}

	/**
	 * Returns how the message ended if the handler did not decide that; else
	 * {@code null}. Either the idempotency key kept it from being called, or the message
	 * was cancelled or lost.
	 */
	@Nullable String endedAs() {
		return this.endedAs;
	}

	void endsAs(String way) {
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
		this.observation = observing;
	}

	/**
	 * Settles the message. If it has an idempotency key, the end of its run is recorded
	 * before the settlement is sent.
	 * @param succeeded whether its handling succeeded, so that no other message of its
	 * key is to be handled
	 */
	void settle(boolean succeeded, Supplier<Settlement> settlement) {
		if (!mark()) {
			return;
		}
		boolean givenUp = !succeeded && this.delivery.isGivenUp();
		HandlerNotes kept = this.delivery.notesIfAny();
		if (succeeded || givenUp || kept == null || !kept.isToReset()) {
			settleMarked(succeeded, givenUp ? this::givenUp : settlement);
			return;
		}
		// Whether the attempts count is known when Redis has accepted or refused the
		// checkpoint. The decision may block.
		kept.flushToSettle().thenRun(() -> {
			Runnable settling = () -> {
				try (GuardedObservation.Scope scope = this.observation.openScope()) {
					settleMarked(false, this.delivery.isGivenUp() ? this::givenUp : settlement);
				}
			};
			if (!this.claim.context().clock().execute(settling)) {
				settling.run();
			}
		});
	}

	private void settleMarked(boolean succeeded, Supplier<Settlement> settlement) {
		Settlement decided = this.claim.traced(completed(decide(settlement), succeeded));
		DeliveryRuns ends = this.runs;
		if (ends == null) {
			send(decided);
		}
		else {
			ends.end(decided, succeeded, this::send);
		}
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
			return this.claim.context().policy().undecided(facts(), failure);
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

	private Settlement completed(Settlement decided, boolean succeeded) {
		NextMessages collected = this.next;
		Completion sends = (collected != null)
				? collected.settled(Completions.isAcknowledged(decided) && this.endedAs == null) : null;
		RunState state = this.runState;
		SavedRunState saved = (state != null) ? state.end() : null;
		return this.claim.context()
			.completions()
			.complete(this.claim, decided, succeeded, this.returned, (succeeded && this.endedAs == null) ? saved : null,
					sends);
	}

	/**
	 * Sends the settlement. A dead message whose sender named a dead-letter queue is
	 * forwarded there before, unless it was cancelled.
	 */
	private void send(Settlement decided) {
		DeadLetterHandOn handOn = DeadLetterHandOn.of(this.claim, decided);
		if (handOn == null) {
			settleAfterWork(decided);
			return;
		}
		findCancelled().whenComplete((cancelled, unknown) -> {
			if (unknown == null && cancelled) {
				settleAfterWork(decide(this::cancelled));
			}
			else {
				handOn.begin(this::settleAfterWork);
			}
		});
	}

	/**
	 * Asks Redis whether the message was cancelled; fails in place of throwing anything.
	 */
	private CompletableFuture<Boolean> findCancelled() {
		try {
			return this.delivery.owner().isCancelled(this.claim.uid());
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Sends a settlement, after the notes are written if they stay.
	 */
	private void settleAfterWork(Settlement decided) {
		HandlerNotes kept = this.delivery.notesIfAny();
		if (kept == null || !leavesNotes(decided)) {
			this.delivery.owner().settle(this.delivery, decided);
			return;
		}
		kept.flushToSettle().thenRun(() -> this.delivery.owner().settle(this.delivery, decided));
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
		HandlerNotes kept = this.delivery.notesIfAny();
		return this.claim.facts(kept != null && kept.hasReset());
	}

}
