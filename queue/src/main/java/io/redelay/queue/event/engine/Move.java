package io.redelay.queue.event.engine;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.StoredWork;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * A move of a message as the store reported it. It becomes an event on the thread that
 * calls the listeners, so that the threads of the store need not read JSON.
 *
 * @param detail what else is reported of it, or {@code null} if nothing is
 */
record Move(MessageEvent.Type type, String queue, String id, @Nullable String uid, Instant time, int attempt,
		@Nullable Instant due, @Nullable Detail detail) {

	MessageEvent toEvent(FailedAttemptCodec codec, String instance) {
		String cause = (this.detail != null) ? this.detail.cause : null;
		FailedAttempt failed = (cause != null && cause.startsWith("{")) ? codec.read(cause) : null;
		String queue = PartitionName.queueOf(this.queue);
		if (failed == null) {
			return new MessageEvent(this.type, queue, this.id, this.uid, this.time, this.attempt, this.due,
					(this.type == MessageEvent.Type.DEAD) ? DeathReason.FAILED : null, cause, instance, progress(),
					log());
		}
		boolean nacked = this.type == MessageEvent.Type.RETRIED && failed.exception() == null;
		return new MessageEvent(nacked ? MessageEvent.Type.NACKED : this.type, queue, this.id, this.uid, this.time,
				this.attempt, this.due, failed.reason(), cause(failed), instance, null, List.of());
	}

	private @Nullable MessageProgress progress() {
		StoredWork work = (this.detail != null) ? this.detail.work : null;
		byte[] progress = (work != null) ? work.progress() : null;
		return (progress != null) ? WorkCodec.progress(progress) : null;
	}

	/**
	 * The lines that were added to the log.
	 */
	private List<LogLine> log() {
		StoredWork work = (this.detail != null) ? this.detail.work : null;
		byte[] lines = (work != null) ? work.log() : null;
		return (lines != null) ? WorkCodec.log(lines).lines() : List.of();
	}

	private static @Nullable String cause(FailedAttempt failed) {
		if (failed.exception() == null) {
			return failed.message();
		}
		return (failed.message() != null) ? failed.exception() + ": " + failed.message() : failed.exception();
	}

	/**
	 * What else is reported of a move.
	 *
	 * @param cause a text, or an attempt as JSON
	 * @param work what its handler wrote, if that is the move
	 */
	record Detail(@Nullable String cause, @Nullable StoredWork work) {

		static @Nullable Detail of(@Nullable String cause) {
			return (cause != null) ? new Detail(cause, null) : null;
		}

	}

}
