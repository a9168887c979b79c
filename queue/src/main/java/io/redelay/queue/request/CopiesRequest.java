package io.redelay.queue.request;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.Durability;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * The copies of its writes that a request waits for: the most that any of its messages
 * asks for. Replicas and files are waited for separately, as a replica without a file
 * never counts as a file.
 *
 * @param replicas how many replicas are to have it in memory; 0 not to ask
 * @param files how many replicas are to have it in their files, beside the master; -1 not
 * to ask for files at all
 * @param timeout how long to wait for either
 * @since 0.1.0
 */
public record CopiesRequest(int replicas, int files, Duration timeout) {

	static final int NO_FILES = -1;

	/**
	 * Returns whether any copies in files are waited for.
	 * @return whether the master's is
	 */
	public boolean asksForFiles() {
		return this.files != NO_FILES;
	}

	/**
	 * Returns the copies that messages ask for together.
	 * @param messages the messages
	 * @return the copies, or {@code null} if none asks for any
	 */
	public static @Nullable CopiesRequest of(List<NewMessage> messages) {
		CopiesRequest copies = null;
		for (NewMessage message : messages) {
			Durability durability = message.durability();
			if (durability != null) {
				copies = ((copies != null) ? copies : new CopiesRequest(0, NO_FILES, Duration.ZERO)).with(durability);
			}
		}
		return copies;
	}

	private CopiesRequest with(Durability durability) {
		boolean files = durability.appendOnlyFile();
		return new CopiesRequest(files ? this.replicas : Math.max(this.replicas, durability.replicas()),
				files ? Math.max(this.files, durability.replicas()) : this.files,
				(durability.timeout().compareTo(this.timeout) > 0) ? durability.timeout() : this.timeout);
	}

}
