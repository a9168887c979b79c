package io.redelay.queue.store.redis;

/**
 * The words and marks that this program and the scripts share. The marks that only the
 * scripts use are in {@code includes/marks.lua}.
 */
final class ScriptWords {

	static final String YES = "1";

	static final String NO = "0";

	/**
	 * Before the id of a message on the channel of an instance: it has a result.
	 */
	static final String RESULT = "=";

	/**
	 * Behind the greatest length of a queue: the message that has waited longest is
	 * dropped.
	 */
	static final String DROPS_OLDEST = "!";

	/**
	 * Before the greatest length of the line of an ordering key.
	 */
	static final String LINE = "/";

	/**
	 * In place of the greatest length of a line: any length is allowed.
	 */
	static final String ANY_LINE = "-";

	/**
	 * Behind the greatest length of a queue: a message due after its deadline is refused.
	 */
	static final String REFUSES_LATE = "<";

	/**
	 * Behind the time for which repeated messages are held back: their send has returned.
	 */
	static final String RETURNED = "!";

	/**
	 * In place of a position among the sent messages: a message was dropped.
	 */
	static final String DROPPED = "-";

	/**
	 * Before the number of a claim, in an acknowledgement and in the holder of a message.
	 */
	static final char CLAIM = '/';

	/**
	 * Behind the data of a claimed message: it is a suspect.
	 */
	static final String SUSPECT = "!";

	/**
	 * Behind the data of a claimed message: its checkpoint follows its envelope.
	 */
	static final String CHECKPOINT = "*";

	/**
	 * Behind the data of a claimed message, and behind a retry: before the trace of the
	 * first attempt.
	 */
	static final String TRACE = "@";

	/**
	 * The progress, log or checkpoint of a message was not written: the lane does not
	 * hold it.
	 */
	static final String LOST = "LOST";

	/**
	 * Between failures and crashes.
	 */
	static final String CRASHES = "/";

	/**
	 * Before the queue that a dead message is being forwarded to.
	 */
	static final String HANDED_ON = ">";

	/**
	 * The place in the held messages where to go on: at the beginning, or nowhere.
	 */
	static final String BEGINNING = "0";

	/**
	 * Why a lane is followed by another one: Redis went back in time.
	 */
	static final String WENT_BACK = "back";

	/**
	 * Why a lane is followed by another one: its lease ran out.
	 */
	static final String DIED = "died";

	/**
	 * The state of a message in a resuming listener: acknowledged.
	 */
	static final String DONE = "done";

	/**
	 * The state of a message in a resuming listener: acknowledged, with a completion.
	 */
	static final String DONE_WITH_MORE = "more";

	/**
	 * The state of a message in a resuming listener: held.
	 */
	static final String HELD = "hold";

	/**
	 * The claim must be repeated with the keys that a plain queue does not use.
	 */
	static final String KEYED = "KEYED";

	/**
	 * Among the words of a reply to a claim: there are notes in the outbox.
	 */
	static final String NOTES = "@outbox";

	/**
	 * Among the words of a reply to a claim: limits of the queue are set for all
	 * instances.
	 */
	static final String LIMITS = "@limits";

	/**
	 * Behind the number of bytes of a claim: asks for the moves.
	 */
	static final String ASKS_MOVES = " ";

	/**
	 * Behind the number of bytes of a claim: asks whether no living message is left.
	 */
	static final String ASKS_DRAINED = "\t";

	/**
	 * Behind the number of bytes of a claim: asks for both.
	 */
	static final String ASKS_BOTH = "\n";

	/**
	 * Among the words of a reply to a claim: no living message is left.
	 */
	static final String DRAINED = "@drained";

	/**
	 * In place of a flag of a result: no living message is left.
	 */
	static final String EMPTIED = "2";

	/**
	 * Among the words of a reply to a claim, before the name of a limit: that limit kept
	 * messages from being given.
	 */
	static final String LIMITED = "@limit:";

	/**
	 * In place of a note behind which to read: from the first one on.
	 */
	static final String FIRST_NOTE = "-";

	/**
	 * In place of a note up to which to read: to the last one.
	 */
	static final String LAST_NOTE = "+";

	/**
	 * Another instance relays the notes of an outbox.
	 */
	static final String BUSY = "BUSY";

	/**
	 * The key of an inlet is no list.
	 */
	static final String FOREIGN = "FOREIGN";

	/**
	 * The groups of a topic are not the ones that the request named.
	 */
	static final String GROUPS = "GROUPS";

	/**
	 * Before the position of the group that the following words are about.
	 */
	static final String GROUP = "@";

	/**
	 * The stored state of a recurring message is not the one that the caller expected.
	 */
	static final String CHANGED = "CHANGED";

	/**
	 * Before the uid of a message whose delay was over.
	 */
	static final String BECAME_READY = "+";

	/**
	 * Before the uid of a message that a dead lane held.
	 */
	static final String CAME_BACK = "!";

	/**
	 * Before the uid of a message that had been cancelled while it was held, and has
	 * ended.
	 */
	static final String WAS_CANCELLED = "-";

	/**
	 * Before the name of a lane on the channel of an instance: a message that the lane
	 * holds was cancelled. Its uid follows behind a blank.
	 */
	static final String CANCELLED = "!";

	private ScriptWords() {
	}

	static String flag(boolean set) {
		return set ? YES : NO;
	}

}
