package io.redelay.queue.listener;

import java.lang.reflect.Type;
import java.util.Optional;

import io.redelay.queue.CheckpointException;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.RecurringState;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The state of a recurring message, as the handler of one run sees it.
 *
 * @param <T> the type of the state
 */
final class HandedOnState<T> implements RecurringState<T> {

	private final RunState state;

	private final CheckpointConverter converter;

	private final Type type;

	private final int maxSize;

	private final Object subject;

	/**
	 * Creates the state for a handler.
	 * @throws PayloadConversionException if the saved state does not fit the type
	 */
	HandedOnState(RunState state, CheckpointConverter converter, Type type, int maxSize, Object subject) {
		this.state = state;
		this.converter = converter;
		this.type = type;
		this.maxSize = maxSize;
		this.subject = subject;
		get();
	}

	@Override
	@SuppressWarnings("unchecked") // the type is T
	public Optional<T> get() {
		byte[] stored = this.state.current();
		return (stored != null) ? Optional.ofNullable((T) this.converter.read(stored, this.type, this))
				: Optional.empty();
	}

	@Override
	public void set(T state) {
		Assert.notNull(state, "'state' must not be null: call clear() to hand on none");
		byte[] converted = convert(state);
		Assert.isTrue(converted.length <= this.maxSize,
				() -> "The " + this + " has " + converted.length + " bytes, and at most " + this.maxSize
						+ " are kept. Hand on where to go on instead of what was done, or raise "
						+ "'redelay.queue.work.max-checkpoint-size'");
		change(converted);
	}

	private byte[] convert(T state) {
		try {
			return this.converter.write(state, this);
		}
		catch (CheckpointException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
	}

	@Override
	public void clear() {
		change(null);
	}

	private void change(byte @Nullable [] stored) {
		Assert.state(this.state.set(stored),
				() -> "The " + this + " cannot be set any more: its run is settled. Set it before the acknowledgement");
	}

	@Override
	public String toString() {
		return "state of the recurring message of the " + this.subject;
	}

}
