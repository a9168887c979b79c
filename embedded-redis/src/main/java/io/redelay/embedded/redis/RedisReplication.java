package io.redelay.embedded.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A master and its replicas, for tests.
 *
 * @since 0.1.0
 */
public final class RedisReplication implements AutoCloseable {

	private final RedisServer master;

	private final List<RedisServer> replicas;

	private RedisReplication(RedisServer master, List<RedisServer> replicas) {
		this.master = master;
		this.replicas = List.copyOf(replicas);
	}

	/**
	 * Returns a builder of a master with one replica.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the server that was started as the master.
	 * @return the first master
	 */
	public RedisServer master() {
		return this.master;
	}

	/**
	 * Returns the servers that were started as replicas.
	 * @return the first replicas
	 */
	public List<RedisServer> replicas() {
		return this.replicas;
	}

	/**
	 * Returns all servers, the first master before the others.
	 * @return all servers
	 */
	public List<RedisServer> servers() {
		List<RedisServer> servers = new ArrayList<>(List.of(this.master));
		servers.addAll(this.replicas);
		return servers;
	}

	@Override
	public void close() {
		ServerGroup.close(servers());
	}

	/**
	 * Says what the servers are to be like, and starts them.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private final List<String> lines = new ArrayList<>();

		private int replicas = 1;

		private @Nullable String password;

		private Duration startupTimeout = Duration.ofSeconds(60);

		private Builder() {
		}

		/**
		 * Sets how many replicas there are.
		 * @param replicas the number, 1 by default
		 * @return this builder
		 */
		public Builder replicas(int replicas) {
			this.replicas = ServerGroup.atLeast(0, "replicas", replicas);
			return this;
		}

		/**
		 * Asks clients, and replicas, for a password.
		 * @param password the default user's password
		 * @return this builder
		 */
		public Builder password(String password) {
			this.password = password;
			return this;
		}

		/**
		 * Adds lines to each server's redis.conf.
		 * @param lines lines such as {@code "min-replicas-to-write 1"}
		 * @return this builder
		 */
		public Builder config(String... lines) {
			this.lines.addAll(List.of(lines));
			return this;
		}

		/**
		 * Sets how long to wait until the replicas follow the master.
		 * @param startupTimeout the longest time to wait, 60 seconds by default
		 * @return this builder
		 */
		public Builder startupTimeout(Duration startupTimeout) {
			this.startupTimeout = startupTimeout;
			return this;
		}

		/**
		 * Starts the servers and waits until all replicas follow the master.
		 * @return running servers
		 * @throws RedisStartException if one does not start or follow
		 */
		public RedisReplication start() {
			Deadline deadline = new Deadline(this.startupTimeout);
			return ServerGroup.start((group) -> {
				RedisServer master = group.add(server());
				List<RedisServer> replicas = new ArrayList<>();
				for (int i = 0; i < this.replicas; i++) {
					replicas.add(group.add(server().config("replicaof %s %d".formatted(master.host(), master.port()))));
				}
				group.await(deadline, "replicas follow their master",
						() -> replicas.stream().allMatch(ServerGroup::followsItsMaster));
				return new RedisReplication(master, replicas);
			});
		}

		private RedisServer.Builder server() {
			RedisServer.Builder server = RedisServer.builder()
				.startupTimeout(this.startupTimeout)
				.config(ServerGroup.PROMPT_REPLICATION)
				.config(this.lines.toArray(String[]::new));
			return (this.password != null) ? server.password(this.password) : server;
		}

	}

}
