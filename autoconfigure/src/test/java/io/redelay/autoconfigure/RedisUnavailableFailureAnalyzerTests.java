package io.redelay.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.Redisson;
import org.redisson.client.DefaultNettyHook;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link RedisUnavailableFailureAnalyzer}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisUnavailableFailureAnalyzerTests {

	private static final String EMBEDDED = "io.redelay:redelay-embedded-redis";

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = {
			"spring.data.redis.port=%d | (standalone) refuses connections | 'spring.data.redis.host'",
			"spring.data.redis.url=redis://127.0.0.1:%d | (standalone) refuses connections | 'spring.data.redis.url'",
			"spring.data.redis.url=rediss://127.0.0.1:%d | (standalone, TLS) refuses connections | 'spring.data.redis.url'",
			"spring.data.redis.cluster.nodes=127.0.0.1:%d | (cluster) refuses connections | 'spring.data.redis.cluster.nodes'",
			"spring.data.redis.masterreplica.nodes=127.0.0.1:%d | (master-replica) refuses connections | 'spring.data.redis.masterreplica.nodes'",
			"spring.data.redis.sentinel.nodes=127.0.0.1:%d | (sentinel) can't be reached | 'spring.data.redis.sentinel.nodes'" })
	void closedPort(String property, String problem, String action) throws IOException {
		int port = closedPort();
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.sentinel.master=mymaster".repeat(property.contains("sentinel") ? 1 : 0),
				property.formatted(port));
		assertThat(analysis.getDescription()).isEqualTo("Redis at 127.0.0.1:%d %s.".formatted(port, problem));
		assertThat(analysis.getAction()).contains(action, EMBEDDED, "optional dependency");
	}

	@Test
	void sentinelsThatCannotBeReachedWithAPassword() throws IOException {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.sentinel.master=mymaster",
				"spring.data.redis.sentinel.nodes=127.0.0.1:" + closedPort(), "spring.data.redis.password=secret");
		assertThat(analysis.getDescription()).contains("(sentinel) can't be reached").doesNotContain("secret");
	}

	@Test
	void portThatAcceptsButNeverAnswers() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + silent.getLocalPort(), "spring.data.redis.timeout=300ms",
					"spring.data.redis.connect-timeout=2s");
			assertThat(analysis.getDescription()).endsWith("(standalone) does not answer.");
			assertThat(analysis.getAction()).contains("'spring.data.redis.ssl.enabled' to true", EMBEDDED);
		}
	}

	@ParameterizedTest
	@CsvSource({ "spring.data.redis.url=rediss://127.0.0.1:%d, (standalone",
			"spring.data.redis.cluster.nodes=127.0.0.1:%d, (cluster",
			"spring.data.redis.masterreplica.nodes=127.0.0.1:%d, (master-replica" })
	void portThatAcceptsButNeverAnswersToTls(String property, String topology) throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			FailureAnalysis analysis = StartFailure.analyze(property.formatted(silent.getLocalPort()),
					"spring.data.redis.ssl.enabled=true", "spring.data.redis.connect-timeout=300ms");
			assertThat(analysis.getDescription()).endsWith(topology + ", TLS) does not answer when spoken to by TLS.");
			assertThat(analysis.getAction()).contains("'spring.data.redis.ssl.enabled' to false",
					"'spring.data.redis.url' with redis://");
		}
	}

	@Test
	void handshakeThatTakesTooLong() throws IOException {
		RedissonConfigCustomizer impatient = (config) -> config.setNettyHook(new ImpatientHandshake());
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			FailureAnalysis analysis = StartFailure.analyze(List.of(impatient),
					"spring.data.redis.url=rediss://127.0.0.1:" + silent.getLocalPort());
			assertThat(analysis.getDescription()).endsWith("(standalone, TLS) does not answer when spoken to by TLS.");
		}
	}

	@Test
	void unknownHost() {
		RedissonConfigCustomizer noSuchHost = (config) -> config
			.setAddressResolverGroupFactory((datagram, stream, servers) -> new NoSuchHost());
		FailureAnalysis analysis = StartFailure.analyze(List.of(noSuchHost), "spring.data.redis.host=redis.example");
		assertThat(analysis.getDescription())
			.isEqualTo("Redis at redis.example:6379 (standalone) has an unknown host name.");
		assertThat(analysis.getAction()).contains("'spring.data.redis.host'");
	}

	@Test
	void protectedMode() {
		RedisLocation location = new RedisLocation(RedisLocation.Topology.STANDALONE, List.of("redis://10.0.0.7:6379"),
				false);
		FailureAnalysis analysis = new RedisUnavailableFailureAnalyzer().analyze(new RedisUnavailableException(location,
				new RedisException("DENIED Redis is running in protected mode because protected mode is enabled")));
		assertThat(analysis.getDescription()).contains("refuses the client: DENIED Redis is running in protected mode");
		assertThat(analysis.getAction()).contains("set 'requirepass' there, and 'spring.data.redis.password' here");
	}

	@Test
	void failureOfAnotherClientIsLeftAlone() throws IOException {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://127.0.0.1:" + closedPort())
			.setConnectionMinimumIdleSize(1)
			.setRetryAttempts(0);
		assertThatException().isThrownBy(() -> Redisson.create(config))
			.satisfies((ex) -> assertThat(new RedisUnavailableFailureAnalyzer().analyze(ex)).isNull());
	}

	@Test
	void applicationFailsAtStartWithTheReason(CapturedOutput output) throws IOException {
		String port = "--spring.data.redis.port=" + closedPort();
		SpringApplication application = new SpringApplication(Application.class);
		assertThatException()
			.isThrownBy(() -> application.run("--spring.main.web-application-type=none", port).close());
		assertThat(output).contains("APPLICATION FAILED TO START", "(standalone) refuses connections", EMBEDDED);
	}

	private static int closedPort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class })
	static class Application {

		@Bean
		SingleAttempt singleAttempt() {
			return new SingleAttempt();
		}

	}

	/**
	 * Gives up a handshake before the client gives up to connect.
	 */
	private static final class ImpatientHandshake extends DefaultNettyHook {

		@Override
		public void afterChannelInitialization(Channel channel) {
			channel.pipeline().get(SslHandler.class).setHandshakeTimeoutMillis(100);
		}

	}

	/**
	 * A name service that knows no name, instead of one in the network.
	 */
	private static final class NoSuchHost extends AddressResolverGroup<InetSocketAddress> {

		@Override
		protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
			return new InetNameResolver(executor) {

				@Override
				protected void doResolve(String name, Promise<InetAddress> promise) {
					promise.setFailure(new UnknownHostException(name));
				}

				@Override
				protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
					promise.setFailure(new UnknownHostException(name));
				}

			}.asAddressResolver();
		}

	}

}
