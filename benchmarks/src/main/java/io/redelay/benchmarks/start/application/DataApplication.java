package io.redelay.benchmarks.start.application;

import java.io.IOException;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * An application with spring-data-redis.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class DataApplication {

	public static void main(String... args) throws IOException, InterruptedException {
		StartedApplication.run(DataApplication.class, args,
				(context) -> context.getBean(RedisConnectionFactory.class).getConnection().ping(), (context) -> {
				});
	}

}
