package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Checks a part of a queue, one step; changes nothing.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record CheckScript(ScriptRunner runner) {

	/**
	 * @param part the part
	 * @param from where to go on: {@code 0}, or the place that the step before returned
	 * @param count how many entries to look at, at most 1,000; of {@link Part#HELD} and
	 * {@link Part#CANCELLED} how many there may be
	 * @param uids which messages {@link Part#PLACED} looks for, else none
	 */
	public CompletableFuture<Step> run(String queue, Part part, String from, int count, List<String> uids) {
		List<Object> args = new ArrayList<>(List.of(part.text(), from, count));
		args.addAll(uids);
		return this.runner.run(Script.CHECK, queue, "Checking", CheckScript::step, args.toArray());
	}

	private static Step step(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		String next = reply.textOrNull();
		int examined = (int) reply.number();
		long bytes = reply.number();
		String recorded = reply.textOrNull();
		return new Step(time, next, examined, bytes, recorded,
				reply.list((each) -> new Problem(each.text(), each.text(), each.text())));
	}

	/**
	 * The findings of one step of a check.
	 *
	 * @param time when that was, by the clock of the store
	 * @param next where the next step goes on, or {@code null} if this was the last one
	 * of its part
	 * @param examined how many entries were looked at
	 * @param bytes how large the kept data of the entries is, or 0
	 * @param recorded the recorded size of the part and its number of messages, as one
	 * text; {@code null} if the part records no size
	 * @param problems the problems
	 */
	public record Step(Instant time, @Nullable String next, int examined, long bytes, @Nullable String recorded,
			List<Problem> problems) {

	}

	/**
	 * A problem in the stored data of a queue.
	 *
	 * @param kind the kind of problem, or one of the constants of this class
	 * @param subject the uid of the message, or the name of the lane or key
	 * @param detail the problem
	 */
	public record Problem(String kind, String subject, String detail) {

		/**
		 * The kind of a living message that only a list can have. It is a problem if no
		 * list has it.
		 */
		public static final String UNPLACED = "UNPLACED";

		/**
		 * The kind of an entry of a list whose message is delivered from there: no
		 * problem.
		 */
		public static final String LISTED = "LISTED";

		/**
		 * The kind of a part that has more entries than one step may look at.
		 */
		public static final String NOT_CHECKED = "NOT_CHECKED";

	}

	/**
	 * A part of a queue that is checked by itself, in steps.
	 */
	public enum Part {

		/**
		 * Living messages. A message that only a list may have is
		 * {@link CheckScript.Problem#UNPLACED}.
		 */
		MESSAGES,

		/**
		 * The list of ready messages. Messages that are delivered from there are
		 * {@link CheckScript.Problem#LISTED}.
		 */
		READY,

		/**
		 * The list of suspects, in the same way.
		 */
		SUSPECTS,

		/**
		 * Whether messages that no key but a list has are in one, at one moment.
		 */
		PLACED,

		/**
		 * Lanes, the messages that each holds, and how many of each fairness key are
		 * held; one step.
		 */
		HELD,

		/**
		 * Messages that are due later.
		 */
		SCHEDULED,

		/**
		 * Failures and crashes of living messages.
		 */
		TRIES,

		/**
		 * Failed attempts of living messages.
		 */
		HISTORY,

		/**
		 * When times to live and deadlines are over.
		 */
		EXPIRIES,

		/**
		 * Messages that were cancelled while they were held.
		 */
		CANCELLED,

		/**
		 * Ids of living and dead messages.
		 */
		IDS,

		/**
		 * Attributes of living messages.
		 */
		KEYS,

		/**
		 * Which message has the turn of each ordering key.
		 */
		ORDER,

		/**
		 * Places in lines and groups.
		 */
		SEATS,

		/**
		 * Checkpoints, progress and logs of living messages.
		 */
		WORK,

		/**
		 * Tags of living and dead messages.
		 */
		TAGS,

		/**
		 * Tags of completed messages.
		 */
		COMPLETED_TAGS,

		/**
		 * Dead messages, and the size of all data kept of them.
		 */
		DEAD,

		/**
		 * The data kept of dead messages.
		 */
		DEAD_MESSAGES,

		/**
		 * Completed messages, and the size of all data kept of them.
		 */
		COMPLETED,

		/**
		 * The data kept of completed messages.
		 */
		COMPLETED_MESSAGES,

		/**
		 * Keys to deduplicate by.
		 */
		DEDUP,

		/**
		 * The order of chunks of packed messages.
		 */
		FAR,

		/**
		 * Chunks of packed messages.
		 */
		FAR_CHUNKS,

		/**
		 * Bundles whose callback goes to the queue, and how many of their messages are
		 * pending.
		 */
		BUNDLES,

		/**
		 * Callbacks of bundles, and the data that is sent with them.
		 */
		BUNDLES_CALLBACKS,

		/**
		 * Messages of bundles that have not ended.
		 */
		BUNDLES_PENDING,

		/**
		 * Results of messages of bundles.
		 */
		BUNDLES_RESULTS;

		/**
		 * Returns the name that the store's script has for it.
		 * @return the name
		 */
		public String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
