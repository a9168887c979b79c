package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.PendingMember;
import io.redelay.queue.message.ScriptTime;
import org.jspecify.annotations.Nullable;

/**
 * A command on the bundles of a queue.
 *
 * @param verb the action
 * @param bundle the id of the bundle; empty for {@link #due}
 * @param arguments the arguments: texts, bytes, and messages that are added
 * @since 0.1.0
 */
public record BundleCommand(String verb, String bundle, List<Object> arguments) {

	/**
	 * How many bytes a command takes in the memory of this program besides its arguments,
	 * roughly.
	 */
	private static final long SIZE = 100;

	/**
	 * Opens a bundle, unless there is one of this id.
	 * @param bundle its id
	 * @param longest for how long it is open at most
	 * @param callbackUid the uid of its callback, never used before
	 * @param envelope the envelope of the callback, from behind the opening brace up to
	 * the payload
	 * @param wants its other actions
	 * @return the command
	 */
	public static BundleCommand open(String bundle, Duration longest, String callbackUid, byte[] envelope,
			Wants wants) {
		return new BundleCommand("open", bundle,
				List.of(ScriptTime.millis(longest), callbackUid, envelope, wants.cancelsRest() ? "dead" : "-",
						Long.toString(wants.longestResult()), Long.toString(wants.roomForResults()),
						(wants.firstDeath() != null) ? wants.firstDeath() : ""));
	}

	/**
	 * Adds messages to a bundle before they are sent.
	 * @param bundle its id
	 * @param members the messages
	 * @return the command
	 */
	public static BundleCommand add(String bundle, List<NewMember> members) {
		List<Object> arguments = new ArrayList<>(3 * members.size());
		for (NewMember member : members) {
			arguments.add(member.queue());
			arguments.add(BundleMembership.member(member.message().uid(), member.message().id()));
			arguments.add(member);
		}
		return new BundleCommand("add", bundle, arguments);
	}

	/**
	 * Lets a bundle end with its last message from now on.
	 * @param bundle its id
	 * @return the command
	 */
	public static BundleCommand close(String bundle) {
		return new BundleCommand("close", bundle, List.of());
	}

	/**
	 * Cancels all messages of a bundle that have not ended, and those that are added
	 * later.
	 * @param bundle its id
	 * @return the command
	 */
	public static BundleCommand cancelRest(String bundle) {
		return new BundleCommand("cancel", bundle, List.of());
	}

	/**
	 * Records in a bundle how messages of it ended.
	 * @param bundle its id
	 * @param ends the messages
	 * @return the command
	 */
	public static BundleCommand end(String bundle, List<MemberEnd> ends) {
		List<Object> arguments = new ArrayList<>(4 * ends.size());
		ends.forEach((end) -> arguments.addAll(List.of(end.queue(), end.member(), end.way(), end.detail())));
		return new BundleCommand("end", bundle, arguments);
	}

	/**
	 * Reports messages of a bundle of which the store knows nothing.
	 * @param bundle its id
	 * @param quiet for how long nothing moved in the bundle, or else this changes nothing
	 * @param members the messages
	 * @return the command
	 */
	public static BundleCommand lost(String bundle, Duration quiet, List<PendingMember> members) {
		List<Object> arguments = new ArrayList<>(1 + 2 * members.size());
		arguments.add(ScriptTime.millis(quiet));
		members.forEach((member) -> arguments.addAll(List.of(member.queue(), member.member())));
		return new BundleCommand("lost", bundle, arguments);
	}

	/**
	 * Ends bundles that were open for too long, and asks for the ones to look at.
	 * @param most how many
	 * @return the command
	 */
	public static BundleCommand due(int most) {
		return new BundleCommand("due", "", List.of(Integer.toString(most)));
	}

	/**
	 * Returns how large it is.
	 * @return its size in bytes, roughly
	 */
	public long bytes() {
		long bytes = SIZE;
		for (Object argument : this.arguments) {
			bytes += (argument instanceof byte[] some) ? some.length : (argument instanceof NewMember member)
					? member.next().size() : argument.toString().getBytes(StandardCharsets.UTF_8).length;
		}
		return bytes;
	}

	/**
	 * A message that is added.
	 *
	 * @param next the message, and the name that the store has for the partition of the
	 * queue it goes to
	 * @param isDirect whether it is sent in the same step if the script can reach its
	 * queue, and not through the outbox
	 */
	public record NewMember(NextMessage next, boolean isDirect) {

		/**
		 * Creates one that goes through the outbox.
		 * @param queue the name that the store has for the partition of the queue
		 * @param message the message, in its bundle
		 * @return the message as it is added
		 */
		public static NewMember of(String queue, NewMessage message) {
			return new NewMember(new NextMessage(queue, message, null), false);
		}

		/**
		 * Returns the queue.
		 * @return the name that the store has for the partition
		 */
		public String queue() {
			return this.next.queue();
		}

		/**
		 * Returns the message.
		 * @return the message, in its bundle
		 */
		public NewMessage message() {
			return this.next.message();
		}

		/**
		 * Returns how the outbox has it.
		 * @return the text of the note
		 */
		public byte[] note() {
			return this.next.text();
		}

	}

	/**
	 * A message that ended.
	 *
	 * @param queue the name that the store has for the partition of its queue
	 * @param member its uid and id, see {@link BundleMembership#member}
	 * @param way how it ended: the name of a count of
	 * {@link io.redelay.queue.bundle.BundleSummary}
	 * @param detail the cause of death of a dead message, or the result of a handled one,
	 * as JSON; {@link #LEFT_OUT} for a result that is not kept; or empty
	 */
	public record MemberEnd(String queue, String member, String way, String detail) {

		/**
		 * In place of a result that is not kept.
		 */
		public static final String LEFT_OUT = "!";

	}

	/**
	 * The actions of a bundle besides sending its callback.
	 *
	 * @param cancelsRest whether the first death cancels the rest
	 * @param longestResult how many bytes a result may have, 0 if none is kept
	 * @param roomForResults how many bytes all results may have together
	 * @param firstDeath the note by which a message is sent when the first one dies, or
	 * {@code null}
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
	public record Wants(boolean cancelsRest, long longestResult, long roomForResults, byte @Nullable [] firstDeath) {

		/**
		 * Nothing.
		 */
		public static final Wants NOTHING = new Wants(false, 0, 0, null);

	}

}
