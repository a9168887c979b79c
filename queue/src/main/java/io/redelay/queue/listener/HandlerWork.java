package io.redelay.queue.listener;

import java.lang.reflect.Type;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.redelay.queue.Checkpoint;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.store.Completion;
import io.redelay.queue.store.KeptMessage;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The progress, the lines and the checkpoint of one delivery, as its handler reports
 * them. It is created when a handler first uses one of them.
 * <p>
 * Safe for use by many threads.
 */
final class HandlerWork implements WorkRecord.Holder {

	private final DeliveryClaim claim;

	private final WorkKeeper keeper;

	private final BooleanSupplier settled;

	private final Runnable whenLost;

	private final WorkRecord kept;

	/**
	 * Creates the work of a message.
	 * @param settled returns whether the message is settled
	 * @param whenLost run if Redis replied that the lane does not hold the message any
	 * more
	 */
	HandlerWork(DeliveryClaim claim, WorkKeeper keeper, BooleanSupplier settled, Runnable whenLost) {
		this.claim = claim;
		this.keeper = keeper;
		this.settled = settled;
		this.whenLost = whenLost;
		this.kept = new WorkRecord(this, keeper.settings());
	}

	/**
	 * Sets the progress of the handling.
	 * @param fraction how much is done, from 0 to 1
	 * @param text the handler's text, or {@code null}
	 */
	void progress(double fraction, @Nullable String text) {
		if (!(fraction >= 0 && fraction <= 1)) {
			throw new IllegalArgumentException("'fraction' must be from 0 to 1: " + fraction
					+ ", which the handler told of the " + this + " as its progress");
		}
		keep((work) -> work.report().progress(fraction, text, this.claim.storeTime()));
	}

	/**
	 * Adds a line to the log of the message.
	 */
	void log(String line) {
		Assert.notNull(line, "'line' must not be null");
		keep((work) -> work.report().log(line, this.claim.storeTime()));
	}

	/**
	 * Returns the checkpoint of the message.
	 * @param <T> the type of its state
	 * @param converter converts the state
	 * @param type the type of its state
	 * @throws PayloadConversionException if the saved checkpoint does not fit the type
	 */
	<T> Checkpoint<T> checkpoint(CheckpointConverter converter, Type type) {
		boolean resetsAttempts = this.claim.context().policy().resetsAttempts();
		return new SavedCheckpoint<>(this.kept.checkpoint(this.claim.checkpoint(), resetsAttempts),
				new CheckpointWriter(this.kept, this.keeper), converter, type);
	}

	/**
	 * Changes the work record, unless the message is settled or lost.
	 */
	private void keep(Consumer<WorkRecord> change) {
		if (isSettled() || this.kept.isLost()) {
			this.keeper.tooLate(this.kept);
			return;
		}
		change.accept(this.kept);
		this.keeper.changed(this.kept);
	}

	/**
	 * Has the work record written again, because Redis went back in time.
	 */
	void forget() {
		this.kept.forgotten();
		this.keeper.changed(this.kept);
	}

	/**
	 * Returns whether Redis has forgotten the attempts of the message, because a
	 * checkpoint was saved.
	 */
	boolean hasReset() {
		return this.kept.hasReset();
	}

	/**
	 * Returns whether Redis will forget the attempts of the message with the next write.
	 */
	boolean isToReset() {
		return this.kept.isToReset();
	}

	/**
	 * Returns whether the work record stays after a settlement, so that it is written
	 * before.
	 */
	static boolean staysAfter(Settlement decided) {
		Completion completion = decided.completion();
		return !decided.isAcknowledgment()
				|| (completion != null && completion.sections().stream().anyMatch(KeptMessage.class::isInstance));
	}

	/**
	 * Writes the changes that are not written yet.
	 * @return a future that completes, and does not fail, when the message can be settled
	 */
	CompletableFuture<?> flushToSettle() {
		return this.keeper.flushToSettle(this.kept);
	}

	@Override
	public String uid() {
		return this.claim.uid();
	}

	@Override
	public long claim() {
		return this.claim.number();
	}

	@Override
	public String queue() {
		return this.claim.queue();
	}

	@Override
	public boolean isSettled() {
		return this.settled.getAsBoolean();
	}

	@Override
	public void lost() {
		this.whenLost.run();
	}

	@Override
	public String toString() {
		return this.claim.toString();
	}

}
