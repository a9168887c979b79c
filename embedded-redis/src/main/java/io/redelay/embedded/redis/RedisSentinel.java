package io.redelay.embedded.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A master, its replicas, and the sentinels that make a replica the master when it fails;
 * for tests.
 *
 * @since 0.1.0
 */
public final class RedisSentinel implements AutoCloseable {

	private final String masterName;

	private final RedisReplication replication;

	private final List<RedisServer> sentinels;

	private RedisSentinel(String masterName, RedisReplication replication, List<RedisServer> sentinels) {
		this.masterName = masterName;
		this.replication = replication;
		this.sentinels = List.copyOf(sentinels);
	}

	/**
	 * Returns a builder of a master with one replica and three sentinels.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the name by which sentinels know the master.
	 * @return the name
	 */
	public String masterName() {
		return this.masterName;
	}

	/**
	 * Returns the sentinels.
	 * @return the sentinels
	 */
	public List<RedisServer> sentinels() {
		return this.sentinels;
	}

	/**
	 * Returns the servers that hold the data, the first master before the others.
	 * @return the servers
	 */
	public List<RedisServer> servers() {
		return this.replication.servers();
	}

	/**
	 * Returns the server that the sentinels take for the master now.
	 * @return the master of the moment
	 */
	public RedisServer master() {
		RedisServer sentinel = this.sentinels.stream()
			.filter(RedisServer::isRunning)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No sentinel runs"));
		List<?> address = (List<?>) sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", this.masterName);
		String port = (address != null) ? String.valueOf(address.get(1)) : "";
		return servers().stream()
			.filter((server) -> String.valueOf(server.port()).equals(port))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No server of ours is the master: %s".formatted(address)));
	}

	@Override
	public void close() {
		ServerGroup.close(this.sentinels);
		this.replication.close();
	}

	/**
	 * Says what the servers are to be like, and starts them.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private final RedisReplication.Builder replication = RedisReplication.builder();

		private String masterName = "mymaster";

		private int replicas = 1;

		private int sentinels = 3;

		private Duration downAfter = Duration.ofSeconds(1);

		private Duration startupTimeout = Duration.ofSeconds(60);

		private Builder() {
		}

		/**
		 * Sets the name by which sentinels know the master.
		 * @param masterName the name, {@code mymaster} by default
		 * @return this builder
		 */
		public Builder masterName(String masterName) {
			this.masterName = masterName;
			return this;
		}

		/**
		 * Sets how many replicas there are.
		 * @param replicas the number, 1 by default
		 * @return this builder
		 */
		public Builder replicas(int replicas) {
			this.replicas = ServerGroup.atLeast(1, "replicas", replicas);
			return this;
		}

		/**
		 * Sets how many sentinels there are; most of them must agree on a failover.
		 * @param sentinels the number, 3 by default
		 * @return this builder
		 */
		public Builder sentinels(int sentinels) {
			this.sentinels = ServerGroup.atLeast(1, "sentinels", sentinels);
			return this;
		}

		/**
		 * Sets for how long a master must be silent to be taken for dead.
		 * @param downAfter the time, 1 second by default
		 * @return this builder
		 */
		public Builder downAfter(Duration downAfter) {
			this.downAfter = downAfter;
			return this;
		}

		/**
		 * Adds lines to the redis.conf of the servers that hold the data.
		 * @param lines lines such as {@code "maxmemory 5mb"}
		 * @return this builder
		 */
		public Builder config(String... lines) {
			this.replication.config(lines);
			return this;
		}

		/**
		 * Sets how long to wait until the sentinels know each other and the replicas.
		 * @param startupTimeout the longest time to wait, 60 seconds by default
		 * @return this builder
		 */
		public Builder startupTimeout(Duration startupTimeout) {
			this.startupTimeout = startupTimeout;
			return this;
		}

		/**
		 * Starts the servers and waits until a failover is possible.
		 * @return running servers
		 * @throws RedisStartException if one does not start, or they don't find each
		 * other
		 */
		public RedisSentinel start() {
			Deadline deadline = new Deadline(this.startupTimeout);
			RedisReplication data = this.replication.replicas(this.replicas)
				.startupTimeout(this.startupTimeout)
				.start();
			try {
				return ServerGroup.start((group) -> {
					List<RedisServer> started = new ArrayList<>();
					for (int i = 0; i < this.sentinels; i++) {
						started.add(group.add(sentinel(data.master())));
					}
					group.await(deadline, "sentinels know each other and the replicas",
							() -> started.stream().allMatch(this::knowsAll));
					return new RedisSentinel(this.masterName, data, started);
				});
			}
			catch (RuntimeException ex) {
				data.close();
				throw ex;
			}
		}

		private RedisServer.Builder sentinel(RedisServer master) {
			int quorum = this.sentinels / 2 + 1;
			return RedisServer.builder()
				.argument("--sentinel")
				.startupTimeout(this.startupTimeout)
				.config("sentinel monitor %s %s %d %d".formatted(this.masterName, master.host(), master.port(), quorum),
						"sentinel down-after-milliseconds %s %d".formatted(this.masterName, this.downAfter.toMillis()),
						"sentinel failover-timeout %s %d".formatted(this.masterName, this.downAfter.toMillis() * 10));
		}

		private boolean knowsAll(RedisServer sentinel) {
			return size(sentinel.command("SENTINEL", "SENTINELS", this.masterName)) == this.sentinels - 1
					&& size(sentinel.command("SENTINEL", "REPLICAS", this.masterName)) == this.replicas;
		}

		private static int size(@Nullable Object reply) {
			return (reply instanceof List<?> list) ? list.size() : 0;
		}

	}

}
