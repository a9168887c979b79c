package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.EqualJitterDelay;
import org.redisson.config.ReadMode;
import org.redisson.config.SentinelServersConfig;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Builds the {@link Config} of a Redisson client, from the connection details and, for
 * settings that these do not carry, from the properties.
 */
record RedissonConfigFactory(DataRedisConnectionDetails details, DataRedisProperties properties,
		RedelayRedissonProperties settings) {

	/**
	 * How long to wait for the answer to a command without
	 * {@code spring.data.redis.timeout}.
	 */
	static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * How long to wait for a connection without
	 * {@code spring.data.redis.connect-timeout}. Redisson's 10 seconds would be spent by
	 * each of five attempts at start, and by a lost subscription on a host that drops
	 * packets.
	 */
	static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * How often to ask a cluster which node has which slots, without
	 * {@code spring.data.redis.lettuce.cluster.refresh.period}. Nothing else shows that a
	 * replica took a dead master's place, so Redisson's 5 seconds would come on top of
	 * each failover.
	 */
	static final Duration DEFAULT_CLUSTER_REFRESH = Duration.ofSeconds(1);

	/**
	 * How often a connection is probed. A connection that died in silence, and with it a
	 * subscription, is noticed within two intervals: Redisson's 30 seconds are long.
	 */
	static final Duration PING_INTERVAL = Duration.ofSeconds(10);

	/**
	 * Bounds of the pause between attempts to reconnect. Redisson's pauses grow to 10
	 * seconds, which a lost subscription would wait after Redis is back.
	 */
	static final EqualJitterDelay RECONNECTION_DELAY = new EqualJitterDelay(Duration.ofMillis(100),
			Duration.ofSeconds(1));

	/**
	 * How many channels share a connection. A contended lock name takes a channel, and
	 * with Redisson's 5 on each of 50 connections the 251st is refused as busy.
	 */
	static final int SUBSCRIPTIONS_PER_CONNECTION = 100;

	Config create(RedisLocation location) {
		Config config = new Config();
		config.setThreads(this.settings.threads());
		config.setNettyThreads(this.settings.nettyThreads());
		config.setLazyInitialization(this.settings.lazyInitialization());
		config.setCheckLockSyncedSlaves(this.settings.checkSyncedReplicas());
		config.setSlavesSyncTimeout(this.settings.replicaSyncTimeout().toMillis());
		applyCredentials(config);
		applySslBundle(config);
		switch (location.topology()) {
			case STANDALONE -> useStandalone(config, location.addresses());
			case SENTINEL -> useSentinel(config, location.addresses());
			case CLUSTER -> useCluster(config, location.addresses());
			case MASTER_REPLICA -> useMasterReplica(config, location.addresses());
		}
		return config;
	}

	private void applyCredentials(Config config) {
		Credentials credentials = Credentials.of(this.details.getUsername(), this.details.getPassword());
		config.setUsername(credentials.username());
		config.setPassword(credentials.password());
	}

	private void applySslBundle(Config config) {
		SslBundle bundle = this.details.getSslBundle();
		if (bundle == null) {
			return;
		}
		config.setSslKeyManagerFactory(bundle.getManagers().getKeyManagerFactory());
		config.setSslTrustManagerFactory(bundle.getManagers().getTrustManagerFactory());
		SslOptions options = bundle.getOptions();
		config.setSslCiphers(options.getCiphers());
		config.setSslProtocols(options.getEnabledProtocols());
	}

	private void useStandalone(Config config, List<String> addresses) {
		Standalone standalone = this.details.getStandalone();
		Assert.state(standalone != null, "'standalone' must not be null");
		applyCommon(config.useSingleServer()).setAddress(addresses.get(0))
			.setDatabase(standalone.getDatabase())
			.setConnectionPoolSize(this.settings.connectionPoolSize())
			.setConnectionMinimumIdleSize(this.settings.connectionMinimumIdleSize());
	}

	private void useSentinel(Config config, List<String> addresses) {
		Sentinel sentinel = this.details.getSentinel();
		Assert.state(sentinel != null, "'sentinel' must not be null");
		SentinelServersConfig servers = applyReplicated(config.useSentinelServers())
			.addSentinelAddress(addresses.toArray(String[]::new))
			.setMasterName(sentinel.getMaster())
			.setDatabase(sentinel.getDatabase())
			// Redisson would refuse a single sentinel, with which Spring Boot works.
			.setCheckSentinelsList(false);
		Credentials credentials = Credentials.of(sentinel.getUsername(), sentinel.getPassword());
		servers.setSentinelUsername(credentials.username());
		servers.setSentinelPassword(credentials.password());
		if (credentials.password() != null && config.getPassword() == null) {
			// Redisson logs in to sentinels only if it has a password for the nodes too.
			// Nodes that need none let their default user in with any.
			config.setUsername("default");
			config.setPassword("none");
		}
	}

	private void useCluster(Config config, List<String> addresses) {
		Duration refresh = this.properties.getLettuce().getCluster().getRefresh().getPeriod();
		var servers = applyReplicated(config.useClusterServers()).addNodeAddress(addresses.toArray(String[]::new));
		servers.setScanInterval(millis(refresh, DEFAULT_CLUSTER_REFRESH));
	}

	private void useMasterReplica(Config config, List<String> addresses) {
		// Not Redisson's master-slave mode, which needs the master to be configured and
		// does not notice when another node takes its place.
		applyReplicated(config.useReplicatedServers()).addNodeAddress(addresses.toArray(String[]::new));
	}

	private <T extends BaseMasterSlaveServersConfig<T>> T applyReplicated(T servers) {
		// Scripts write, and reads must be fresh. So replicas get no connection.
		return applyCommon(servers).setReadMode(ReadMode.MASTER)
			.setMasterConnectionPoolSize(this.settings.connectionPoolSize())
			.setMasterConnectionMinimumIdleSize(this.settings.connectionMinimumIdleSize());
	}

	private <T extends BaseConfig<T>> T applyCommon(T servers) {
		if (StringUtils.hasText(this.properties.getClientName())) {
			servers.setClientName(this.properties.getClientName());
		}
		return servers.setTimeout(millis(this.properties.getTimeout(), DEFAULT_TIMEOUT))
			.setConnectTimeout(millis(this.properties.getConnectTimeout(), DEFAULT_CONNECT_TIMEOUT))
			.setPingConnectionInterval((int) PING_INTERVAL.toMillis())
			.setReconnectionDelay(RECONNECTION_DELAY)
			.setSubscriptionsPerConnection(SUBSCRIPTIONS_PER_CONNECTION);
	}

	/**
	 * Returns milliseconds as Redisson takes them: it has no value for "for ever", so
	 * zero, which means that to other clients, gives the default.
	 */
	private static int millis(@Nullable Duration duration, Duration defaultDuration) {
		if (duration == null || duration.isZero() || duration.isNegative()) {
			return (int) defaultDuration.toMillis();
		}
		return (duration.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) < 0) ? Math.max(1, (int) duration.toMillis())
				: Integer.MAX_VALUE;
	}

	/**
	 * A user name and a password that Redisson sends as Spring Boot's clients do: a
	 * password alone is the default user's, a user name alone has the empty password.
	 */
	private record Credentials(@Nullable String username, @Nullable String password) {

		static Credentials of(@Nullable String username, @Nullable String password) {
			boolean hasUsername = StringUtils.hasText(username);
			boolean hasPassword = StringUtils.hasLength(password);
			return new Credentials(hasUsername ? username : null, hasPassword ? password : hasUsername ? "" : null);
		}

	}

}
