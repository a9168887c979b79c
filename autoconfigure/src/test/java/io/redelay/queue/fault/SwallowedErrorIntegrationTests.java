package io.redelay.queue.fault;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.redelay.queue.QueueListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redisson 4.7 swallows an error that is thrown while it sends a command, and neither
 * fails the request nor ends it with a timeout: the request is sent again.
 */
class SwallowedErrorIntegrationTests extends FaultTests {

	private static final String TIMEOUT = "spring.data.redis.timeout=500ms";

	private final LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();

	private final Failing failing = new Failing("{" + this.queue + "}");

	@BeforeEach
	void failInRedisson() {
		this.logging.addTurboFilter(this.failing);
	}

	@AfterEach
	void failNoMore() {
		this.logging.getTurboFilterList().remove(this.failing);
	}

	@Test
	void theRequestIsSentAgain() {
		ConfigurableApplicationContext application = instance(Listener.class, TIMEOUT);
		Listener listener = application.getBean(Listener.class);
		queue(application).send(this.queue, "before");
		await().until(() -> listener.handled.contains("before"));
		this.failing.left.set(3);
		for (int i = 0; i < 5; i++) {
			queue(application).send(this.queue, "m" + i);
		}
		await().until(() -> this.failing.left.get() <= 0);
		await().untilAsserted(() -> assertThat(listener.handled).hasSize(6).doesNotHaveDuplicates());
	}

	static class Listener {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

	}

	/**
	 * Throws errors where Redisson logs that it has a connection for a command.
	 */
	private static final class Failing extends TurboFilter {

		final AtomicInteger left = new AtomicInteger();

		private final String part;

		Failing(String part) {
			this.part = part;
		}

		@Override
		public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] params,
				Throwable thrown) {
			if (!logger.getName().equals("org.redisson.command.RedisExecutor") || level != Level.DEBUG) {
				return FilterReply.NEUTRAL;
			}
			if (format == null) {
				return (this.left.get() > 0) ? FilterReply.ACCEPT : FilterReply.NEUTRAL;
			}
			if (format.startsWith("acquired") && List.of(params).toString().contains(this.part)
					&& this.left.getAndDecrement() > 0) {
				throw new OutOfMemoryError("thrown by a test");
			}
			return FilterReply.DENY;
		}

	}

}
