package io.redelay.queue.inlet;

import java.util.List;

import io.redelay.queue.deadletter.DeadLetterBounds;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.InletScripts;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.scheduling.Scheduler;

/**
 * What takes the entries of all inlets of an instance over.
 *
 * @param inlets the scripts of inlets
 * @param template checks, converts and writes messages
 * @param partitions how many partitions queues have
 * @param codec writes what cannot be sent
 * @param causes writes why
 * @param scheduler the clock, the timer and threads that may block
 * @param listeners are called when entries were taken, in their order
 * @param bounds keeps the dead messages of the queues within their bounds
 * @since 0.1.0
 */
public record InletRuntime(InletScripts inlets, QueueTemplate template, QueuePartitions partitions, EnvelopeCodec codec,
		RefusalCauses causes, Scheduler scheduler, List<InletListener> listeners, DeadLetterBounds bounds) {

}
