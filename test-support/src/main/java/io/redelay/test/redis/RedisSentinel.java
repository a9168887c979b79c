package io.redelay.test.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A master, its replicas, and the sentinels that make a replica the master when it fails.
 *
 * @since 0.1.0
 */
public final class RedisSentinel implements AutoCloseable {

	private final ServerGroup group;

	private final String masterName;

	private final RedisReplication replication;

	private final List<RedisServer> sentinels;

	private RedisSentinel(ServerGroup group, String masterName, RedisReplication replication,
			List<RedisServer> sentinels) {
		this.group = group;
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
		RedisServer sentinel = ServerGroup.anyRunning("sentinel", this.sentinels);
		List<?> address = (List<?>) sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", this.masterName);
		String port = (address != null) ? String.valueOf(address.get(1)) : "";
		return servers().stream()
			.filter((server) -> String.valueOf(server.port()).equals(port))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No server of ours is the master: %s".formatted(address)));
	}

	@Override
	public void close() {
		this.group.close();
	}

	/**
	 * Configures the servers, and starts them.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder extends ServerGroupBuilder<Builder, RedisSentinel> {

		private final RedisReplication.Builder replication = RedisReplication.builder();

		private String masterName = "mymaster";

		private int replicas = 1;

		private int sentinels = 3;

		private Duration downAfter = Duration.ofSeconds(1);

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
			this.replicas = atLeast(1, "replicas", replicas);
			return this;
		}

		/**
		 * Sets how many sentinels there are; most of them must agree on a failover.
		 * @param sentinels the number, 3 by default
		 * @return this builder
		 */
		public Builder sentinels(int sentinels) {
			this.sentinels = atLeast(1, "sentinels", sentinels);
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

		@Override
		public Builder config(String... lines) {
			this.replication.config(lines);
			return this;
		}

		@Override
		RedisSentinel start(ServerGroup group) {
			RedisReplication data = this.replication.replicas(this.replicas).start(group);
			List<RedisServer> started = new ArrayList<>();
			for (int i = 0; i < this.sentinels; i++) {
				started.add(group.start(sentinel(data.master())));
			}
			group.await("sentinels know each other and the replicas", () -> started.stream().allMatch(this::knowsAll));
			return new RedisSentinel(group, this.masterName, data, started);
		}

		private RedisServer.Builder sentinel(RedisServer master) {
			int quorum = this.sentinels / 2 + 1;
			return RedisServer.builder()
				.arguments("--sentinel")
				.config("sentinel monitor %s %s %d %d".formatted(this.masterName, master.host(), master.port(), quorum),
						"sentinel down-after-milliseconds %s %d".formatted(this.masterName, this.downAfter.toMillis()),
						"sentinel failover-timeout %s %d".formatted(this.masterName, this.downAfter.toMillis() * 10));
		}

		private boolean knowsAll(RedisServer sentinel) {
			return size(sentinel.command("SENTINEL", "SENTINELS", this.masterName)) == this.sentinels - 1
					&& size(sentinel.command("SENTINEL", "REPLICAS", this.masterName)) == this.replicas;
		}

		@Override
		Builder self() {
			return this;
		}

		private static int size(@Nullable Object reply) {
			return (reply instanceof List<?> list) ? list.size() : 0;
		}

	}

}
