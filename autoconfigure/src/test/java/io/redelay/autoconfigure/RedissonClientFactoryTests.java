package io.redelay.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.DefaultNettyHook;
import org.redisson.client.NettyHook;
import org.redisson.client.RedisException;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedissonClientFactory}.
 */
class RedissonClientFactoryTests {

	private static final RedelayRedissonProperties SETTINGS = new RedelayRedissonProperties(1, 1, 1, 1, false, true,
			Duration.ofSeconds(1));

	private final DataRedisProperties properties = new DataRedisProperties();

	private FirstBytes server;

	@BeforeEach
	void startServer() throws IOException {
		this.server = new FirstBytes();
		limit(Duration.ofSeconds(2));
	}

	private void limit(Duration limit) {
		this.properties.setConnectTimeout(limit);
		this.properties.setTimeout(limit);
	}

	@AfterEach
	void stopServer() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void tlsUrlIsSpokenToByTlsOnly(Function<Node, TestConnectionDetails> topology) {
		limit(Duration.ofSeconds(20));
		this.properties.setUrl("rediss://localhost:" + this.server.port());
		assertThatFactoryFails(topology.apply(node()));
		assertThatServerSaw(FirstBytes.TLS_HANDSHAKE);
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void sslBundleIsSpokenToByTlsOnly(Function<Node, TestConnectionDetails> topology) {
		limit(Duration.ofSeconds(20));
		assertThatFactoryFails(topology.apply(node()).withSslBundle(SslBundle.systemDefault()));
		assertThatServerSaw(FirstBytes.TLS_HANDSHAKE);
	}

	@ParameterizedTest
	@MethodSource("everyTopology")
	void withoutAWordAboutTlsRedisIsSpokenToPlainly(Function<Node, TestConnectionDetails> topology) {
		assertThatFactoryFails(topology.apply(node()));
		assertThatServerSaw('*');
	}

	@Test
	void failureReportsTheLocationAndTheCause() {
		assertThatExceptionOfType(RedisUnavailableException.class)
			.isThrownBy(() -> factory(TestConnectionDetails.clusterAt(node())).create())
			.withMessageContaining("127.0.0.1:%d (cluster)", this.server.port())
			.withCauseInstanceOf(RedisException.class)
			.satisfies((ex) -> assertThat(ex.getLocation().nodes()).containsExactly("127.0.0.1:" + this.server.port()));
	}

	@Test
	void customizersHaveTheLastWordInTheirOrder() {
		List<Integer> seen = new ArrayList<>();
		RedissonConfigCustomizer first = (config) -> {
			seen.add(config.getThreads());
			config.setThreads(2).setLazyInitialization(true);
		};
		RedissonConfigCustomizer second = (config) -> {
			seen.add(config.getThreads());
			config.setThreads(3);
		};
		RedissonClient client = new RedissonClientFactory(TestConnectionDetails.standaloneAt("127.0.0.1", 1),
				this.properties, SETTINGS, List.of(first, second))
			.create();
		try {
			assertThat(seen).containsExactly(1, 2);
			assertThat(client.getConfig().getThreads()).isEqualTo(3);
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void hookOfACustomizerIsKept() {
		NettyHook hook = new DefaultNettyHook();
		NettyHook[] installed = new NettyHook[1];
		RedissonConfigCustomizer customizer = (config) -> {
			config.setNettyHook(hook).setLazyInitialization(true);
			ClosedConnectionHook.install(config);
			installed[0] = config.getNettyHook();
		};
		RedissonClient client = new RedissonClientFactory(TestConnectionDetails.standaloneAt("127.0.0.1", 1),
				this.properties, SETTINGS, List.of(customizer))
			.create();
		try {
			assertThat(client.getConfig().getNettyHook()).isSameAs(installed[0]).extracting("next").isSameAs(hook);
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void lazyClientIsCreatedWithoutConnecting() {
		RedissonClient client = new RedissonClientFactory(
				TestConnectionDetails.standaloneAt("127.0.0.1", this.server.port()), this.properties,
				new RedelayRedissonProperties(1, 1, 1, 1, true, true, Duration.ofSeconds(1)), List.of())
			.create();
		client.shutdown();
		assertThat(this.server.seen()).isEmpty();
	}

	private void assertThatServerSaw(int firstByte) {
		Awaitility.await().untilAsserted(() -> assertThat(this.server.seen()).isNotEmpty().containsOnly(firstByte));
	}

	private Node node() {
		return new Node("127.0.0.1", this.server.port());
	}

	private void assertThatFactoryFails(TestConnectionDetails details) {
		assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> factory(details).create());
	}

	private RedissonClientFactory factory(TestConnectionDetails details) {
		return new RedissonClientFactory(details, this.properties, SETTINGS, List.of(new SingleAttempt()));
	}

	static Stream<Function<Node, TestConnectionDetails>> everyTopology() {
		return Stream.of((node) -> TestConnectionDetails.standaloneAt(node.host(), node.port()),
				(node) -> TestConnectionDetails.sentinelAt("mymaster", 0, node),
				(node) -> TestConnectionDetails.sentinelAt("mymaster", 0, node).withCredentials("me", "secret"),
				TestConnectionDetails::clusterAt, TestConnectionDetails::masterReplicaAt);
	}

}
