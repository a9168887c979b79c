package io.redelay.benchmarks.soak;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The application: a template, and a method that listens.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
		"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
class SoakApplication {

	static final String QUEUE = "soak";

	static ConfigurableApplicationContext start(RedisServer server) {
		return new SpringApplicationBuilder(SoakApplication.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + server.uri(),
					"logging.level.io.redelay.queue.failure.FailureReporter=error")
			.run();
	}

	@Bean
	Parcels parcels() {
		return new Parcels();
	}

	/**
	 * Handles parcels.
	 */
	static class Parcels {

		private final Lateness lateness = new Lateness();

		private volatile Ledger ledger = new Ledger(0);

		Lateness lateness() {
			return this.lateness;
		}

		Ledger ledger() {
			return this.ledger;
		}

		/**
		 * Counts what comes from now on.
		 */
		void count(Ledger ledger) {
			this.ledger = ledger;
		}

		@QueueListener(queues = QUEUE, backoff = @Backoff(initialInterval = "100ms"))
		void handle(Parcel parcel, DeliveryInfo delivery) {
			if (delivery.failures() == 0) {
				this.lateness.add(Parcel.micros() - parcel.due());
				if (parcel.isAwkward()) {
					throw new IllegalStateException("Nobody opens");
				}
			}
			this.ledger.handled(parcel.number());
		}

	}

}
