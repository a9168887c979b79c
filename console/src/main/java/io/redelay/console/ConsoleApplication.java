package io.redelay.console;

import java.util.Map;

import io.redelay.autoconfigure.GuardAutoConfiguration;
import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * Shows the queues of applications, also of those that do not run, from their Redis
 * servers alone: the page of operators for each server, and an overview. It changes
 * nothing there.
 * <p>
 * The application itself has no Redis; each {@link Source} has a context with one.
 *
 * @since 0.1.0
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
		LockAutoConfiguration.class, GuardAutoConfiguration.class, UserDetailsServiceAutoConfiguration.class })
@Import({ ConsoleAccess.class, Sources.class, SourceHandlerMapping.class, ReadOnlyFilter.class, ConsolePages.class })
public class ConsoleApplication {

	/**
	 * Starts the console.
	 * @param arguments its properties, such as
	 * {@code --redelay.console.sources.shop.url=redis://localhost}
	 */
	public static void main(String[] arguments) {
		application().run(arguments);
	}

	/**
	 * The application, with properties that all others come before.
	 */
	static SpringApplication application() {
		SpringApplication application = new SpringApplication(ConsoleApplication.class);
		application.setDefaultProperties(Map.of("spring.application.name", "redelay-console", "server.address",
				"127.0.0.1", "server.port", "8090", "management.server.port", "-1", "spring.main.banner-mode", "off",
				"spring.mvc.static-path-pattern", ConsolePages.FILES + "**", "spring.web.resources.static-locations",
				ConsolePages.LOCATIONS, "spring.web.resources.cache.cachecontrol.no-cache", "true",
				// A source reports itself why it is not connected, once.
				"logging.level." + AnnotationConfigApplicationContext.class.getName(), "error",
				"logging.level.org.redisson", "error"));
		return application;
	}

}
