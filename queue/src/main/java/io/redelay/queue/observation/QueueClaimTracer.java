package io.redelay.queue.observation;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.measure.QueueMeter;

/**
 * Makes a span of each claim that brought messages. It is a trace of its own: a claim
 * belongs to none of the messages that it brings, and their spans belong to the traces of
 * their senders. A claim that brought nothing has none.
 *
 * @since 0.1.0
 */
public final class QueueClaimTracer implements QueueMeter {

	private final Tracer tracer;

	/**
	 * Creates a meter that makes spans.
	 * @param tracer makes them
	 */
	public QueueClaimTracer(Tracer tracer) {
		this.tracer = tracer;
	}

	@Override
	public void claimed(String queue, int messages, long nanos) {
		if (messages == 0) {
			return;
		}
		String name = GroupName.lowCardinality(PartitionName.queueOf(queue));
		long endMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		this.tracer.spanBuilder()
			.setNoParent()
			.kind(Span.Kind.CLIENT)
			.name("claim " + name)
			.tag(QueueTags.SYSTEM, QueueTags.SYSTEM_NAME)
			.tag(QueueTags.OPERATION, "claim")
			.tag(QueueTags.OPERATION_TYPE, "receive")
			.tag(QueueTags.QUEUE, name)
			.tag("messaging.batch.message_count", messages)
			.startTimestamp(endMicros - TimeUnit.NANOSECONDS.toMicros(nanos), TimeUnit.MICROSECONDS)
			.start()
			.end(endMicros, TimeUnit.MICROSECONDS);
	}

}
