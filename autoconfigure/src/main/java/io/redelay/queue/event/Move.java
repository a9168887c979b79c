package io.redelay.queue.event;

import java.time.Instant;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageEvent;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.store.FailedAttemptCodec;
import org.jspecify.annotations.Nullable;

/**
 * A move of a message as the store told of it. It becomes an event on the thread that
 * tells the listeners, so that the threads of the store need not read JSON.
 *
 * @param cause a text, or an attempt as JSON
 */
record Move(MessageEvent.Type type, String queue, String id, @Nullable String uid, Instant time, int attempt,
		@Nullable Instant due, @Nullable String cause) {

	MessageEvent toEvent(FailedAttemptCodec codec, String instance) {
		FailedAttempt failed = (this.cause != null && this.cause.startsWith("{")) ? codec.read(this.cause) : null;
		String queue = PartitionName.queueOf(this.queue);
		if (failed == null) {
			return new MessageEvent(this.type, queue, this.id, this.uid, this.time, this.attempt, this.due,
					(this.type == MessageEvent.Type.DEAD) ? DeathReason.FAILED : null, this.cause, instance);
		}
		boolean nacked = this.type == MessageEvent.Type.RETRIED && failed.exception() == null;
		return new MessageEvent(nacked ? MessageEvent.Type.NACKED : this.type, queue, this.id, this.uid, this.time,
				this.attempt, this.due, failed.reason(), cause(failed), instance);
	}

	private static @Nullable String cause(FailedAttempt failed) {
		if (failed.exception() == null) {
			return failed.message();
		}
		return (failed.message() != null) ? failed.exception() + ": " + failed.message() : failed.exception();
	}

}
