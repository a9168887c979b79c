package io.redelay.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.redisson.RedissonConfigCustomizer;
import io.redelay.test.redis.RedisSentinel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.SentinelServersConfig;
import org.redisson.misc.RedisURI;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for TLS with {@link RedissonAutoConfiguration}.
 */
class RedissonTlsIntegrationTests {

	@TempDir
	static Path directory;

	private static TestCertificate certificate;

	private static RedisServer server;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
				RedissonAutoConfiguration.class))
		.withPropertyValues("spring.ssl.bundle.pem.redis.truststore.certificate=" + certificate.certificate());

	@BeforeAll
	static void startServer() throws Exception {
		certificate = TestCertificate.create(directory, "redis", "dns:localhost,ip:127.0.0.1");
		server = RedisServer.builder()
			.tls(certificate.certificate(), certificate.key())
			.config("cluster-enabled no")
			.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(
			strings = { "spring.data.redis.url=rediss://localhost:%d", "spring.data.redis.url=rediss://127.0.0.1:%d",
					"spring.data.redis.masterreplica.nodes=127.0.0.1:%d", "spring.data.redis.port=%d" })
	void trustedCertificateIsAccepted(String location) {
		this.contextRunner
			.withPropertyValues("spring.data.redis.ssl.bundle=redis", location.formatted(server.tlsPort()))
			.run(this::assertThatClientWorks);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void proxyThatTerminatesTlsIsAccepted() throws Exception {
		try (TlsProxy proxy = new TlsProxy(certificate.serverContext(), server.port())) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.ssl.bundle=redis",
						"spring.data.redis.url=rediss://localhost:" + proxy.port())
				.run(this::assertThatClientWorks);
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@ValueSource(strings = { "spring.data.redis.url=rediss://localhost:%d",
			"spring.data.redis.url=redis://localhost:%d", "spring.data.redis.cluster.nodes=localhost:%d",
			"spring.data.redis.masterreplica.nodes=localhost:%d" })
	void untrustedCertificateIsRefused(String location) {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.ssl.enabled=true",
				location.formatted(server.tlsPort()));
		assertThat(analysis.getDescription()).contains("TLS) and this application do not agree on TLS: ")
			.contains("unable to find valid certification path");
		assertThat(analysis.getAction()).contains("'spring.data.redis.ssl.bundle'");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void certificateForAnotherHostIsRefused() throws Exception {
		TestCertificate other = TestCertificate.create(directory, "other", "dns:other.example");
		try (TlsProxy proxy = new TlsProxy(other.serverContext(), server.port())) {
			FailureAnalysis analysis = StartFailure.analyze(
					"spring.ssl.bundle.pem.redis.truststore.certificate=" + other.certificate(),
					"spring.data.redis.ssl.bundle=redis", "spring.data.redis.url=rediss://localhost:" + proxy.port());
			assertThat(analysis.getDescription()).contains("do not agree on TLS: ").contains("localhost");
			assertThat(analysis.getAction()).contains("host name");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void clientProvesWhoItIs() throws Exception {
		TestCertificate client = TestCertificate.create(directory, "client", "dns:client.example");
		try (RedisServer strict = RedisServer.builder()
			.tls(certificate.certificate(), certificate.key())
			.config("tls-auth-clients yes", "tls-ca-cert-file " + client.certificate())
			.start()) {
			ApplicationContextRunner runner = this.contextRunner
				.withPropertyValues("spring.data.redis.ssl.bundle=redis", "spring.data.redis.port=" + strict.tlsPort());
			runner
				.withPropertyValues("spring.ssl.bundle.pem.redis.keystore.certificate=" + client.certificate(),
						"spring.ssl.bundle.pem.redis.keystore.private-key=" + client.key())
				.run(this::assertThatClientWorks);
			FailureAnalysis analysis = StartFailure.analyze(
					"spring.ssl.bundle.pem.redis.truststore.certificate=" + certificate.certificate(),
					"spring.data.redis.ssl.bundle=redis", "spring.data.redis.port=" + strict.tlsPort(),
					"spring.data.redis.connect-timeout=1s");
			assertThat(analysis.getDescription()).contains("TLS");
			assertThat(analysis.getAction()).contains("certificate", "'spring.data.redis.ssl.bundle'");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void protocolsOfTheBundleAreKept() {
		this.contextRunner
			.withPropertyValues("spring.ssl.bundle.pem.redis.options.enabled-protocols=TLSv1.2",
					"spring.ssl.bundle.pem.redis.options.ciphers=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
					"spring.data.redis.ssl.bundle=redis", "spring.data.redis.port=" + server.tlsPort())
			.run(this::assertThatClientWorks);
		FailureAnalysis analysis = StartFailure.analyze(
				"spring.ssl.bundle.pem.redis.truststore.certificate=" + certificate.certificate(),
				"spring.ssl.bundle.pem.redis.options.enabled-protocols=TLSv1.1", "spring.data.redis.ssl.bundle=redis",
				"spring.data.redis.port=" + server.tlsPort());
		assertThat(analysis.getDescription()).contains("do not agree on TLS");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nodesThatSentinelsNameAreSpokenToByTls() throws Exception {
		try (RedisSentinel redis = RedisSentinel.builder().sentinels(1).downAfter(Duration.ofMinutes(1)).start();
				TlsProxy sentinel = new TlsProxy(certificate.serverContext(), redis.sentinels().get(0).port());
				TlsProxy master = new TlsProxy(certificate.serverContext(), redis.master().port())) {
			int plainPort = redis.master().port();
			RedissonConfigCustomizer throughTheProxies = (config) -> {
				SentinelServersConfig servers = (SentinelServersConfig) ReflectionTestUtils.getField(config,
						"sentinelServersConfig");
				assertThat(servers).isNotNull();
				servers.setSentinelsDiscovery(false)
					.setNatMapper((uri) -> (uri.getPort() == plainPort)
							? new RedisURI(uri.getScheme(), uri.getHost(), master.port()) : uri);
			};
			this.contextRunner.withBean(RedissonConfigCustomizer.class, () -> throughTheProxies)
				.withPropertyValues("spring.data.redis.ssl.bundle=redis",
						"spring.data.redis.sentinel.master=" + redis.masterName(),
						"spring.data.redis.sentinel.nodes=127.0.0.1:" + sentinel.port())
				.run((context) -> {
					assertThat(context).hasNotFailed();
					context.getBean(RedissonClient.class).getBucket("key", StringCodec.INSTANCE).set("value");
					assertThat(redis.master().command("GET", "key")).isEqualTo("value");
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nodesThatAClusterNamesAreSpokenToByTls() {
		try (RedisServer node = RedisServer.builder()
			.tls(certificate.certificate(), certificate.key())
			.config("cluster-enabled yes", "cluster-announce-ip 127.0.0.1", "tls-cluster yes")
			.start()) {
			node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			this.contextRunner
				.withPropertyValues("spring.data.redis.ssl.bundle=redis",
						"spring.data.redis.cluster.nodes=127.0.0.1:" + node.tlsPort())
				.run((context) -> {
					assertThatClientWorks(context, "key");
					assertThat(node.command("GET", "key")).isEqualTo("spring");
				});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void plainRedisIsNotSpokenToPlainlyWhenTlsIsWanted() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.url=rediss://127.0.0.1:" + server.port(),
				"spring.data.redis.connect-timeout=1s");
		assertThat(analysis.getDescription()).endsWith("(standalone, TLS) does not answer when spoken to by TLS.");
		assertThat(analysis.getAction()).contains("redis:// instead of rediss://");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void redisThatSpeaksTlsOnlyIsRecognized() {
		FailureAnalysis analysis = StartFailure.analyze("spring.data.redis.url=redis://127.0.0.1:" + server.tlsPort(),
				"spring.data.redis.connect-timeout=1s", "spring.data.redis.timeout=1s");
		assertThat(analysis.getDescription()).endsWith("(standalone) does not answer.");
		assertThat(analysis.getAction()).contains("rediss:// instead of redis://");
	}

	private void assertThatClientWorks(ApplicationContext context) {
		assertThatClientWorks(context, UUID.randomUUID().toString());
	}

	private void assertThatClientWorks(ApplicationContext context, String key) {
		RedissonClient client = context.getBean(RedissonClient.class);
		client.getBucket(key, StringCodec.INSTANCE).set("redisson");
		StringRedisTemplate template = context.getBean(StringRedisTemplate.class);
		assertThat(template.opsForValue().get(key)).isEqualTo("redisson");
		template.opsForValue().set(key, "spring");
		assertThat(client.getBucket(key, StringCodec.INSTANCE).get()).isEqualTo("spring");
	}

}
