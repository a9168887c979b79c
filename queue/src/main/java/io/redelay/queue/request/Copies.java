package io.redelay.queue.request;

import io.redelay.queue.Durability;
import io.redelay.queue.DurabilityOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The copies that there were of the data that a request wrote.
 *
 * @param replicas how many replicas had it in memory, if that was asked for
 * @param file whether the master had it in its file, if that was asked for
 * @param files how many replicas had it in their files, if that was asked for
 * @param problem the store's error if it could not count the copies
 * @since 0.1.0
 */
public record Copies(int replicas, boolean file, int files, @Nullable String problem) {

	/**
	 * Returns the outcome of these copies for a message.
	 * @param durability the durability that it asked for
	 * @return the outcome
	 */
	public DurabilityOutcome outcome(Durability durability) {
		int there = durability.appendOnlyFile() ? this.files : this.replicas;
		boolean filed = durability.appendOnlyFile() && this.file;
		boolean reached = there >= durability.replicas() && filed == durability.appendOnlyFile();
		return new DurabilityOutcome(reached, there, filed, reached ? null : this.problem);
	}

}
