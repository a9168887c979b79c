package io.redelay.benchmarks.far;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

import io.redelay.embedded.redis.RedisServer;

import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.work.DeliveryInfo;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application that listens to a queue and takes note of how late messages come.
 */
final class FarApplication implements AutoCloseable {

	static final String QUEUE = "far";

	private static final Duration GLANCE = Duration.ofMillis(20);

	private final RedisServer server;

	private final ConfigurableApplicationContext context;

	/**
	 * Starts an application.
	 * @param server its Redis
	 * @param horizon from when on messages are packed; 0 packs none
	 */
	FarApplication(RedisServer server, Duration horizon) {
		this.server = server;
		this.context = new SpringApplicationBuilder(Configured.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + server.uri(),
					"redelay.queue.far-horizon=" + horizon.toMillis() + "ms", "redelay.queue.listener.concurrency=8")
			.run();
	}

	QueueTemplate template() {
		return this.context.getBean(QueueTemplate.class);
	}

	QueueAdmin admin() {
		return this.context.getBean(QueueAdmin.class);
	}

	Handler handler() {
		return this.context.getBean(Handler.class);
	}

	/**
	 * Returns how many messages are packed.
	 */
	long packed() {
		Object head = this.server.command("HGET", "redelay:{" + QUEUE + "}:meta", "far");
		return (head == null) ? 0 : Long.parseLong(head.toString().split(" ", 2)[0]);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = { "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig",
			"com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig" })
	@Import(Handler.class)
	static class Configured {

	}

	/**
	 * Handles what comes.
	 */
	static class Handler {

		private final LongAdder handled = new LongAdder();

		private final int[] lateMillis = new int[2_000_000];

		private final AtomicInteger late = new AtomicInteger();

		@QueueListener(QUEUE)
		void handle(String payload, DeliveryInfo delivery) {
			int position = this.late.getAndIncrement();
			if (position < this.lateMillis.length) {
				this.lateMillis[position] = (int) (System.currentTimeMillis() - delivery.dueAt().toEpochMilli());
			}
			this.handled.increment();
		}

		long handled() {
			return this.handled.sum();
		}

		/**
		 * Begins to take note anew.
		 */
		void begin() {
			this.late.set(0);
			this.handled.reset();
		}

		void await(long count) {
			while (handled() < count) {
				LockSupport.parkNanos(GLANCE.toNanos());
			}
		}

		/**
		 * Returns how late the earlier ones of the messages were at most.
		 * @param percent how many of 100 these are
		 */
		int lateMillis(double percent) {
			int[] sorted = Arrays.copyOf(this.lateMillis, Math.min(this.late.get(), this.lateMillis.length));
			Arrays.sort(sorted);
			return sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / 100) - 1)];
		}

	}

}
