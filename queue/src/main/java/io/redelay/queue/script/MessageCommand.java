package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.message.ScriptTime;
import org.jspecify.annotations.Nullable;

/**
 * A command on one message, or on the queue.
 *
 * @param action the action
 * @param name the message's id or uid
 * @param argument the new due time, the queue to forward it to, its cause of death, its
 * change, or the number of a round
 * @param freshUid a uid that was never used, which the message may get
 * @param states the states in which the command applies, empty for any; a message in
 * another state stays as it is
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
	 * @param action the action
	 * @param name the message's id or uid
	 * @param argument see {@link #argument()}
	 * @param freshUid a uid that was never used, which the message may get
	 */
	public MessageCommand(Action action, String name, String argument, String freshUid) {
		this(action, name, argument, freshUid, Set.of());
	}

	/**
	 * Returns the argument for the new due time of a message.
	 * @param delay how long from the time at which the action is carried out
	 * @return the argument
	 */
	public static String after(Duration delay) {
		return ScriptTime.when(delay, null);
	}

	/**
	 * Returns the argument for the new due time of a message.
	 * @param due when
	 * @return the argument
	 */
	public static String at(Instant due) {
		return ScriptTime.when(null, due);
	}

	/**
	 * Returns the argument of the redrive of a dead message.
	 * @param due when it is due, as {@link #after} gives it, or empty for at once
	 * @param lineLength how long the line of its ordering key may be unless another
	 * length is set for all instances, or {@code null} for any length
	 * @return the argument
	 */
	public static String redrive(String due, @Nullable Integer lineLength) {
		return due + ((lineLength != null) ? "/" + lineLength : "");
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
	 * Makes the queue or one of its fairness keys wait: nothing of it is claimed.
	 * @param key the fairness key, or empty for the whole queue
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
	 * Sets or removes limits of the queue that hold for all instances.
	 * @param by the display name of the instance that asks for it
	 * @param changes the new value of each limit to change, as scripts read it; an empty
	 * value removes the limit
	 * @return what to do
	 */
	public static MessageCommand limits(String by, String changes) {
		return new MessageCommand(Action.LIMITS, by, changes, "-");
	}

	public long bytes() {
		return (long) this.name.length() + this.argument.length();
	}

	/**
	 * The actions on a message.
	 */
	public enum Action {

		/**
		 * Cancels it: it is not delivered, or not again.
		 */
		CANCEL,

		/**
		 * Changes the due time of a waiting message.
		 */
		SCHEDULE,

		/**
		 * Makes a waiting message the next one.
		 */
		RUN,

		/**
		 * Redrives a dead message.
		 */
		REDRIVE,

		/**
		 * Redrives a dead message as a round of its queue's rule. The argument is the
		 * number of the round, which must be the one after its last.
		 */
		ROUND,

		/**
		 * Its time to live is over: it dies of the cause in the argument, as JSON, or is
		 * forgotten if that is empty.
		 */
		EXPIRE,

		/**
		 * A waiting message dies of the cause in the argument, as JSON.
		 */
		BURY,

		/**
		 * Removes it, unless it is held.
		 */
		DELETE,

		/**
		 * Changes the payload, number of attempts or priority of a waiting message: see
		 * {@link MessageEdit}.
		 */
		CHANGE,

		/**
		 * A dead message is marked as being forwarded to another queue. Of several
		 * callers, only the first one gets the outcome "done".
		 */
		FORWARD,

		/**
		 * It was forwarded and is removed, if it is marked.
		 */
		FORWARDED,

		/**
		 * Sets or removes a flag of the queue. Its name stands in place of the name of
		 * the message: see {@link MessageCommand#flag}.
		 */
		FLAG,

		/**
		 * Makes the queue or a fairness key wait, or ends that. The key stands in place
		 * of the message's name: see {@link MessageCommand#gate}.
		 */
		GATE,

		/**
		 * Sets limits of the queue. The display name of the instance stands in place of
		 * the message's name: see {@link MessageCommand#limits}.
		 */
		LIMITS,

		/**
		 * Frees a key to deduplicate by. It stands in place of the message's name: see
		 * {@link MessageCommand#free}.
		 */
		FREE;

		public String verb() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
