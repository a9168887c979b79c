package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.redisson.config.Config;
import org.redisson.config.Protocol;
import org.redisson.config.ReadMode;
import org.redisson.config.SslVerificationMode;
import org.redisson.config.SubscriptionMode;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedissonConfigFactory}.
 */
class RedissonConfigFactoryTests {

	private static final TestConnectionDetails STANDALONE = TestConnectionDetails.standaloneAt("a", 1, 5);

	private static final TestConnectionDetails SENTINEL = TestConnectionDetails.sentinelAt("mymaster", 5,
			new Node("a", 1), new Node("b", 2));

	private static final TestConnectionDetails CLUSTER = TestConnectionDetails.clusterAt(new Node("a", 1),
			new Node("b", 2));

	private static final TestConnectionDetails MASTER_REPLICA = TestConnectionDetails.masterReplicaAt(new Node("a", 1),
			new Node("b", 2));

	static final List<TestConnectionDetails> EVERY_TOPOLOGY = List.of(STANDALONE, SENTINEL, CLUSTER, MASTER_REPLICA);

	static final List<TestConnectionDetails> SEVERAL_NODES = List.of(SENTINEL, CLUSTER, MASTER_REPLICA);

	private final DataRedisProperties properties = new DataRedisProperties();

	private RedelayRedissonProperties settings = new RedelayRedissonProperties(3, 2, 7, 4, false, true,
			Duration.ofSeconds(1));

	@Test
	void standaloneHasAddressDatabaseAndPool() {
		Object servers = servers(STANDALONE, "singleServerConfig");
		assertThat(servers).hasFieldOrPropertyWithValue("address", "redis://a:1")
			.hasFieldOrPropertyWithValue("database", 5)
			.hasFieldOrPropertyWithValue("connectionPoolSize", 7)
			.hasFieldOrPropertyWithValue("connectionMinimumIdleSize", 4);
	}

	@Test
	void sentinelHasAddressesMasterAndDatabase() {
		Object servers = servers(SENTINEL, "sentinelServersConfig");
		assertThat(servers).hasFieldOrPropertyWithValue("sentinelAddresses", List.of("redis://a:1", "redis://b:2"))
			.hasFieldOrPropertyWithValue("masterName", "mymaster")
			.hasFieldOrPropertyWithValue("database", 5);
	}

	@Test
	void sentinelMayBeAlone() {
		assertThat(servers(SENTINEL, "sentinelServersConfig")).hasFieldOrPropertyWithValue("checkSentinelsList", false);
	}

	@Test
	void clusterHasAddresses() {
		assertThat(servers(CLUSTER, "clusterServersConfig")).hasFieldOrPropertyWithValue("nodeAddresses",
				List.of("redis://a:1", "redis://b:2"));
	}

	@Test
	void clusterIsRefreshedAsOftenAsSetAndElseEverySecond() {
		assertThat(servers(CLUSTER, "clusterServersConfig")).hasFieldOrPropertyWithValue("scanInterval", 1000);
		this.properties.getLettuce().getCluster().getRefresh().setPeriod(Duration.ofSeconds(2));
		assertThat(servers(CLUSTER, "clusterServersConfig")).hasFieldOrPropertyWithValue("scanInterval", 2000);
	}

	@Test
	void masterReplicaHasAddressesAndLooksForTheMaster() {
		assertThat(servers(MASTER_REPLICA, "replicatedServersConfig")).hasFieldOrPropertyWithValue("nodeAddresses",
				List.of("redis://a:1", "redis://b:2"));
	}

