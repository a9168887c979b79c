package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The change of a waiting message, and the state in which it was found: if that has
 * changed, the message stays as it is.
 *
 * @param found the message as it was found
 * @param failures how many failures are counted from now on, or {@code null} to leave
 * that
 * @param priority the new priority, or {@code null} to leave it
 * @param former the priority that it had
 * @param ageing the worth of a level of priority in the queue, as far as that is known
 * here
 * @param envelope the new envelope as {@link EnvelopeCodec#write} gives it, or
 * {@code null} to leave it
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record MessageEdit(StoredMessage found, @Nullable Integer failures, @Nullable Integer priority, int former,
		@Nullable Duration ageing, byte @Nullable [] envelope) {

	private static final String NONE = "-";

	/**
	 * Returns the argument of
	 * {@link io.redelay.queue.script.MessageCommand.Action#CHANGE}.
	 * @return the argument
	 */
	public String argument() {
		String envelope = (this.envelope != null) ? new String(this.envelope, StandardCharsets.UTF_8) : "";
		return String.join(" ", Sha1.of(this.found.envelope()), this.found.failures() + "/" + this.found.crashes(),
				Objects.toString(this.failures, NONE), Objects.toString(this.priority, NONE),
				Integer.toString(this.former), (this.ageing != null) ? ScriptTime.millis(this.ageing) : NONE, envelope);
	}

	/**
	 * Returns whether the message is already as wanted.
	 * @return whether nothing changes
	 */
	public boolean isNothing() {
		return this.envelope == null && (this.failures == null || this.failures == this.found.failures());
	}

}
