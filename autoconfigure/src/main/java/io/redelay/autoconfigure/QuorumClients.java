package io.redelay.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.redisson.ClosedConnectionHook;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Creates the clients of the servers that hold locks together: one each, with few
 * threads, that fail at the end of the timeout instead of asking again.
 */
final class QuorumClients {

	private static final int DEFAULT_PORT = 6379;

	private QuorumClients() {
	}

	/**
	 * Creates the connectors for a list of addresses.
	 * @param addresses URLs such as {@code rediss://user:password@host:6379/0}
	 * @param timeout how long to wait for connections and answers
	 * @return the connectors, by host and port
	 */
	static Map<String, Supplier<RedissonClient>> of(List<String> addresses, Duration timeout) {
		Map<String, Supplier<RedissonClient>> clients = new LinkedHashMap<>();
		for (String address : addresses) {
			URI uri = uri(address);
			String server = uri.getHost() + ":" + ((uri.getPort() != -1) ? uri.getPort() : DEFAULT_PORT);
			Assert.isTrue(
					clients.put(server, () -> Redisson.create(config(uri, server, (int) timeout.toMillis()))) == null,
					() -> "'redelay.lock.quorum.addresses' must be of different servers, but " + server
							+ " is there twice");
		}
		return clients;
	}

	private static URI uri(String address) {
		URI uri = URI.create(address.strip());
		Assert.isTrue(uri.getHost() != null && ("redis".equals(uri.getScheme()) || "rediss".equals(uri.getScheme())),
				"'redelay.lock.quorum.addresses' must be URLs like redis://host:6379 or rediss://user:password@host:6379");
		return uri;
	}

	private static Config config(URI uri, String server, int timeoutMillis) {
		Config config = new Config().setThreads(1).setNettyThreads(1);
		config.useSingleServer()
			.setAddress(uri.getScheme() + "://" + server)
			.setDatabase(database(uri))
			.setTimeout(timeoutMillis)
			.setConnectTimeout(timeoutMillis)
			.setRetryAttempts(0)
			.setConnectionPoolSize(8)
			.setConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(0)
			.setSubscriptionConnectionPoolSize(1);
		String login = uri.getUserInfo();
		if (login != null) {
			int colon = login.indexOf(':');
			config.setUsername((colon > 0) ? login.substring(0, colon) : null);
			config.setPassword(login.substring(colon + 1));
		}
		ClosedConnectionHook.install(config);
		return config;
	}

	private static int database(URI uri) {
		String path = uri.getPath();
		return (StringUtils.hasText(path) && path.length() > 1) ? Integer.parseInt(path.substring(1)) : 0;
	}

}
