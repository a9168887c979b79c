package io.redelay.queue.handle;

import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueException;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.notes.HandlerNotes;
import io.redelay.queue.notes.RunState;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageProgress;
import io.redelay.queue.work.RecurringState;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.util.Assert;

/**
 * A message that a container holds, from its claim to its settlement. Only the first
 * settlement counts; each later one does nothing.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Delivery implements Acknowledgment, HandlerNotes.Subject {

	static final StackTraceElement[] NO_STACK = {};

	private final DeliveryOwner owner;

	private final DeliveryClaim claim;

	private final SettlementStages stages;

	private final DeliverySettlement settlement;

	private volatile long laneEpoch;

	/**
	 * The message as its handler gets it; {@code null} until it is first asked for.
	 */
	private volatile @Nullable Message<?> message;

	private volatile @Nullable Handling handling;

	private volatile boolean alone;

	/**
	 * The delivery of the same ordering key that is handled after this one; {@code null}
	 * if the lane holds none.
	 */
	private volatile @Nullable Delivery next;

	/**
	 * Whether another delivery of the ordering key is to be handled before.
	 */
	private volatile boolean behind;

	/**
	 * Since when the message has waited for a handler, and for no other delivery.
	 */
	private volatile long waitingSince;

	/**
	 * Signals the handler to end; {@code null} until it is first asked for or turned.
	 */
	private volatile @Nullable DeliveryToken token;

	/**
	 * The notes of the handler; {@code null} while there are none.
	 */
	private volatile @Nullable HandlerNotes notes;

	public Delivery(DeliveryOwner owner, DeliveryContext context, ClaimReply.Message claimed, long laneEpoch,
			Instant claimTime, long claimNanos) {
		this.owner = owner;
		this.claim = new DeliveryClaim(context, claimed, claimTime, claimNanos);
		this.stages = new SettlementStages(this, this.claim);
		this.settlement = new DeliverySettlement(this, this.claim, this.stages);
		this.laneEpoch = laneEpoch;
		this.alone = claimed.suspect();
		this.waitingSince = claimNanos;
	}

	DeliveryOwner owner() {
		return this.owner;
	}

	/**
	 * Returns the message as it was claimed.
	 */
	DeliveryClaim claim() {
		return this.claim;
	}

	/**
	 * Returns the part that settles it, by how its handling ended.
	 */
	DeliverySettlement settlement() {
		return this.settlement;
	}

	/**
	 * Returns the stages of its settlement.
	 */
	SettlementStages stages() {
		return this.stages;
	}

	/**
	 * Returns the facts of the delivery that a handler can ask for.
	 * @return the facts
	 */
	public DeliveryInfo info() {
		return this.claim.facts(false).info();
	}

	/**
	 * Returns the checkpoint of the message.
	 * @param <T> the type of its state
	 * @param converter converts the state
	 * @param type the type of its state
	 * @return the checkpoint
	 * @throws PayloadConversionException if the saved checkpoint does not fit the type
	 */
	public <T> Checkpoint<T> checkpoint(CheckpointConverter converter, Type type) {
		Assert.state(!this.settlement.isAcknowledgedFirst(), () -> "The " + this
				+ " was acknowledged before its handling, so there is no other delivery that could read a checkpoint");
		return notes().checkpoint(this.claim.message().checkpoint(),
				this.claim.context().failures().policy().resetsAttempts(), converter, type);
	}

	/**
	 * Returns the state that the runs of a recurring message pass to each other; the
	 * message is a tick of it.
	 * @param <T> the type of the state
	 * @param converter converts the state
	 * @param type the type of the state
	 * @return the state
	 * @throws PayloadConversionException if the message is no tick, or if the saved state
	 * does not fit the type
	 */
	public <T> RecurringState<T> recurringState(CheckpointConverter converter, Type type) {
		RunState state = this.stages.runState();
		if (state == null) {
			throw new PayloadConversionException(
					"The " + this + " is no tick of a recurring message of its queue, so "
							+ "it has no RecurringState. Send it to another queue, or take the parameter as @Nullable",
					null);
		}
		return state.toRecurringState(converter, type, this.owner.notes().settings().maxCheckpointSize(), this);
	}

	/**
	 * Returns whether the message is a tick of a recurring message of its queue.
	 * @return whether it is
	 */
	public boolean isTick() {
		return this.stages.runState() != null;
	}

	/**
	 * Returns the notes of the handler.
	 */
	synchronized HandlerNotes notes() {
		HandlerNotes present = this.notes;
		if (present == null) {
			present = new HandlerNotes(this, () -> this.owner.lost(this), this.owner.notes());
			this.notes = present;
		}
		return present;
	}

	/**
	 * Returns the notes of the handler, or {@code null} while there are none.
	 */
	@Nullable HandlerNotes notesIfAny() {
		return this.notes;
	}

	/**
	 * Returns the token that signals the handler to end.
	 * @return the token, the same one at each call
	 */
	public CancellationToken cancellation() {
		return token();
	}

	/**
	 * Returns the token that signals the handler of several messages to end.
	 * @param deliveries the deliveries, of one invocation
	 * @return a token that turns when those of all deliveries have turned
	 */
	public static CancellationToken cancellation(List<Delivery> deliveries) {
		return DeliveryToken.ofAll(deliveries.stream().map(Delivery::cancellation).toList());
	}

	/**
	 * Signals the handler to end.
	 * @param callbacks runs the callbacks of the handler
	 */
	public void turn(CancellationReason reason, Executor callbacks) {
		token().turn(reason, callbacks);
	}

	/**
	 * Returns what the handler does.
	 * @return its state, or {@code null} while no handler has the message
	 */
	public @Nullable RunningHandling running() {
		Handling present = this.handling;
		return (present != null && this.claim.envelopeIfRead() != null) ? present.look() : null;
	}

	/**
	 * Returns the stack of the thread that calls the handler.
	 * @return the frames, the innermost one first; none if no thread is there now
	 */
	public StackTraceElement[] stackTrace() {
		Handling present = this.handling;
		return (present != null) ? present.stackTrace() : NO_STACK;
	}

	/**
	 * Interrupts the thread that calls the handler, or cancels the future that it
	 * returned. No later handling on that thread is interrupted.
	 * @return whether one of them was there
	 */
	public boolean interruptHandler() {
		Handling present = this.handling;
		return present != null && present.interrupt();
	}

	/**
	 * Returns the listener whose handler gets the message.
	 * @return its id
	 */
	public String listener() {
		return this.claim.context().listener();
	}

	/**
	 * Returns how often the message is attempted at most.
	 * @return its own maximum, or that of its queue
	 */
	public int maxAttempts() {
		return this.claim.context().failures().policy().maxAttempts(this.claim.envelope().maxAttempts());
	}

	/**
	 * Returns whether the message was acknowledged before its handling, so that it is not
	 * delivered again.
	 * @return whether it was
	 */
	public boolean isAcknowledgedFirst() {
		return this.settlement.isAcknowledgedFirst();
	}

	/**
	 * Returns what the handler has reported last.
	 * @return the progress, or {@code null} if it has reported none
	 */
	public @Nullable MessageProgress progress() {
		HandlerNotes present = this.notes;
		return (present != null) ? present.reported() : null;
	}

	/**
	 * Returns whether the message is known to be cancelled.
	 */
	public boolean isCalledOff() {
		return reason() == CancellationReason.CANCELLED;
	}

	/**
	 * Returns whether the end of the handling is no failure, whatever the handler throws:
	 * the message was cancelled, or another lane may hold it.
	 */
	boolean isGivenUp() {
		return isCalledOff() || reason() == CancellationReason.LEASE_LOST;
	}

	/**
	 * Returns why the handler was signalled to end, or {@code null} if it was not.
	 */
	public @Nullable CancellationReason reason() {
		DeliveryToken present = this.token;
		return (present != null) ? present.reason() : null;
	}

	private synchronized DeliveryToken token() {
		DeliveryToken present = this.token;
		if (present == null) {
			present = new DeliveryToken();
			this.token = present;
		}
		return present;
	}

	/**
	 * Returns whether the message combines the payloads of several messages, so that it
	 * is a batch by itself.
	 * @return whether its payload is a list of payloads
	 */
	public boolean isAggregate() {
		return EnvelopeCodec.isAggregate(this.claim.message().envelope());
	}

	/**
	 * Returns the message as its sender sent it, with its payload not converted yet, or
	 * the message with which an interceptor replaced it.
	 * @return the message
	 */
	public Message<?> message() {
		Message<?> present = this.message;
		return (present != null) ? present : created();
	}

	private synchronized Message<?> created() {
		Message<?> present = this.message;
		if (present == null) {
			present = DeliveryMessages.create(this.claim, this);
			this.message = present;
		}
		return present;
	}

	/**
	 * Returns the envelope in place of {@link #message()}, which need not be created
	 * then.
	 * @return the envelope, or {@code null} if the message was created, so that it may
	 * have been changed or replaced
	 */
	public @Nullable Envelope sentEnvelope() {
		return (this.message == null) ? this.claim.envelope() : null;
	}

	/**
	 * Returns the payload type of the message.
	 * @return the payload type, or {@code null} if it has none
	 */
	public @Nullable String payloadType() {
		return this.claim.envelope().handling().payloadType();
	}

	/**
	 * Replaces the message that the handler gets, and adds Redelay's own headers to the
	 * replacement; {@code null} restores the message as it was sent.
	 */
	synchronized void intercept(@Nullable Message<?> other) {
		this.message = (other != null) ? DeliveryMessages.replace(other, this.claim, this) : null;
	}

	/**
	 * Returns whether the message is settled, so that another settlement does nothing.
	 * @return whether it is
	 */
	@Override
	public boolean isSettled() {
		return this.stages.isSettled();
	}

	@Override
	public void acknowledge() {
		this.settlement.acknowledge();
	}

	@Override
	public void nack() {
		this.settlement.nacked(null);
	}

	@Override
	public void nack(Duration delay) {
		Assert.isTrue(!delay.isNegative(), () -> "'delay' must not be negative: " + delay);
		this.settlement.nacked(delay);
	}

	@Override
	public void reject(String reason) {
		this.settlement.rejected(reason);
	}

	@Override
	public boolean isCancelled() {
		if (isCalledOff()) {
			return true;
		}
		try {
			boolean cancelled = this.owner.isCancelled(uid()).get();
			if (cancelled) {
				turn(CancellationReason.CANCELLED, Runnable::run);
			}
			return cancelled;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueException("The thread was interrupted while it asked whether the " + this + " was cancelled",
					ex);
		}
		catch (ExecutionException ex) {
			throw new QueueException("It is unknown whether the " + this + " was cancelled", ex.getCause());
		}
	}

	/**
	 * Settles the message after it could not be converted for its handler.
	 * @param failure why
	 */
	public void conversionFailed(Throwable failure) {
		this.settlement.conversionFailed(failure);
	}

	/**
	 * Gives the message back to the queue unhandled, in its place, without counting an
	 * attempt.
	 */
	public void giveBack() {
		this.settlement.giveBack(Duration.ZERO);
	}

	/**
	 * Sets the value that the handler returned, which is kept if the queue or the sender
	 * asks for it.
	 * @param value the value, or {@code null} if there is none
	 */
	public void returned(@Nullable Object value) {
		this.stages.returned(value);
	}

	/**
	 * Sets the invocation of the handler that has the message from now on.
	 */
	void handledBy(Handling handling) {
		this.handling = handling;
	}

	/**
	 * Returns whether an invocation of the handler has the message and is under way.
	 */
	public boolean isInHands() {
		Handling present = this.handling;
		return present != null && present.isUnderWay();
	}

	/**
	 * Returns the number of the lane, among those of its loop, that holds the message;
	 * see {@code HeldMessages}.
	 */
	public long laneEpoch() {
		return this.laneEpoch;
	}

	/**
	 * Sets that another lane of the same loop holds the message now.
	 */
	public void takenOver(long epoch) {
		this.laneEpoch = epoch;
	}

	/**
	 * Has this delivery handled after another one of its ordering key.
	 * @param previous the last one so far
	 */
	public void follow(Delivery previous) {
		this.behind = true;
		previous.next = this;
	}

	/**
	 * Returns the delivery that is handled after this one, or {@code null} if there is
	 * none.
	 */
	public @Nullable Delivery next() {
		return this.next;
	}

	/**
	 * Returns whether another delivery of the ordering key is to be handled before.
	 */
	public boolean isBehind() {
		return this.behind;
	}

	/**
	 * Gives this delivery the turn of its ordering key.
	 * @param nanoTime the present time
	 */
	public void takeTurn(long nanoTime) {
		this.waitingSince = nanoTime;
		this.behind = false;
	}

	/**
	 * Removes the delivery that is handled after this one, because it goes back.
	 */
	public void endRow() {
		this.next = null;
	}

	/**
	 * Returns for how long the delivery could have been handled.
	 */
	long waitedNanos(long nanoTime) {
		return nanoTime - this.waitingSince;
	}

	@Override
	public long claimNumber() {
		return this.claim.number();
	}

	public boolean isSuspect() {
		return this.claim.message().suspect();
	}

	/**
	 * Returns whether the message, which is a suspect, is handled alone.
	 */
	public boolean isAccused() {
		return this.claim.context().isAccused(this.claim.message());
	}

	/**
	 * Returns a settlement that gives the message back to the queue unhandled, without
	 * counting an attempt.
	 */
	public Settlement givenBack() {
		return this.claim.givenBack(Duration.ZERO);
	}

	/**
	 * Marks the message as settled without any settlement, because its queue was deleted.
	 * @return whether it was not settled before
	 */
	public boolean drop() {
		return this.stages.drop();
	}

	/**
	 * Has the checkpoint of the handler written again, because Redis went back in time.
	 */
	public void writeNotesAgain() {
		HandlerNotes present = this.notes;
		if (present != null) {
			present.forgotten();
		}
	}

	boolean isAlone() {
		return this.alone;
	}

	void handleAlone() {
		this.alone = true;
		this.handling = null;
	}

	@Override
	public String queue() {
		return this.claim.queue();
	}

	@Override
	public String uid() {
		return this.claim.uid();
	}

	@Override
	public Instant storeTime() {
		return this.claim.storeTime();
	}

	String id() {
		return this.claim.id();
	}

	Envelope envelope() {
		return this.claim.envelope();
	}

	@Override
	public String toString() {
		return this.claim.toString();
	}

	/**
	 * Returns the hash of the uid, which costs less than that of the identity.
	 */
	@Override
	public int hashCode() {
		return uid().hashCode();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	/**
	 * The handling of a delivery.
	 */
	@FunctionalInterface
	interface Handling {

		/**
		 * Returns whether a thread handles the delivery, a future is awaited, or its
		 * handler may acknowledge it at any time.
		 */
		boolean isUnderWay();

		/**
		 * Returns what its handler does, or {@code null} if it has none.
		 */
		default @Nullable RunningHandling look() {
			return null;
		}

		/**
		 * Returns the stack of the thread that calls its handler; empty if none does.
		 */
		default StackTraceElement[] stackTrace() {
			return NO_STACK;
		}

		/**
		 * Interrupts the thread that calls its handler, or cancels what that returned.
		 * @return whether one of them was there
		 */
		default boolean interrupt() {
			return false;
		}

	}

}
