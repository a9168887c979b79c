package io.redelay.queue.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;

/**
 * Bounds the tags of Redelay's meters, including those that Micrometer makes of its
 * observations. Adds histograms to its timers, or drops all of its meters, if that is
 * configured.
 *
 * @since 0.1.0
 */
public final class QueueMeterFilter implements MeterFilter {

	/**
	 * The boundaries that OpenTelemetry recommends for operations of messaging clients.
	 */
	private static final double[] OPERATION = nanos(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5,
			7.5, 10);

	/**
	 * A queue may lag behind for hours.
	 */
	private static final double[] WAIT = nanos(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600);

	private static final String REDELAY = "redelay.";

	private static final String MESSAGING = "messaging.";

	private static final Map<String, double[]> TIMERS = Map.of("messaging.client.operation.duration", OPERATION,
			"messaging.process.duration", OPERATION, "redelay.queue.handling", OPERATION, "redelay.queue.wait", WAIT);

	private final boolean enabled;

	private final boolean histograms;

	private final QueueTags tags;

	/**
	 * Creates a filter.
	 * @param enabled whether there are to be meters of Redelay at all
	 * @param histograms whether the timers have histograms
	 * @param tags bounds the values of tags
	 */
	public QueueMeterFilter(boolean enabled, boolean histograms, QueueTags tags) {
		this.enabled = enabled;
		this.histograms = histograms;
		this.tags = tags;
	}

	private static double[] nanos(double... seconds) {
		return DoubleStream.of(seconds).map((each) -> each * Duration.ofSeconds(1).toNanos()).toArray();
	}

	@Override
	public MeterFilterReply accept(Meter.Id id) {
		return (!this.enabled && isOurs(id)) ? MeterFilterReply.DENY : MeterFilterReply.NEUTRAL;
	}

	@Override
	public Meter.Id map(Meter.Id id) {
		if (!isOurs(id)) {
			return id;
		}
		return bounded(bounded(id, QueueTags.QUEUE, this.tags::queue), QueueTags.ERROR, this.tags::exception);
	}

	private static Meter.Id bounded(Meter.Id id, String tag, UnaryOperator<String> shown) {
		String value = id.getTag(tag);
		if (value == null) {
			return id;
		}
		String bounded = shown.apply(value);
		return bounded.equals(value) ? id : id.replaceTags(Tags.of(id.getTags()).and(tag, bounded));
	}

	/**
	 * Other libraries may use OpenTelemetry's names, too.
	 */
	static boolean isOurs(Meter.Id id) {
		return id.getName().startsWith(REDELAY)
				|| (id.getName().startsWith(MESSAGING) && QueueTags.SYSTEM_NAME.equals(id.getTag(QueueTags.SYSTEM)));
	}

	static boolean mayBeOurs(String name) {
		return name.startsWith(REDELAY) || name.startsWith(MESSAGING);
	}

	@Override
	public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
		double[] boundaries = TIMERS.get(id.getName());
		if (!this.histograms || boundaries == null || !isOurs(id)) {
			return config;
		}
		return DistributionStatisticConfig.builder()
			.serviceLevelObjectives(Arrays.copyOf(boundaries, boundaries.length))
			.build()
			.merge(config);
	}

}
