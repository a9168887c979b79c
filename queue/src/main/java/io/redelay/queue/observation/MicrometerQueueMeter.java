package io.redelay.queue.observation;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.measure.Handling;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.measure.Settled;
import org.jspecify.annotations.Nullable;

/**
 * Measures the work of the engine with Micrometer, by queue. Names follow OpenTelemetry's
 * semantic conventions for messaging where these have one.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class MicrometerQueueMeter implements QueueMeter {

	private final MeterRegistry registry;

	private final QueueTags tags;

	/**
	 * The instruments by the value of {@link QueueTags#queue}, whose number is bounded.
	 */
	private final Map<String, QueueInstruments> queues = new ConcurrentHashMap<>();

	/**
	 * Creates a meter.
	 * @param registry the registry
	 * @param tags the tags
	 */
	public MicrometerQueueMeter(MeterRegistry registry, QueueTags tags) {
		this.registry = registry;
		this.tags = tags;
	}

	@Override
	public void sent(String queue, int messages, long nanos) {
		instruments(queue).sent(messages);
	}

	@Override
	public void leftOut(String queue, int messages) {
		instruments(queue).leftOut(messages);
	}

	@Override
	public void claimed(String queue, int messages, long nanos) {
		instruments(queue).claimed(messages, nanos);
	}

	@Override
	public void settled(String queue, Settled settled, long nanos) {
		instruments(queue).settled(settled, nanos);
	}

	@Override
	public void redriven(String queue, int messages) {
		instruments(queue).redriven(messages);
	}

	@Override
	public void handled(Handling handling) {
		instruments(handling.queue()).handled(handling);
	}

	@Override
	public void failed(String queue, String listener, @Nullable String exception, String message) {
		instruments(queue).failed(exception);
	}

	/**
	 * Returns the queues that were measured.
	 * @return the values of {@link QueueTags#queue}
	 */
	Set<String> queues() {
		return Set.copyOf(this.queues.keySet());
	}

	/**
	 * Removes all meters of a queue that was deleted, those of observations included.
	 * @param queue what {@link QueueTags#queue} returned
	 */
	void remove(String queue) {
		this.queues.remove(queue);
		Search.in(this.registry)
			.name(QueueMeterFilter::mayBeOurs)
			.tag(QueueTags.QUEUE, queue)
			.meters()
			.stream()
			.filter((meter) -> QueueMeterFilter.isOurs(meter.getId()))
			.forEach(this.registry::remove);
		this.tags.forget(queue);
	}

	private QueueInstruments instruments(String queue) {
		QueueInstruments present = this.queues.get(GroupName.lowCardinality(PartitionName.queueOf(queue)));
		return (present != null) ? present : this.queues.computeIfAbsent(this.tags.queue(queue),
				(name) -> new QueueInstruments(this.registry, this.tags, name));
	}

}
