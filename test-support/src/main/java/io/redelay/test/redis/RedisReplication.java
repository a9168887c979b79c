package io.redelay.test.redis;

import java.util.ArrayList;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A master and the replicas that follow it.
 *
 * @since 0.1.0
 */
public final class RedisReplication implements AutoCloseable {

	private final ServerGroup group;

	private final RedisServer master;

	private final List<RedisServer> replicas;

	private RedisReplication(ServerGroup group, RedisServer master, List<RedisServer> replicas) {
		this.group = group;
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
		this.group.close();
	}

	/**
	 * Configures the servers, and starts them.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder extends ServerGroupBuilder<Builder, RedisReplication> {

		private int replicas = 1;

		private @Nullable String password;

		private Builder() {
		}

		/**
		 * Sets how many replicas there are.
		 * @param replicas the number, 1 by default
		 * @return this builder
		 */
		public Builder replicas(int replicas) {
			this.replicas = atLeast(0, "replicas", replicas);
			return this;
		}

		/**
		 * Requires a password from clients and replicas.
		 * @param password the default user's password
		 * @return this builder
		 */
		public Builder password(String password) {
			this.password = password;
			return this;
		}

		@Override
		RedisReplication start(ServerGroup group) {
			RedisServer master = group.start(server());
			String replicaOf = "replicaof %s %d".formatted(master.host(), master.port());
			List<RedisServer> replicas = new ArrayList<>();
			for (int i = 0; i < this.replicas; i++) {
				replicas.add(group.start(server().config(replicaOf)));
			}
			group.awaitReplication(replicas);
			return new RedisReplication(group, master, replicas);
		}

		private RedisServer.Builder server() {
			return (this.password != null) ? dataServer().password(this.password) : dataServer();
		}

		@Override
		Builder self() {
			return this;
		}

	}

}
