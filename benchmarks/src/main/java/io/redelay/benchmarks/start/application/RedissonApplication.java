package io.redelay.benchmarks.start.application;

import java.io.IOException;

import org.redisson.Redisson;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * An application with a client of Redisson and nothing else.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class RedissonApplication {

	public static void main(String... args) throws IOException, InterruptedException {
		StartedApplication.run(RedissonApplication.class, args,
				(context) -> context.getBean(RedissonClient.class)
					.getScript(StringCodec.INSTANCE)
					.eval(RScript.Mode.READ_WRITE, "return 1", RScript.ReturnType.LONG),
				(context) -> {
				});
	}

	@Bean(destroyMethod = "shutdown")
	RedissonClient redissonClient(Environment environment) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress(environment.getRequiredProperty("spring.data.redis.url"))
			.setConnectionMinimumIdleSize(1);
		return Redisson.create(config);
	}

}
