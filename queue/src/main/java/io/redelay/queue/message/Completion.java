package io.redelay.queue.message;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The actions that go together with the acknowledgement of a message, in one step: all if
 * the acknowledgement counts, none if it is refused.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Completion {

	private final List<CompletionSection> sections;

	private final Consumer<Boolean> listener;

	private final boolean again;

	private final AtomicBoolean completed = new AtomicBoolean();

	/**
	 * Creates a completion.
	 * @param sections the actions, in this order
	 * @param listener called once with whether the acknowledgement counted; must be
	 * quick, and not block
	 */
	public Completion(List<? extends CompletionSection> sections, Consumer<Boolean> listener) {
		this(sections, listener, false);
	}

	private Completion(List<? extends CompletionSection> sections, Consumer<Boolean> listener, boolean again) {
		this.sections = List.copyOf(sections);
		this.listener = listener;
		this.again = again;
	}

	/**
	 * Returns this completion for a repetition after the store went back in time:
	 * messages that are there, or done, are not sent again.
	 * @return a completion with the same sections and the same listener
	 */
	public Completion repeated() {
		return new Completion(this.sections, this::complete, true);
	}

	/**
	 * Returns whether it may have happened before.
	 * @return whether it may
	 */
	public boolean isAgain() {
		return this.again;
	}

	/**
	 * Returns what is done.
	 * @return the sections, in their order
	 */
	public List<CompletionSection> sections() {
		return this.sections;
	}

	/**
	 * Returns how much of the memory of this program it takes.
	 * @return bytes, roughly
	 */
	public long bytes() {
		long bytes = 0;
		for (CompletionSection section : this.sections) {
			bytes += section.size();
		}
		return bytes;
	}

	/**
	 * Notifies the listener whether the acknowledgement counted. Only the first call
	 * does.
	 * @param counted whether it did
	 */
	public void complete(boolean counted) {
		if (this.completed.compareAndSet(false, true)) {
			this.listener.accept(counted);
		}
	}

}
