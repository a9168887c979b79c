package io.redelay.queue.admin;

import java.util.List;

/**
 * What the dead messages of a queue died of.
 *
 * @param causes how many died of what, the most frequent cause first
 * @param examined how many of them were looked at, the last ones to die
 * @param complete whether these are all
 * @since 0.1.0
 */
public record DeadLetterCauses(List<DeadLetterCount> causes, long examined, boolean complete) {

	/**
	 * Copies the causes.
	 */
	public DeadLetterCauses {
		causes = List.copyOf(causes);
	}

}
