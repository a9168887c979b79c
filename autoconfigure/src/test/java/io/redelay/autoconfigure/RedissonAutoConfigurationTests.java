package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.redelay.redisson.RedissonConfigCustomizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedissonAutoConfiguration}.
 */
class RedissonAutoConfigurationTests {

	private final AtomicReference<Config> config = new AtomicReference<>();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
				RedissonAutoConfiguration.class))
		.withBean("capturing", RedissonConfigCustomizer.class, () -> this.config::set)
		.withPropertyValues("redelay.redisson.lazy-initialization=true");

	@Test
	void clientNeedsNoLettuce() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.withPropertyValues("spring.data.redis.host=redis.example.org")
			.run((context) -> {
				assertThat(context).hasSingleBean(RedissonClient.class).doesNotHaveBean(RedisConnectionFactory.class);
				assertThat(this.config.get().useSingleServer().getAddress()).contains("redis.example.org");
			});
	}

	@Test
	void clientIsThereAndIsShutDownWithTheContext() {
		AtomicReference<RedissonClient> client = new AtomicReference<>();
		this.contextRunner.run((context) -> {
			client.set(context.getBean(RedissonClient.class));
			assertThat(client.get().isShutdown()).isFalse();
		});
		assertThat(client.get().isShutdown()).isTrue();
	}

	@Test
	void clientOfTheApplicationIsUsedInstead() {
		this.contextRunner.withUserConfiguration(OwnClient.class)
			.run((context) -> assertThat(context).hasSingleBean(RedissonClient.class).hasBean("ownClient"));
		assertThat(this.config).hasNullValue();
	}

	@Test
	void withoutRedissonThereIsNothing() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.redisson"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedissonAutoConfiguration.class));
	}

	@Test
	void withoutConnectionDetailsThereIsNothing() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RedissonAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedissonClient.class));
	}

	@Test
	void connectionFactoryIsStillSpringBoots() {
		this.contextRunner.run((context) -> assertThat(context).getBean(RedisConnectionFactory.class)
			.isInstanceOf(LettuceConnectionFactory.class));
	}

	@Test
	void connectionDetailsWinOverProperties() {
		this.contextRunner.withPropertyValues("spring.data.redis.host=unused")
			.withBean("details", DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of("details", 7);
				}

			})
			.run((context) -> assertThat(addresses()).containsExactly("redis://details:7"));
	}

	@Test
	void propertiesOfTheClientAreApplied() {
		this.contextRunner
			.withPropertyValues("redelay.redisson.threads=2", "redelay.redisson.netty-threads=3",
					"redelay.redisson.connection-pool-size=5", "redelay.redisson.connection-minimum-idle-size=4")
			.run((context) -> {
				assertThat(this.config.get().getThreads()).isEqualTo(2);
				assertThat(this.config.get().getNettyThreads()).isEqualTo(3);
				assertThat(this.config.get()).extracting("singleServerConfig")
					.hasFieldOrPropertyWithValue("connectionPoolSize", 5)
					.hasFieldOrPropertyWithValue("connectionMinimumIdleSize", 4);
			});
	}

	@Test
	void invalidPropertiesAreRefused() {
		this.contextRunner.withPropertyValues("redelay.redisson.threads=0")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("'threads'"));
	}

	@Test
	void customizersAreAppliedInTheirOrder() {
		this.contextRunner.withUserConfiguration(OrderedCustomizers.class)
			.run((context) -> assertThat(context.getBean(RedissonClient.class).getConfig().getThreads()).isEqualTo(22));
	}

	@ParameterizedTest
	@MethodSource("everyTopologyAndEveryWayToSayTls")
	void aClientThatAsksForTlsGetsIt(String topology, String tls) {
		this.contextRunner.withPropertyValues(topology.split(" ")).withPropertyValues(tls.split(" ")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(addresses()).isNotEmpty().allMatch((address) -> address.startsWith("rediss://"));
		});
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void aClientThatDoesNotAskForTlsGetsNone(String topology) {
		this.contextRunner.withPropertyValues(topology.split(" "))
			.withPropertyValues("spring.data.redis.url=redis://url:3")
			.run((context) -> assertThat(addresses()).isNotEmpty()
				.allMatch((address) -> address.startsWith("redis://")));
	}

	private List<String> addresses() {
		return Stream
			.of("singleServerConfig.address", "sentinelServersConfig.sentinelAddresses",
					"clusterServersConfig.nodeAddresses", "replicatedServersConfig.nodeAddresses")
			.map(this::value)
			.flatMap((value) -> (value instanceof List<?> list) ? list.stream() : Stream.ofNullable(value))
			.map(String::valueOf)
			.toList();
	}

	private Object value(String path) {
		return assertThat(this.config.get()).extracting(path).actual();
	}

	static Stream<String> everyTopology() {
		return Stream.of("spring.data.redis.host=a spring.data.redis.port=1",
				"spring.data.redis.sentinel.master=mymaster spring.data.redis.sentinel.nodes=a:1,b:2",
				"spring.data.redis.cluster.nodes=a:1,b:2", "spring.data.redis.masterreplica.nodes=a:1,b:2");
	}

	static Stream<Arguments> everyTopologyAndEveryWayToSayTls() {
		return everyTopology().flatMap((topology) -> Stream
			.of("spring.data.redis.url=rediss://url:3", "spring.data.redis.url=rediss://me:secret@url:3/4",
					"spring.data.redis.ssl.enabled=true",
					"spring.data.redis.ssl.enabled=true spring.data.redis.url=redis://url:3",
					"spring.data.redis.ssl.enabled=false spring.data.redis.url=rediss://url:3",
					"spring.data.redis.ssl.bundle=redis spring.ssl.bundle.pem.redis.options.enabled-protocols=TLSv1.3",
					"spring.data.redis.ssl.bundle=redis spring.ssl.bundle.pem.redis.options.enabled-protocols=TLSv1.3 "
							+ "spring.data.redis.url=rediss://url:3")
			.map((tls) -> Arguments.of(topology, tls)));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClient {

		@Bean(destroyMethod = "shutdown")
		RedissonClient ownClient() {
			Config config = new Config();
			config.setLazyInitialization(true).useSingleServer().setAddress("redis://own:1");
			return Redisson.create(config);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OrderedCustomizers {

		@Bean
		@Order(2)
		RedissonConfigCustomizer second() {
			return (config) -> config.setThreads(config.getThreads() * 2);
		}

		@Bean
		@Order(1)
		RedissonConfigCustomizer first() {
			return (config) -> config.setThreads(11);
		}

	}

}
