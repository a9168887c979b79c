package io.redelay.queue.wire;

import java.time.Duration;

import io.redelay.queue.message.ScriptTime;

/**
 * The words and marks that this program and the scripts share. The marks that only the
 * scripts use are in {@code includes/marks.lua} and {@code includes/own_field.lua}.
 */
public final class ScriptWords {

	public static final String YES = "1";

	public static final String NO = "0";

	/**
	 * Before the id of a message on the channel of an instance: it has a result.
	 */
	static final String RESULT = "=";

	/**
	 * On the channel of an instance, before the name of another one, a number and a
	 * question that this one asks.
	 */
	static final String QUESTION = "?";

	/**
	 * On the channel of an instance, before the number of its question, the name of the
	 * instance that answers, and the answer.
	 */
	static final String ANSWER = ":";

	/**
	 * Behind the greatest length of a queue: the message that has waited longest is
	 * dropped.
	 */
	public static final String DROPS_OLDEST = "!";

	/**
	 * Before the greatest length of the line of an ordering key.
	 */
	public static final String LINE = "/";

	/**
	 * In place of the greatest length of a line: any length is allowed.
	 */
	public static final String ANY_LINE = "-";

	/**
	 * Behind the greatest length of a queue: a message due after its deadline is refused.
	 */
	public static final String REFUSES_LATE = "<";

	/**
	 * Behind the time for which repeated messages are held back: their send has returned.
	 */
	public static final String RETURNED = "!";

	/**
	 * In place of a position among the sent messages: a message was dropped.
	 */
	public static final String DROPPED = "-";

	/**
	 * Before the number of a claim, in an acknowledgement and in the holder of a message.
	 */
	public static final char CLAIM = '/';

	/**
	 * Behind the data of a claimed message: it is a suspect.
	 */
	public static final String SUSPECT = "!";

	/**
	 * Behind the data of a claimed message: before the uid of the message of its ordering
	 * key after which it is handled.
	 */
	public static final String ROW = ">";

	/**
	 * Behind the data of a claimed message: its checkpoint follows its envelope.
	 */
	public static final String CHECKPOINT = "*";

	/**
	 * Behind the data of a claimed message, and behind a retry: before the trace of the
	 * first attempt.
	 */
	public static final String TRACE = "@";

	/**
	 * The progress, log or checkpoint of a message was not written: the lane does not
	 * hold it.
	 */
	public static final String LOST = "LOST";

	/**
	 * Between failures and crashes.
	 */
	public static final String CRASHES = "/";

	/**
	 * Before the queue that a dead message is being forwarded to.
	 */
	public static final String FORWARDED_TO = ">";

	/**
	 * Before the number of the chunk in which a message is packed.
	 */
	public static final char CHUNK = '@';

	/**
	 * In place of a flag of a result: all scheduled messages that are left are packed.
	 */
	public static final String PACKED = "3";

	/**
	 * The place in the held messages where to go on: at the beginning, or nowhere.
	 */
	public static final String BEGINNING = "0";

	/**
	 * Why a lane is followed by another one: Redis went back in time.
	 */
	public static final String WENT_BACK = "back";

	/**
	 * Why a lane is followed by another one: its lease ran out.
	 */
	public static final String DIED = "died";

	/**
	 * The state of a message in a resuming listener: acknowledged.
	 */
	public static final String DONE = "done";

	/**
	 * The state of a message in a resuming listener: acknowledged, with a completion.
	 */
	public static final String DONE_WITH_MORE = "more";

	/**
	 * The state of a message in a resuming listener: held.
	 */
	public static final String HELD = "hold";

	/**
	 * The state of a message in a resuming listener: held, and to be given back.
	 */
	public static final String COMES_BACK = "back";

	/**
	 * The claim must be repeated with the keys that a plain queue does not use.
	 */
	public static final String KEYED = "KEYED";

	/**
	 * Among the words of a reply to a claim: there are notes in the outbox.
	 */
	public static final String NOTES = "@outbox";

	/**
	 * Among the words of a reply to a claim: limits of the queue are set for all
	 * instances.
	 */
	public static final String LIMITS = "@limits";

	/**
	 * Among the words of a reply to a claim: messages of the queue are packed.
	 */
	public static final String SOME_PACKED = "@far";

	/**
	 * Among the words of a reply to a claim that was to take a suspect: it took none, and
	 * there are some.
	 */
	public static final String SUSPECTS = "@suspects";

	/**
	 * Behind the number of bytes of a claim: asks for the moves.
	 */
	public static final String ASKS_MOVES = " ";

	/**
	 * Behind the number of bytes of a claim: asks whether no living message is left.
	 */
	public static final String ASKS_DRAINED = "\t";

	/**
	 * Behind the number of bytes of a claim: asks for both.
	 */
	public static final String ASKS_BOTH = "\n";

	/**
	 * Among the words of a reply to a claim: no living message is left.
	 */
	public static final String DRAINED = "@drained";

	/**
	 * In place of a flag of a result: no living message is left.
	 */
	public static final String EMPTIED = "2";

	/**
	 * Among the words of a reply to a claim, before the name of a limit: that limit kept
	 * messages from being given.
	 */
	public static final String LIMITED = "@limit:";

	/**
	 * In place of a note behind which to read: from the first one on.
	 */
	public static final String FIRST_NOTE = "-";

	/**
	 * In place of a note up to which to read: to the last one.
	 */
	public static final String LAST_NOTE = "+";

	/**
	 * Another instance relays the notes of an outbox.
	 */
	public static final String BUSY = "BUSY";

	/**
	 * The key of an inlet is no list.
	 */
	public static final String FOREIGN = "FOREIGN";

	/**
	 * The groups of a topic are not the ones that the request named.
	 */
	public static final String GROUPS = "GROUPS";

	/**
	 * Before the position of the group that the following words are about.
	 */
	public static final String GROUP = "@";

	/**
	 * The stored state of a recurring message is not the one that the caller expected.
	 */
	public static final String CHANGED = "CHANGED";

	/**
	 * Before the uid of a message whose delay was over.
	 */
	public static final String BECAME_READY = "+";

	/**
	 * Before the uid of a message that a dead lane held.
	 */
	public static final String CAME_BACK = "!";

	/**
	 * Before the uid of a message that had been cancelled while it was held, and has
	 * ended.
	 */
	public static final String WAS_CANCELLED = "-";

	/**
	 * Before the name of a lane on the channel of an instance: a message that the lane
	 * holds was cancelled. Its uid follows behind a blank.
	 */
	static final String CANCELLED = "!";

	/**
	 * For how long the deletion of a queue is remembered: longer than its lanes take to
	 * notice it.
	 */
	public static final String DELETION_MILLIS = ScriptTime.millis(Duration.ofMinutes(2));

	private ScriptWords() {
	}

	public static String flag(boolean set) {
		return set ? YES : NO;
	}

}
