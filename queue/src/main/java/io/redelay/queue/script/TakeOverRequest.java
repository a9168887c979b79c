package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A request to take entries out of an inlet, and to add the messages made of them.
 *
 * @param lane the lane
 * @param seq the number of the request in that lane
 * @param renews whether the lane's memory is to be renewed
 * @param entries the first entries of the inlet, in their order; none of them is taken if
 * the inlet begins otherwise
 * @param limit how long the queue may be, if that is limited
 * @param holdBack for how long to hold back the added messages, if this request was
 * carried out before and is forgotten; else {@code null}. The entries need not be there
 * then, and messages that are there, or done, are ignored
 * @since 0.1.0
 */
record TakeOverRequest(String lane, long seq, boolean renews, List<TakenEntry> entries, @Nullable LengthLimit limit,
		@Nullable Duration holdBack) {

	/**
	 * Returns whether the request was carried out before and is forgotten.
	 * @return whether it was
	 */
	public boolean again() {
		return this.holdBack != null;
	}

	/**
	 * Returns the messages to add.
	 * @return the messages, in the order of their entries
	 */
	public List<NewMessage> messages() {
		return this.entries.stream().map(TakenEntry::message).filter(Objects::nonNull).toList();
	}

	/**
	 * Returns the messages to keep as dead.
	 * @return the dead messages, in the order of their entries
	 */
	public List<TakenEntry.Dead> dead() {
		return this.entries.stream().map(TakenEntry::dead).filter(Objects::nonNull).toList();
	}

}
