package io.redelay.queue.admin;

import java.time.Instant;

/**
 * Trouble of a queue begins, changes or ends, by its {@link QueueDiagnosis#trouble()
 * diagnosis}, and has done so for {@code redelay.trouble.hold}. {@link TroubleListener}
 * beans and {@code @EventListener} methods receive it, in one instance of the
 * application. A repeated event has the same queue, type and times.
 *
 * @param type whether it begins, changes or ends
 * @param queue the queue
 * @param kind what stands in the way; when trouble ends, what did last
 * @param severity how urgent it is: {@link QueueFinding.Severity#WARNING} or
 * {@link QueueFinding.Severity#CRITICAL}
 * @param summary the diagnosis in one sentence, as of now
 * @param mend the remedy, as of now
 * @param since when the trouble was seen first, by the clock of Redis: the same for all
 * events of it
 * @param time when it was found to begin, change or end
 * @since 0.1.0
 */
public record TroubleEvent(Type type, String queue, QueueFinding.Kind kind, QueueFinding.Severity severity,
		String summary, String mend, Instant since, Instant time) {

	/**
	 * What happens to trouble.
	 */
	public enum Type {

		/**
		 * A queue is in trouble.
		 */
		BEGAN,

		/**
		 * It has trouble of another kind or urgency.
		 */
		CHANGED,

		/**
		 * It has no trouble any more.
		 */
		ENDED

	}

}
