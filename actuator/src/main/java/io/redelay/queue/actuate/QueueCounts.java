package io.redelay.queue.actuate;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.redelay.queue.admin.QueueInfo;
import org.jspecify.annotations.Nullable;

/**
 * How many messages a queue has, as the endpoint of queues shows it.
 *
 * @param scheduled how many are not due yet
 * @param ready how many are due and wait
 * @param inFlight how many are in handlers' hands
 * @param dead how many were given up and are kept
 * @param completed how many are done and kept
 * @param completedBytes how large these are together
 * @param deadBytes how large the dead ones are together
 * @param oldestReadyAgeMillis how long the oldest ready one has been due
 * @param nextDue when the next scheduled one is due
 * @param paused whether nothing is delivered
 * @param closed whether nothing new is taken
 * @param gatedUntil until when the queue's gate is closed
 * @param inlet how many entries wait in its inlet, if there are any
 * @param packed how many of the scheduled ones are packed, if there are any
 * @since 0.1.0
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record QueueCounts(long scheduled, long ready, long inFlight, long dead, long completed, long completedBytes,
		long deadBytes, long oldestReadyAgeMillis, @Nullable Instant nextDue, boolean paused, boolean closed,
		@Nullable Instant gatedUntil, @Nullable Long inlet, @Nullable Long packed) {

	static QueueCounts of(QueueInfo info) {
		return new QueueCounts(info.scheduled(), info.ready(), info.inFlight(), info.dead(), info.completed(),
				info.completedBytes(), info.deadBytes(), info.oldestReadyAge().toMillis(), info.nextDue(),
				info.paused(), info.closed(), info.gatedUntil(), (info.inlet() > 0) ? info.inlet() : null,
				(info.packed() > 0) ? info.packed() : null);
	}

}