	@ParameterizedTest
	@FieldSource("SEVERAL_NODES")
	void onlyMastersAreReadAndSubscribedToAndHaveThePool(TestConnectionDetails details) {
		Object servers = servers(details);
		assertThat(servers).hasFieldOrPropertyWithValue("readMode", ReadMode.MASTER)
			.hasFieldOrPropertyWithValue("subscriptionMode", SubscriptionMode.MASTER)
			.hasFieldOrPropertyWithValue("masterConnectionPoolSize", 7)
			.hasFieldOrPropertyWithValue("masterConnectionMinimumIdleSize", 4);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void timeoutsAndClientNameHaveDefaults(TestConnectionDetails details) {
		Object servers = servers(details);
		assertThat(servers).hasFieldOrPropertyWithValue("timeout", 3000)
			.hasFieldOrPropertyWithValue("connectTimeout", 3000)
			.hasFieldOrPropertyWithValue("clientName", null);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void timeoutsAndClientNameComeFromTheProperties(TestConnectionDetails details) {
		this.properties.setTimeout(Duration.ofSeconds(11));
		this.properties.setConnectTimeout(Duration.ofSeconds(12));
		this.properties.setClientName("me");
		Object servers = servers(details);
		assertThat(servers).hasFieldOrPropertyWithValue("timeout", 11000)
			.hasFieldOrPropertyWithValue("connectTimeout", 12000)
			.hasFieldOrPropertyWithValue("clientName", "me");
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 3000", "PT-1S, 3000", "PT0.000001S, 1", "PT0.999999S, 999", "P100D, 2147483647" })
	void timeoutIsMadeToFit(Duration timeout, int milliseconds) {
		this.properties.setTimeout(timeout);
		assertThat(servers(STANDALONE)).hasFieldOrPropertyWithValue("timeout", milliseconds);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void lostSubscriptionsComeBackQuickly(TestConnectionDetails details) {
		Object servers = servers(details);
		assertThat(servers).hasFieldOrPropertyWithValue("pingConnectionInterval", 10000)
			.extracting("reconnectionDelay.maxDelay")
			.isEqualTo(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void thousandsOfChannelsFit(TestConnectionDetails details) {
		assertThat(servers(details)).hasFieldOrPropertyWithValue("subscriptionsPerConnection", 100)
			.hasFieldOrPropertyWithValue("subscriptionConnectionPoolSize", 50);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void threadsAndLazinessComeFromTheSettings(TestConnectionDetails details) {
		assertThat(create(details).getThreads()).isEqualTo(3);
		assertThat(create(details).getNettyThreads()).isEqualTo(2);
		assertThat(create(details).isLazyInitialization()).isFalse();
		this.settings = new RedelayRedissonProperties(1, 1, 1, 1, true, true, Duration.ofSeconds(1));
		assertThat(create(details).isLazyInitialization()).isTrue();
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void checkOfReplicasComesFromTheSettings(TestConnectionDetails details) {
		assertThat(create(details).isCheckLockSyncedSlaves()).isTrue();
		this.settings = new RedelayRedissonProperties(1, 1, 1, 1, true, false, Duration.ofMillis(700));
		assertThat(create(details).isCheckLockSyncedSlaves()).isFalse();
		assertThat(create(details).getSlavesSyncTimeout()).isEqualTo(700);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void scriptsAreSentByTheirHash(TestConnectionDetails details) {
		assertThat(create(details).isUseScriptCache()).isTrue();
		assertThat(create(details).getProtocol()).isEqualTo(Protocol.RESP2);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-",
			value = { "-, -, -, -", "-, secret, -, secret", "me, secret, me, secret", "'', secret, -, secret",
					"' ', secret, -, secret", "me, -, me, ''", "me, '', me, ''", "-, '', -, -", "'', '', -, -" })
	void credentialsAreThoseOfSpringBootsClients(@Nullable String username, @Nullable String password,
			@Nullable String sentUsername, @Nullable String sentPassword) {
		for (TestConnectionDetails details : EVERY_TOPOLOGY) {
			Config config = create(details.withCredentials(username, password));
			assertThat(config.getUsername()).isEqualTo(sentUsername);
			assertThat(config.getPassword()).isEqualTo(sentPassword);
		}
	}

	@Test
	void sentinelsHaveTheirOwnCredentials() {
		TestConnectionDetails details = TestConnectionDetails
			.sentinelAt("mymaster", 0, "guard", "sentinel-secret", new Node("a", 1))
			.withCredentials("me", "secret");
		assertThat(servers(details)).hasFieldOrPropertyWithValue("sentinelUsername", "guard")
			.hasFieldOrPropertyWithValue("sentinelPassword", "sentinel-secret");
		assertThat(create(details).getUsername()).isEqualTo("me");
		assertThat(create(details).getPassword()).isEqualTo("secret");
	}

	@Test
	void sentinelsHaveNoCredentialsUnlessSet() {
		assertThat(servers(SENTINEL.withCredentials("me", "secret")))
			.hasFieldOrPropertyWithValue("sentinelUsername", null)
			.hasFieldOrPropertyWithValue("sentinelPassword", null);
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void sslBundleGivesManagersCiphersAndProtocols(TestConnectionDetails details) {
		SslManagerBundle managers = mock(SslManagerBundle.class);
		KeyManagerFactory keys = mock(KeyManagerFactory.class);
		TrustManagerFactory trust = mock(TrustManagerFactory.class);
		given(managers.getKeyManagerFactory()).willReturn(keys);
		given(managers.getTrustManagerFactory()).willReturn(trust);
		SslOptions options = SslOptions.of(Set.of("TLS_AES_128_GCM_SHA256"), Set.of("TLSv1.3"));
		Config config = create(details.withSslBundle(SslBundle.of(SslStoreBundle.NONE, null, options, null, managers)));
		assertThat(config.getSslKeyManagerFactory()).isSameAs(keys);
		assertThat(config.getSslTrustManagerFactory()).isSameAs(trust);
		assertThat(config.getSslCiphers()).containsExactly("TLS_AES_128_GCM_SHA256");
		assertThat(config.getSslProtocols()).containsExactly("TLSv1.3");
	}

	@ParameterizedTest
	@FieldSource("EVERY_TOPOLOGY")
	void hostNamesAreVerified(TestConnectionDetails details) {
		assertThat(create(details.withSslBundle(SslBundle.systemDefault())).getSslVerificationMode())
			.isEqualTo(SslVerificationMode.STRICT);
	}

	private Config create(TestConnectionDetails details) {
		return new RedissonConfigFactory(details, this.properties, this.settings)
			.create(RedisLocation.of(details, null));
	}

	private Object servers(TestConnectionDetails details) {
		String field = switch (RedisLocation.of(details, null).topology()) {
			case STANDALONE -> "singleServerConfig";
			case SENTINEL -> "sentinelServersConfig";
			case CLUSTER -> "clusterServersConfig";
			case MASTER_REPLICA -> "replicatedServersConfig";
		};
		return servers(details, field);
	}

	private Object servers(TestConnectionDetails details, String field) {
		return assertThat(create(details)).extracting(field).isNotNull().actual();
	}

}
