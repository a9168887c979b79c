package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;

/**
 * The reply to commands on messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param untidy whether the queue's lists have many entries of former messages
 * @param results the result of each, in the same order
 * @param emptied whether the commands removed the last living message
 * @since 0.1.0
 */
public record CommandReply(LaneStatus status, Instant time, boolean untidy, List<CommandResult> results,
		boolean emptied) implements LaneReply<CommandReply> {

	/**
	 * Creates the reply to commands behind which living messages are left, or were none.
	 * @param status whether the request was carried out
	 * @param time the store's clock when it was
	 * @param untidy whether the queue's lists have many entries of former messages
	 * @param results the result of each
	 */
	public CommandReply(LaneStatus status, Instant time, boolean untidy, List<CommandResult> results) {
		this(status, time, untidy, results, false);
	}

	@Override
	public CommandReply part(int first, int size) {
		return new CommandReply(this.status, this.time, this.untidy, this.results.subList(first, first + size));
	}

}
