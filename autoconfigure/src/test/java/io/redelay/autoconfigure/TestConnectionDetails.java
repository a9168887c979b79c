package io.redelay.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * {@link DataRedisConnectionDetails} as a bean of the application could be.
 */
record TestConnectionDetails(@Nullable String username, @Nullable String password, @Nullable SslBundle bundle,
		@Nullable Standalone standalone, @Nullable Sentinel sentinel, @Nullable Cluster cluster,
		@Nullable MasterReplica masterReplica) implements DataRedisConnectionDetails {

	static TestConnectionDetails standaloneAt(String host, int port) {
		return standaloneAt(host, port, 0);
	}

	static TestConnectionDetails standaloneAt(String host, int port, int database) {
		return new TestConnectionDetails(null, null, null, Standalone.of(host, port, database), null, null, null);
	}

	static TestConnectionDetails sentinelAt(String master, int database, Node... nodes) {
		return sentinelAt(master, database, null, null, nodes);
	}

	static TestConnectionDetails sentinelAt(String master, int database, @Nullable String username,
			@Nullable String password, Node... nodes) {
		Sentinel sentinel = new TestSentinel(database, master, List.of(nodes), username, password);
		return new TestConnectionDetails(null, null, null, null, sentinel, null, null);
	}

	static TestConnectionDetails clusterAt(Node... nodes) {
		return new TestConnectionDetails(null, null, null, null, null, () -> List.of(nodes), null);
	}

	static TestConnectionDetails masterReplicaAt(Node... nodes) {
		return new TestConnectionDetails(null, null, null, null, null, null, () -> List.of(nodes));
	}

	TestConnectionDetails withCredentials(@Nullable String newUsername, @Nullable String newPassword) {
		return new TestConnectionDetails(newUsername, newPassword, this.bundle, this.standalone, this.sentinel,
				this.cluster, this.masterReplica);
	}

	TestConnectionDetails withSslBundle(@Nullable SslBundle newBundle) {
		return new TestConnectionDetails(this.username, this.password, newBundle, this.standalone, this.sentinel,
				this.cluster, this.masterReplica);
	}

	@Override
	public @Nullable String getUsername() {
		return this.username;
	}

	@Override
	public @Nullable String getPassword() {
		return this.password;
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.bundle;
	}

	@Override
	public @Nullable Standalone getStandalone() {
		return this.standalone;
	}

	@Override
	public @Nullable Sentinel getSentinel() {
		return this.sentinel;
	}

	@Override
	public @Nullable Cluster getCluster() {
		return this.cluster;
	}

	@Override
	public @Nullable MasterReplica getMasterReplica() {
		return this.masterReplica;
	}

	private record TestSentinel(int database, String master, List<Node> nodes, @Nullable String username,
			@Nullable String password) implements Sentinel {

		@Override
		public int getDatabase() {
			return this.database;
		}

		@Override
		public String getMaster() {
			return this.master;
		}

		@Override
		public List<Node> getNodes() {
			return this.nodes;
		}

		@Override
		public @Nullable String getUsername() {
			return this.username;
		}

		@Override
		public @Nullable String getPassword() {
			return this.password;
		}

	}

}
