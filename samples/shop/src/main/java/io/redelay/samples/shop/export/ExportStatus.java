package io.redelay.samples.shop.export;

import java.time.Instant;

import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * How far an export is.
 *
 * @param id its id
 * @param status what is being done about it
 * @param progress which part is written, from 0 to 1
 * @param detail the same in words
 * @param requestedAt when it was asked for
 */
record ExportStatus(String id, State status, double progress, @Nullable String detail, Instant requestedAt) {

	static ExportStatus of(QueuedMessage message) {
		MessageProgress progress = message.work().progress();
		return new ExportStatus(message.id(), State.of(message), (progress != null) ? progress.fraction() : 0,
				(progress != null) ? progress.text() : null, message.sentAt());
	}

	enum State {

		/**
		 * It waits for its turn, or to go on after a stop or a failure.
		 */
		WAITING,

		RUNNING,

		/**
		 * It runs, and is to end.
		 */
		CANCELLING,

		CANCELLED, DONE, FAILED;

		static State of(QueuedMessage message) {
			return switch (message.state()) {
				case IN_FLIGHT -> message.cancelled() ? CANCELLING : RUNNING;
				case COMPLETED -> message.cancelled() ? CANCELLED : DONE;
				case DEAD -> FAILED;
				case SCHEDULED, READY, UNKNOWN -> WAITING;
			};
		}

	}

}
