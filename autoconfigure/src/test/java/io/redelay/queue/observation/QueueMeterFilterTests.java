package io.redelay.queue.observation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueMeterFilter}.
 */
class QueueMeterFilterTests {

	@Test
	void boundsTheTagsOfObservations() {
		MeterRegistry registry = registry(true, false);
		for (int i = 0; i < 200; i++) {
			process(registry, "redelay", "q" + i, "E" + i);
		}
		assertThat(registry.find("messaging.process.duration").meters()).hasSizeLessThan(110);
		assertThat(registry.get("messaging.process.duration")
			.tags("messaging.destination.name", "other", "error", "other")
			.timer()
			.count()).isEqualTo(100);
	}

	@Test
	void leavesTheMetersOfOthers() {
		MeterRegistry registry = registry(false, true);
		for (int i = 0; i < 200; i++) {
			process(registry, "kafka", "q" + i, "E" + i);
		}
		registry.counter("redelayed.orders").increment();
		assertThat(registry.find("messaging.process.duration").timers()).hasSize(200)
			.allMatch((timer) -> timer.takeSnapshot().histogramCounts().length == 0);
		assertThat(registry.get("redelayed.orders").counter().count()).isOne();
	}

	@Test
	void keepsAllMetersAwayIfTheyAreNotWanted() {
		MeterRegistry registry = registry(false, false);
		process(registry, "redelay", "q", "none");
		registry.counter("redelay.lock.outcomes").increment();
		assertThat(registry.getMeters()).isEmpty();
	}

	@Test
	void addsHistogramsIfTheyAreWanted() {
		MeterRegistry registry = registry(true, true);
		Timer wait = registry.timer("redelay.queue.wait");
		wait.record(Duration.ofMinutes(10));
		CountAtBucket[] buckets = wait.takeSnapshot().histogramCounts();
		assertThat(buckets).hasSize(14);
		assertThat(buckets[11].count()).isZero();
		assertThat(buckets[12].count()).isOne();
		assertThat(buckets[12].bucket(TimeUnit.MINUTES)).isEqualTo(15);
		Timer process = process(registry, "redelay", "q", "none");
		assertThat(process.takeSnapshot().histogramCounts()).hasSize(14);
		assertThat(registry(true, false).timer("redelay.queue.wait").takeSnapshot().histogramCounts()).isEmpty();
	}

	private static Timer process(MeterRegistry registry, String system, String queue, String error) {
		Timer timer = registry.timer("messaging.process.duration", "messaging.system", system,
				"messaging.destination.name", queue, "error", error);
		timer.record(Duration.ofMillis(1));
		return timer;
	}

	private static MeterRegistry registry(boolean enabled, boolean histograms) {
		MeterRegistry registry = new SimpleMeterRegistry();
		registry.config().meterFilter(new QueueMeterFilter(enabled, histograms, new QueueTags(5)));
		return registry;
	}

}
