package io.redelay.queue.handle;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.failure.DeliveryFacts;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * One claimed message and when it was claimed: its identity, its attempts, and its
 * envelope, once that is read.
 * <p>
 * Safe for use by many threads.
 */
final class DeliveryClaim {

	private final DeliveryContext context;

	private final ClaimReply.Message message;

	private final Instant time;

	private final long nanos;

	/**
	 * Not volatile: it is immutable, and whatever settles the message follows its
	 * reading.
	 */
	private @Nullable Envelope envelope;

	/**
	 * The trace of this attempt; {@code null} if it is not traced.
	 */
	private volatile @Nullable String trace;

	DeliveryClaim(DeliveryContext context, ClaimReply.Message message, Instant time, long nanos) {
		this.context = context;
		this.message = message;
		this.time = time;
		this.nanos = nanos;
	}

	DeliveryContext context() {
		return this.context;
	}

	/**
	 * Returns the message as it was claimed.
	 */
	ClaimReply.Message message() {
		return this.message;
	}

	String queue() {
		return this.context.queue();
	}

	String uid() {
		return this.message.uid();
	}

	String id() {
		Envelope read = this.envelope;
		return (read != null && read.id() != null) ? read.id() : uid();
	}

	/**
	 * Returns the number of the claim, which a settlement repeats.
	 */
	long number() {
		return this.message.claim();
	}

	int failures() {
		return this.message.failures();
	}

	int attempt() {
		return failures() + this.message.crashes() + 1;
	}

	/**
	 * Returns the trace of the first known attempt before this one, or {@code null} if
	 * there is none. A failed batch is such an attempt for its messages that are then
	 * handled alone.
	 */
	@Nullable String firstAttempt() {
		return (this.message.firstAttempt() != null) ? this.message.firstAttempt() : this.trace;
	}

	/**
	 * Sets the trace of the attempt that begins.
	 */
	void tracedAs(String attempt) {
		if (this.trace == null) {
			this.trace = attempt;
		}
	}

	/**
	 * Adds the trace to a retry of the first attempt, so that the next attempt knows it.
	 */
	Settlement traced(Settlement decided) {
		String attempt = this.trace;
		if (attempt == null || this.message.firstAttempt() != null || decided.action() != Settlement.Action.RETRY) {
			return decided;
		}
		return decided.withTrace(attempt);
	}

	/**
	 * Returns the fairness key of the message, escaped as JSON, or {@code null} if it has
	 * none.
	 */
	@Nullable String fairnessKey() {
		try {
			return EnvelopeCodec.fairnessKey(this.message.envelope());
		}
		catch (RuntimeException ex) {
			// An unreadable message waits like one without a key, until it is opened.
			return null;
		}
	}

	/**
	 * Reads the envelope.
	 */
	void read() {
		Envelope read = this.context.codec().read(this.message.envelope());
		this.envelope = read.dueAt().isAfter(this.time) ? read.dueBy(storeTime()) : read;
	}

	/**
	 * Returns the envelope, which must have been read.
	 */
	Envelope envelope() {
		Envelope read = this.envelope;
		Assert.state(read != null, "The message has not been read yet");
		return read;
	}

	/**
	 * Returns the envelope, or {@code null} if it was not read, or is unreadable.
	 */
	@Nullable Envelope envelopeIfRead() {
		return this.envelope;
	}

	/**
	 * Returns the deadline for handling the message, by the clock of the store, or
	 * {@code null} if it has no deadline.
	 */
	@Nullable Instant deadline() {
		return envelope().deadline();
	}

	/**
	 * Returns whether instances died with the message so often that it is not handled
	 * again.
	 */
	boolean hasCrashedTooOften() {
		return this.message.crashes() >= this.context.failures().policy().maxAttempts(envelope().maxAttempts());
	}

	/**
	 * Returns how the time of the message has ended, or {@code null} if it has not.
	 */
	Envelope.@Nullable Expiration ending() {
		Envelope read = envelope();
		return read.lifetime().isLimited() ? read.ended(storeTime()) : null;
	}

	Settlement acknowledgement() {
		return Settlement.ack(uid(), number());
	}

	/**
	 * Returns a settlement that gives the message back to the queue unhandled, without
	 * counting an attempt.
	 * @param delay how long until it can be claimed again
	 */
	Settlement givenBack(Duration delay) {
		return Settlement.giveBack(uid(), number(), delay);
	}

	/**
	 * Returns the facts for a decision about the message.
	 * @param reset whether Redis has forgotten its attempts
	 */
	DeliveryFacts facts(boolean reset) {
		return new DeliveryFacts(queue(), uid(), number(), reset ? 0 : failures(), reset ? 0 : this.message.crashes(),
				this.envelope, storeTime());
	}

	/**
	 * Returns for how long the container has held the message.
	 */
	long heldNanos(long nanoTime) {
		return nanoTime - this.nanos;
	}

	/**
	 * Returns for how long the message had been due at a time.
	 */
	long millisSinceDue(long nanoTime) {
		Instant due = envelope().dueAt();
		return TimeUnit.NANOSECONDS.toMillis(TimeUnit.SECONDS.toNanos(this.time.getEpochSecond() - due.getEpochSecond())
				+ this.time.getNano() - due.getNano() + heldNanos(nanoTime));
	}

	/**
	 * Returns the present time by the clock of the store, or a time shortly before it.
	 */
	Instant storeTime() {
		return this.time.plusNanos(this.context.clock().nanoTime() - this.nanos);
	}

	@Override
	public String toString() {
		return facts(false).toString();
	}

}
