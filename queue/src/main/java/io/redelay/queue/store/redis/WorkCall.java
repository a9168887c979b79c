package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.WorkReply;
import io.redelay.queue.store.WorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * The keys, the arguments and the reply of the script that writes the progress, the logs
 * and the checkpoints of messages.
 */
final class WorkCall {

	private final QueueKeys keys;

	private final WorkRequest request;

	private final @Nullable String sharedHeld;

	/**
	 * Creates a call.
	 * @param sharedHeld the key of how many messages each lane holds, if several queues
	 * share a limit
	 */
	WorkCall(QueueKeys keys, WorkRequest request, @Nullable String sharedHeld) {
		this.keys = keys;
		this.request = request;
		this.sharedHeld = sharedHeld;
	}

	List<Object> keys() {
		List<Object> names = new ArrayList<>(List.of(this.keys.held(), this.keys.lanes(), this.keys.messages(),
				this.keys.tries(), this.keys.meta(), this.keys.work()));
		if (this.sharedHeld != null) {
			names.add(this.sharedHeld);
		}
		return names;
	}

	Object[] args() {
		List<Object> args = new ArrayList<>(List.of(this.request.lane(), ScriptTime.millis(this.request.lease()),
				Long.toString(this.request.answered())));
		for (WorkRequest.Entry entry : this.request.entries()) {
			args.addAll(List.of(entry.uid(), Long.toString(entry.claim()), Long.toString(entry.number()),
					entry.sections()));
		}
		return args.toArray();
	}

	static WorkReply reply(Reply reply) {
		LaneStatus status = reply.status();
		Instant time = (status == LaneStatus.OK) ? reply.time() : Instant.EPOCH;
		Set<String> lost = new HashSet<>();
		Set<String> refused = new HashSet<>();
		while (reply.hasNext()) {
			String uid = reply.text();
			(reply.text().equals(ScriptWords.LOST) ? lost : refused).add(uid);
		}
		return new WorkReply(status, time, lost, refused);
	}

}
