package io.redelay.queue.admin;

import java.util.List;

/**
 * The causes of death of the dead messages of a queue.
 *
 * @param causes how many died of what, the most frequent cause first
 * @param examined how many of them were looked at, the last ones to die
 * @param complete whether these were all dead messages
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
