package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

import io.redelay.queue.MessageState;

/**
 * A command on one message, or on the queue.
 *
 * @param action what to do
 * @param name the message's id or uid
 * @param argument when the message is to be due, the queue to hand it on to, what it died
 * of, how it is changed, or the number of a round
 * @param freshUid a uid that was never used, which the message may get
 * @param states the states in which the message may be: in another one it stays as it is;
 * empty for any
 * @since 0.1.0
 */
public record MessageCommand(Action action, String name, String argument, String freshUid, Set<MessageState> states) {

	/**
	 * Copies the states.
	 */
	public MessageCommand {
		states = Set.copyOf(states);
	}

	/**
	 * A command on a message in whatever state.
	 * @param action what to do
	 * @param name the message's id or uid
	 * @param argument see {@link #argument()}
	 * @param freshUid a uid that was never used, which the message may get
	 */
	public MessageCommand(Action action, String name, String argument, String freshUid) {
		this(action, name, argument, freshUid, Set.of());
	}

	/**
	 * The argument that says when a message is to be due.
	 * @param delay how long from the time at which the action is carried out
	 * @return the argument
	 */
	public static String after(Duration delay) {
		return ScriptTime.when(delay, null);
	}

	/**
	 * The argument that says when a message is to be due.
	 * @param due when
	 * @return the argument
	 */
	public static String at(Instant due) {
		return ScriptTime.when(null, due);
	}

	/**
	 * Pauses or closes the queue, or undoes that.
	 * @param flag {@code paused}: nothing is claimed; {@code closed}: nothing is sent
	 * @param set whether to set it
	 * @return what to do
	 */
	public static MessageCommand flag(String flag, boolean set) {
		return new MessageCommand(Action.FLAG, flag, set ? "1" : "", "-");
	}

	/**
	 * Lets the queue or one of its fairness keys wait: nothing of it is claimed.
	 * @param key the fairness key, or nothing for the whole queue
	 * @param duration for how long, from the time at which the action is carried out;
	 * zero ends the wait
	 * @return what to do
	 */
	public static MessageCommand gate(String key, Duration duration) {
		return new MessageCommand(Action.GATE, key, ScriptTime.millis(duration), "-");
	}

	/**
	 * Frees a key to deduplicate by, in whatever way a message has it.
	 * @param key the key
	 * @return what to do
	 */
	public static MessageCommand free(String key) {
		return new MessageCommand(Action.FREE, key, "", "-");
	}

	/**
	 * What can be done with a message.
	 */
	public enum Action {

		/**
		 * It is not delivered, nor delivered again.
		 */
		CANCEL,

		/**
		 * It becomes due at another time, if it waits.
		 */
		SCHEDULE,

		/**
		 * It is the next one, if it waits.
		 */
		RUN,

		/**
		 * It lives again, if it is dead.
		 */
		REDRIVE,

		/**
		 * It lives again as a round of its queue's rule, whose number the argument is, if
		 * it is dead and that is the round after its last one.
		 */
		ROUND,

		/**
		 * Its time to live is over: it dies of what the argument says, as JSON, or is
		 * forgotten if that is empty.
		 */
		EXPIRE,

		/**
		 * It dies of what the argument says, as JSON, if it waits.
		 */
		BURY,

		/**
		 * It is removed, unless it is in hand.
		 */
		DELETE,

		/**
		 * It goes on with another payload, number of attempts or priority, if it waits:
		 * see {@link MessageEdit}.
		 */
		CHANGE,

		/**
		 * It is marked as being handed on to another queue, if it is dead. Of several who
		 * try, only the first one is told that it is done.
		 */
		FORWARD,

		/**
		 * It was handed on and is removed, if it is marked.
		 */
		FORWARDED,

		/**
		 * Sets a flag of the queue, whose name stands in place of the message's, or
		 * removes it: see {@link MessageCommand#flag}.
		 */
		FLAG,

		/**
		 * Lets the queue or a fairness key wait, which stands in place of the message's
		 * name, or ends that: see {@link MessageCommand#gate}.
		 */
		GATE,

		/**
		 * Frees a key to deduplicate by, which stands in place of the message's name: see
		 * {@link MessageCommand#free}.
		 */
		FREE;

		public String verb() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
