package io.redelay.embedded.redis.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that offers an embedded Redis, for development, when no Redis
 * location is configured or provided by other means, such as Testcontainers.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class,
		afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@AutoConfigureOrder(Ordered.HIGHEST_PRECEDENCE + 100)
@ConditionalOnClass(DataRedisConnectionDetails.class)
@ConditionalOnBooleanProperty(name = "redelay.embedded-redis.enabled", matchIfMissing = true)
@Conditional(NoRedisLocationCondition.class)
@EnableConfigurationProperties(EmbeddedRedisProperties.class)
public final class EmbeddedRedisAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(DataRedisConnectionDetails.class)
	EmbeddedRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedisProperties properties,
			Environment environment) {
		int database = environment.getProperty("spring.data.redis.database", Integer.class, 0);
		return EmbeddedRedisConnectionDetails.start(properties, database);
	}

}
