package io.redelay.embedded.redis.autoconfigure;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link EmbeddedRedisAutoConfiguration} that start no server: beans are looked
 * for, not made.
 */
class EmbeddedRedisAutoConfigurationTests {

	private static final String BEAN = "embeddedRedisConnectionDetails";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withInitializer(
				(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
		.withConfiguration(AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class));

	@Test
	void offersItsServerWhenNoLocationIsConfigured() {
		this.runner.run((context) -> assertThat(context.getBeanNamesForType(DataRedisConnectionDetails.class))
			.containsExactly(BEAN));
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.database=1", "spring.data.redis.timeout=5s",
			"spring.data.redis.client-name=shop", "spring.data.redis.password=secret", "spring.redis.host=old" })
	void offersItsServerWhenOtherThingsAreConfigured(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context.containsBean(BEAN)).isTrue());
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.host=redis.example.org", "spring.data.redis.port=6379",
			"spring.data.redis.url=redis://redis.example.org", "spring.data.redis.url=${nowhere}",
			"spring.data.redis.sentinel.master=main", "spring.data.redis.sentinel.nodes[0]=a:26379",
			"spring.data.redis.cluster.nodes=a:6379,b:6379", "spring.data.redis.cluster.nodes[0]=a:6379",
			"spring.data.redis.masterreplica.nodes=a:6379" })
	void backsOffWhenALocationIsConfigured(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context.containsBean(BEAN)).isFalse());
	}

	@ParameterizedTest
	@ValueSource(strings = { "SPRING_DATA_REDIS_HOST", "SPRING_DATA_REDIS_URL", "SPRING_DATA_REDIS_CLUSTER_NODES",
			"SPRING_DATA_REDIS_SENTINEL_NODES_0" })
	void backsOffWhenTheEnvironmentHasALocation(String variable) {
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new SystemEnvironmentPropertySource(
						"test-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						Map.of(variable, "redis.example.org:6379"))))
			.run((context) -> assertThat(context.containsBean(BEAN)).isFalse());
	}

	@Test
	void backsOffWhileTheApplicationIsPreparedAtBuildTime() {
		this.runner.withSystemProperties("spring.aot.processing=true")
			.run((context) -> assertThat(context.containsBean(BEAN)).isFalse());
	}

	@Test
	void backsOffWhenAnotherBeanOffersConnectionDetails() {
		this.runner.withUserConfiguration(OtherDetails.class)
			.run((context) -> assertThat(context.getBeanNamesForType(DataRedisConnectionDetails.class))
				.containsExactly("otherDetails"));
	}

	@Test
	void backsOffWhenTestcontainersOffersConnectionDetails() {
		new ApplicationContextRunner()
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withUserConfiguration(RedisContainer.class)
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class,
					EmbeddedRedisAutoConfiguration.class))
			.run((context) -> assertThat(context.getBeanNamesForType(DataRedisConnectionDetails.class)).hasSize(1)
				.doesNotContain(BEAN));
	}

	@Test
	void backsOffWhenItIsDisabled() {
		this.runner.withPropertyValues("redelay.embedded-redis.enabled=false")
			.run((context) -> assertThat(context.containsBean(BEAN)).isFalse());
	}

	@Test
	void backsOffWithoutSpringDataRedis() {
		this.runner.withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class))
			.run((context) -> assertThat(context.containsBean(BEAN)).isFalse());
	}

	@Test
	void refusesAPortOutOfRange() {
		this.runner.withPropertyValues("redelay.embedded-redis.port=70000")
			.run((context) -> assertThatThrownBy(() -> context.getBean(EmbeddedRedisProperties.class)).rootCause()
				.hasMessage("'redelay.embedded-redis.port' must be between 0 and 65535, not 70000"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OtherDetails {

		@Bean
		DataRedisConnectionDetails otherDetails() {
			return new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of("redis.example.org", 6379);
				}

			};
		}

	}

	/**
	 * Only declared: there may be no Docker.
	 */
	@Configuration(proxyBeanMethods = false)
	static class RedisContainer {

		@Bean
		@ServiceConnection(name = "redis")
		GenericContainer<?> redis() {
			return new GenericContainer<>("redis:8");
		}

	}

}
