package io.redelay.benchmarks.peers.contender;

import io.redelay.embedded.redis.RedisServer;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Starts the Spring Boot applications of contenders. Each names what of the others it
 * must not configure.
 */
final class Applications {

	static final String RQUEUE = "com.github.sonus21.rqueue.spring.boot.RqueueListenerAutoConfig";

	static final String RQUEUE_METRICS = "com.github.sonus21.rqueue.spring.boot.RqueueMetricsAutoConfig";

	static final String REDELAY_CLIENT = "io.redelay.autoconfigure.RedissonAutoConfiguration";

	static final String REDELAY_QUEUE = "io.redelay.autoconfigure.QueueAutoConfiguration";

	static final String REDELAY_LOCK = "io.redelay.autoconfigure.LockAutoConfiguration";

	private Applications() {
	}

	static ConfigurableApplicationContext start(Class<?> application, RedisServer server, Setup setup,
			OrderHandler handler, String... properties) {
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + server.uri(), "spring.data.redis.lettuce.pool.enabled=false",
					"spring.main.allow-bean-definition-overriding=false",
					"benchmark.queues=" + String.join(",", setup.names()),
					"benchmark.concurrency=" + setup.concurrency())
			.properties(properties)
			.initializers((GenericApplicationContext context) -> register(context, handler))
			.run();
	}

	private static void register(GenericApplicationContext context, OrderHandler handler) {
		context.registerBean("handler", OrderHandler.class, () -> handler);
	}

}
