package io.redelay.test.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A Redis cluster whose masters share the slots evenly.
 *
 * @since 0.1.0
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16_384;

	private final ServerGroup group;

	private final List<RedisServer> nodes;

	private RedisCluster(ServerGroup group, List<RedisServer> nodes) {
		this.group = group;
		this.nodes = List.copyOf(nodes);
	}

	/**
	 * Returns a builder of a cluster of three masters with a replica each.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns all nodes, those that were started as masters before the others.
	 * @return the nodes
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * Returns the node that is the master of a key's slot now.
	 * @param key a key, with a hash tag or without
	 * @return the node that serves it
	 */
	public RedisServer masterOf(String key) {
		RedisServer running = ServerGroup.anyRunning("node", this.nodes);
		long slot = number(running.command("CLUSTER", "KEYSLOT", key));
		return elements(running.command("CLUSTER", "SLOTS")).map((range) -> elements(range).toList())
			.filter((range) -> number(range.get(0)) <= slot && slot <= number(range.get(1)))
			.map((range) -> number(elements(range.get(2)).toList().get(1)))
			.flatMap((port) -> this.nodes.stream().filter((node) -> node.port() == port))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No node serves slot %d of key '%s'".formatted(slot, key)));
	}

	/**
	 * Returns the first node that is a replica of a master now.
	 * @param master a node
	 * @return a replica that runs
	 */
	public RedisServer replicaOf(RedisServer master) {
		String follows = "master_port:%d\r\n".formatted(master.port());
		return this.nodes.stream()
			.filter((node) -> node != master && node.isRunning())
			.filter((node) -> String.valueOf(node.command("INFO", "replication")).contains(follows))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No node that runs is a replica of %s".formatted(master)));
	}

	/**
	 * Returns the nodes that are masters now.
	 * @return the running nodes that have slots
	 */
	public List<RedisServer> masters() {
		RedisServer running = ServerGroup.anyRunning("node", this.nodes);
		List<Long> ports = elements(running.command("CLUSTER", "SLOTS")).map((range) -> elements(range).toList())
			.map((range) -> number(elements(range.get(2)).toList().get(1)))
			.distinct()
			.toList();
		return this.nodes.stream().filter((node) -> ports.contains((long) node.port())).toList();
	}

	/**
	 * Begins to move the slot of a key to another master. Until the move is finished, the
	 * slot's keys are at either of the two, and the masters redirect clients.
	 * @param key a key, with a hash tag or without
	 * @param target the master that gets the slot
	 * @return the move, to be continued
	 */
	public SlotMove beginMove(String key, RedisServer target) {
		RedisServer source = masterOf(key);
		return SlotMove.begin(number(source.command("CLUSTER", "KEYSLOT", key)), source, target, this::masters);
	}

	/**
	 * Returns whether every running node reports that all slots are served.
	 * @return whether the cluster can be used
	 */
	public boolean isOk() {
		return this.nodes.stream().filter(RedisServer::isRunning).allMatch(RedisCluster::seesAllSlots);
	}

	@Override
	public void close() {
		this.group.close();
	}

	private static boolean seesAllSlots(RedisServer node) {
		String info = info(node);
		return info.contains("cluster_state:ok\r\n") && info.contains("cluster_slots_ok:%d\r\n".formatted(SLOTS));
	}

	private static String info(RedisServer node) {
		return String.valueOf(node.command("CLUSTER", "INFO"));
	}

	private static Stream<?> elements(@Nullable Object reply) {
		return (reply instanceof List<?> list) ? list.stream() : Stream.empty();
	}

	private static long number(@Nullable Object reply) {
		return (reply instanceof Long number) ? number : -1;
	}

	/**
	 * Configures the cluster, and starts it.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder extends ServerGroupBuilder<Builder, RedisCluster> {

		private int masters = 3;

		private int replicasPerMaster = 1;

		private Duration nodeTimeout = Duration.ofSeconds(3);

		private Builder() {
		}

		/**
		 * Sets how many masters there are.
		 * @param masters the number, 3 by default; with fewer no replica can take over
		 * @return this builder
		 */
		public Builder masters(int masters) {
			this.masters = atLeast(1, "masters", masters);
			return this;
		}

		/**
		 * Sets how many replicas each master has.
		 * @param replicasPerMaster the number, 1 by default
		 * @return this builder
		 */
		public Builder replicasPerMaster(int replicasPerMaster) {
			this.replicasPerMaster = atLeast(0, "replicasPerMaster", replicasPerMaster);
			return this;
		}

		/**
		 * Sets for how long a node must be silent to be taken for dead.
		 * @param nodeTimeout the time, 3 seconds by default
		 * @return this builder
		 */
		public Builder nodeTimeout(Duration nodeTimeout) {
			this.nodeTimeout = nodeTimeout;
			return this;
		}

		@Override
		RedisCluster start(ServerGroup group) {
			List<RedisServer> nodes = IntStream.range(0, this.masters * (1 + this.replicasPerMaster))
				.mapToObj((i) -> group.start(node()))
				.toList();
			List<RedisServer> replicas = nodes.subList(this.masters, nodes.size());
			assignSlots(nodes);
			meet(nodes);
			group.await("nodes know each other", () -> nodes.stream().allMatch((node) -> knows(node, nodes.size())));
			group.await("replicas accept their master",
					() -> replicas.stream().allMatch((node) -> follows(node, masterFor(node, nodes))));
			RedisCluster cluster = new RedisCluster(group, nodes);
			group.await("the cluster serves all slots", cluster::isOk);
			group.awaitReplication(replicas);
			return cluster;
		}

		private RedisServer.Builder node() {
			return dataServer().config("cluster-enabled yes",
					"cluster-node-timeout %d".formatted(this.nodeTimeout.toMillis()));
		}

		@Override
		Builder self() {
			return this;
		}

		/**
		 * Each pair is introduced, which is quicker than to wait for gossip.
		 */
		private static void meet(List<RedisServer> nodes) {
			for (int i = 0; i < nodes.size(); i++) {
				for (RedisServer other : nodes.subList(i + 1, nodes.size())) {
					nodes.get(i).command("CLUSTER", "MEET", other.host(), String.valueOf(other.port()));
				}
			}
		}

		/**
		 * Slot by slot, as Redis 6.2 knows no ranges.
		 */
		private void assignSlots(List<RedisServer> nodes) {
			for (int i = 0; i < this.masters; i++) {
				Stream<String> slots = IntStream.range(SLOTS * i / this.masters, SLOTS * (i + 1) / this.masters)
					.mapToObj(String::valueOf);
				nodes.get(i).command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
				nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
			}
		}

		private RedisServer masterFor(RedisServer replica, List<RedisServer> nodes) {
			return nodes.get(nodes.indexOf(replica) % this.masters);
		}

		private static boolean knows(RedisServer node, int size) {
			return info(node).contains("cluster_known_nodes:%d\r\n".formatted(size))
					&& !String.valueOf(node.command("CLUSTER", "NODES")).contains("handshake");
		}

		private static boolean follows(RedisServer replica, RedisServer master) {
			try {
				replica.command("CLUSTER", "REPLICATE", String.valueOf(master.command("CLUSTER", "MYID")));
				return true;
			}
			catch (RedisErrorException ex) {
				// It has not heard of its master, or not of the master's slots, yet.
				return false;
			}
		}

	}

}
