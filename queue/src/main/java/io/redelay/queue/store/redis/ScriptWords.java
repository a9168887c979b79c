package io.redelay.queue.store.redis;

/**
 * The words and marks by which this program and the scripts understand one another. What
 * only the scripts know is in their {@code includes/marks.lua}.
 */
final class ScriptWords {

	static final String YES = "1";

	static final String NO = "0";

	/**
	 * Before the id of a message in what an instance is told: it has a result.
	 */
	static final String RESULT = "=";

	/**
	 * Behind the longest a queue may be: what has waited longest is dropped.
	 */
	static final String DROPS_OLDEST = "!";

	/**
	 * Behind the longest a queue may be: what is due when its deadline is over is
	 * refused.
	 */
	static final String REFUSES_LATE = "<";

	/**
	 * Behind how long messages are held back that are sent again: their send has
	 * returned.
	 */
	static final String RETURNED = "!";

	/**
	 * In place of a position among the messages that were sent: a message was dropped.
	 */
	static final String DROPPED = "-";

	/**
	 * Before the number of a claim, in what is acknowledged and in who holds a message.
	 */
	static final char CLAIM = '/';

	/**
	 * Behind what is told of a message that was claimed: it is a suspect.
	 */
	static final String SUSPECT = "!";

	/**
	 * Behind that: its checkpoint follows its envelope.
	 */
	static final String CHECKPOINT = "*";

	/**
	 * Behind that, and behind a retry: the trace of the first attempt.
	 */
	static final String TRACE = "@";

	/**
	 * What handlers told of a message was not kept: the lane does not hold it.
	 */
	static final String LOST = "LOST";

	/**
	 * Between failures and crashes.
	 */
	static final String CRASHES = "/";

	/**
	 * Before the queue that a dead message is being handed on to.
	 */
	static final String HANDED_ON = ">";

	/**
	 * Where to go on in what is held: at the beginning, or nowhere.
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
	 * What a resuming listener has of a message: it has acknowledged it.
	 */
	static final String DONE = "done";

	/**
	 * What a resuming listener has of a message: it has acknowledged it, and something
	 * goes together with that.
	 */
	static final String DONE_WITH_MORE = "more";

	/**
	 * What a resuming listener has of a message: it holds it.
	 */
	static final String HELD = "hold";

	/**
	 * A claim is to come again with the keys that a plain queue does not use.
	 */
	static final String KEYED = "KEYED";

	/**
	 * Among the words of a reply to a claim: there are notes in the outbox.
	 */
	static final String NOTES = "@outbox";

	/**
	 * Behind the number of bytes of a claim: what moved is to be told.
	 */
	static final String ASKS_MOVES = " ";

	/**
	 * Behind the number of bytes of a claim: it is to be told if no living message is
	 * left.
	 */
	static final String ASKS_DRAINED = "\t";

	/**
	 * Behind the number of bytes of a claim: both are to be told.
	 */
	static final String ASKS_BOTH = "\n";

	/**
	 * Among the words of a reply to a claim: no living message is left.
	 */
	static final String DRAINED = "@drained";

	/**
	 * In place of a flag of what was done: no living message is left.
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
	 * Other groups of a topic are there than those that a request named.
	 */
	static final String GROUPS = "GROUPS";

	/**
	 * Before the position of a group of which something is told.
	 */
	static final String GROUP = "@";

	/**
	 * What is known of a recurring message is not what the caller expected.
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
	 * Before the name of a lane in what an instance is told: a message that the lane
	 * holds was cancelled, whose uid follows behind a blank.
	 */
	static final String CANCELLED = "!";

	private ScriptWords() {
	}

	static String flag(boolean set) {
		return set ? YES : NO;
	}

}
