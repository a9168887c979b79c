package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

/**
 * The state of a recurring message that a run saves with its acknowledgement. If another
 * run has saved a state since this one has read it, the acknowledgement does not count.
 *
 * @param name the name of the recurring message
 * @param read the token of the state that the run has read
 * @param written the token of this state
 * @param value the state, or {@code null} if there is none any more
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record SavedRunState(String name, String read, String written,
		byte @Nullable [] value) implements CompletionSection {

	@Override
	public char type() {
		return 's';
	}

	@Override
	public byte[] text() {
		return HeadedBytes.join(this.name + " " + this.read + " " + this.written + " ",
				(this.value != null) ? this.value : new byte[0]);
	}

	@Override
	public long size() {
		return 200L + ((this.value != null) ? this.value.length : 0);
	}

}
