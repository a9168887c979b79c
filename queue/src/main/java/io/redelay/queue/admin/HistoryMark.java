package io.redelay.queue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What happened around a queue, to be shown beside its history: to the queue itself, or
 * to an instance of an application on the same Redis.
 *
 * @param time when it happened, by the clock of Redis
 * @param kind what happened
 * @param instance the display name of the instance that did it, or that it happened to;
 * {@code null} if it is not known any more
 * @param application the application of that instance, {@code spring.application.name};
 * {@code null} if it has no name or it happened to the queue
 * @param version the version of that application, {@code spring.application.version},
 * which is the {@code Implementation-Version} of its jar; {@code null} if it has none or
 * it happened to the queue
 * @param detail the former version for {@link Kind#DEPLOYED}, the {@link BulkAction} for
 * {@link Kind#JOB_STARTED}, how many messages for {@link Kind#REDRIVEN}; {@code null} if
 * there is nothing else to know
 * @since 0.1.0
 */
public record HistoryMark(Instant time, Kind kind, @Nullable String instance, @Nullable String application,
		@Nullable String version, @Nullable String detail) {

	/**
	 * What happened.
	 */
	public enum Kind {

		/**
		 * An instance started.
		 */
		INSTANCE_STARTED,

		/**
		 * An instance started, the first one of another version of its application.
		 */
		DEPLOYED,

		/**
		 * An instance stopped.
		 */
		INSTANCE_STOPPED,

		/**
		 * An instance was not heard of any more: it was killed, or cut off. The time is
		 * that at which its leases were over.
		 */
		INSTANCE_SILENT,

		/**
		 * An instance was heard of again.
		 */
		INSTANCE_RETURNED,

		/**
		 * The queue was paused.
		 */
		PAUSED,

		/**
		 * The queue was resumed.
		 */
		RESUMED,

		/**
		 * The queue was closed for new messages.
		 */
		CLOSED,

		/**
		 * The queue was opened for new messages again.
		 */
		REOPENED,

		/**
		 * A job on messages of the queue was started.
		 */
		JOB_STARTED,

		/**
		 * Dead messages of the queue were redriven by hand, several in one call.
		 */
		REDRIVEN,

		/**
		 * Redis went back in time, and has forgotten requests of the queue.
		 */
		REDIS_WENT_BACK

	}

}
