package io.redelay.queue.fault;

import java.util.ArrayList;
import java.util.List;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.test.SharedLogging;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application that listens, inside this JVM or, started by {@link InstanceProcess}, as
 * one of its own.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class,
		LifecycleAutoConfiguration.class, RedissonAutoConfiguration.class, QueueAutoConfiguration.class })
class Instance {

	/**
	 * Starts an instance inside this JVM.
	 * @param listener the class of its listener
	 * @param properties its properties
	 * @return the instance, to be closed
	 */
	static ConfigurableApplicationContext start(Class<?> listener, List<String> properties) {
		List<String> all = new ArrayList<>(
				List.of("spring.main.banner-mode=off", "spring.main.log-startup-info=false"));
		all.addAll(properties);
		SpringApplicationBuilder application = new SpringApplicationBuilder(Instance.class, listener)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.properties(all.toArray(String[]::new));
		SharedLogging.keep(application);
		return application.run();
	}

	/**
	 * Runs an instance as a process.
	 * @param args the class of its listener, and its properties
	 */
	public static void main(String[] args) throws ClassNotFoundException {
		List<String> properties = List.of(args).subList(1, args.length);
		ConfigurableApplicationContext context = start(Class.forName(args[0]), properties);
		context.registerShutdownHook();
	}

}
