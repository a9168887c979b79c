package io.redelay.autoconfigure;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.util.Assert;

/**
 * The location of a Redis: its nodes, their topology, and whether TLS is used.
 *
 * @param topology the topology
 * @param nodes the nodes as {@code host:port}
 * @param tls whether the connections use TLS
 * @since 0.1.0
 */
record RedisLocation(Topology topology, List<String> nodes, boolean tls) implements Serializable {

	private static final int DEFAULT_PORT = 6379;

	public RedisLocation {
		Assert.notEmpty(nodes, () -> "'nodes' of a " + topology.label() + " Redis must not be empty");
		nodes = List.copyOf(nodes);
	}

	/**
	 * Returns the location that connection details and a URL describe. The URL decides
	 * about TLS only, as it does for the clients that Spring Boot configures: connection
	 * details do not carry its scheme.
	 * @param details the connection details
	 * @param url the value of {@code spring.data.redis.url}
	 * @return the location
	 */
	static RedisLocation of(DataRedisConnectionDetails details, @Nullable String url) {
		boolean tls = details.getSslBundle() != null || isTlsUrl(url);
		if (details.getSentinel() != null) {
			return new RedisLocation(Topology.SENTINEL, hostsAndPorts(details.getSentinel().getNodes()), tls);
		}
		if (details.getCluster() != null) {
			return new RedisLocation(Topology.CLUSTER, hostsAndPorts(details.getCluster().getNodes()), tls);
		}
		if (details.getMasterReplica() != null) {
			return new RedisLocation(Topology.MASTER_REPLICA, hostsAndPorts(details.getMasterReplica().getNodes()),
					tls);
		}
		Standalone standalone = details.getStandalone();
		Assert.state(standalone != null, "'details' must have a standalone, sentinel, cluster or master-replica Redis");
		return new RedisLocation(Topology.STANDALONE, List.of(hostAndPort(standalone.getHost(), standalone.getPort())),
				tls);
	}

	/**
	 * Returns the addresses of the nodes as Redisson reads them.
	 * @return the nodes with a scheme
	 */
	List<String> addresses() {
		return this.nodes.stream().map((node) -> (this.tls ? "rediss://" : "redis://") + node).toList();
	}

	@Override
	public String toString() {
		return "%s (%s%s)".formatted(String.join(", ", this.nodes), this.topology.label(), this.tls ? ", TLS" : "");
	}

	private static boolean isTlsUrl(@Nullable String url) {
		return url != null && url.strip().toLowerCase(Locale.ROOT).startsWith("rediss:");
	}

	private static List<String> hostsAndPorts(List<Node> nodes) {
		return nodes.stream().map((node) -> hostAndPort(node.host(), node.port())).toList();
	}

	private static String hostAndPort(@Nullable String host, int port) {
		Assert.hasText(host, "'host' of a Redis node must not be empty");
		// Redisson would take the scheme for the host, and "rediss" for plain text.
		Assert.isTrue(!host.contains("/"), "'host' of a Redis node must be a host name or an address, not a URL: "
				+ "give a URL in 'spring.data.redis.url', or ask for TLS by 'spring.data.redis.ssl.enabled'");
		boolean bareIpv6 = host.indexOf(':') != -1 && !host.startsWith("[");
		// A URL without a port has -1.
		return (bareIpv6 ? "[" + host + "]" : host) + ":" + ((port != -1) ? port : DEFAULT_PORT);
	}

	/**
	 * The topologies of a Redis.
	 *
	 * @since 0.1.0
	 */
	public enum Topology {

		/**
		 * One node.
		 */
		STANDALONE,

		/**
		 * Sentinels that know which node is the master.
		 */
		SENTINEL,

		/**
		 * A cluster, bootstrapped from some of its nodes.
		 */
		CLUSTER,

		/**
		 * A fixed list of nodes, one of them the master.
		 */
		MASTER_REPLICA;

		private String label() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
