package io.redelay.docs;

// tag::imports[]
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
// end::imports[]

/**
 * The code of the chapter "Observability".
 */
class Observability {

	// tag::gauges[]
	@Component
	static class QueueGauges {

		private final QueueAdmin admin;

		private final MultiGauge ready;

		private final MultiGauge dead;

		private final MultiGauge oldest;

		QueueGauges(QueueAdmin admin, MeterRegistry registry) {
			this.admin = admin;
			this.ready = MultiGauge.builder("shop.queue.ready").register(registry);
			this.dead = MultiGauge.builder("shop.queue.dead").register(registry);
			this.oldest = MultiGauge.builder("shop.queue.oldest").baseUnit("seconds").register(registry);
		}

		@Scheduled(fixedDelay = 15_000) // needs @EnableScheduling
		void refresh() {
			Map<String, QueueInfo> infos = this.admin.infos();
			show(this.ready, infos, QueueInfo::ready);
			show(this.dead, infos, QueueInfo::dead);
			show(this.oldest, infos, (info) -> info.oldestReadyAge().toMillis() / 1000.0);
		}

		private void show(MultiGauge gauge, Map<String, QueueInfo> infos, ToDoubleFunction<QueueInfo> value) {
			gauge.register(infos.values()
				.stream()
				.<Row<?>>map((info) -> Row.of(Tags.of("queue", info.queue()), info, value))
				.toList(), true);
		}

	}
	// end::gauges[]

}
