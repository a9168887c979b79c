package io.redelay.testing;

import java.time.Duration;
import java.util.Map;

import io.redelay.embedded.redis.RedisServer;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Adds a Redis to a context, and gives its location to Spring Boot.
 */
record EmbeddedRedisContextCustomizer() implements ContextCustomizer {

	private static final String SERVER = "redelayEmbeddedRedis";

	/**
	 * Contexts that are closed by the end of the JVM need their Redis until then.
	 */
	private static final Duration CONTEXT_CLOSE = Duration.ofSeconds(30);

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		if (!(context instanceof BeanDefinitionRegistry registry)) {
			throw new IllegalStateException("@EmbeddedRedis needs a context that takes bean definitions, not a "
					+ context.getClass().getName());
		}
		// It keeps nothing, and need not warn of that. Packing would change the order of
		// messages while they are looked at. What a test sets comes first.
		context.getEnvironment()
			.getPropertySources()
			.addLast(new MapPropertySource(SERVER,
					Map.of("redelay.guard.persistence", "off", "redelay.queue.far-horizon", "0")));
		RootBeanDefinition server = new RootBeanDefinition(RedisServer.class,
				() -> RedisServer.builder().exitDelay(CONTEXT_CLOSE).start());
		server.setDestroyMethodName("close");
		registry.registerBeanDefinition(SERVER, server);
		RootBeanDefinition details = new RootBeanDefinition(DataRedisConnectionDetails.class,
				() -> new ServerDetails(context.getBean(SERVER, RedisServer.class)));
		details.setDependsOn(SERVER);
		registry.registerBeanDefinition(SERVER + "ConnectionDetails", details);
	}

	/**
	 * Where the server is.
	 */
	private record ServerDetails(RedisServer server) implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of(this.server.host(), this.server.port(), 0);
		}

	}

}
