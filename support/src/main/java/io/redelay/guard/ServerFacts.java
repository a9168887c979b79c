package io.redelay.guard;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/**
 * The facts that a server reports about itself.
 *
 * @param address where it is
 * @param info its {@code INFO}
 * @param snapshots the setting {@code save}, or {@code null} if the server does not
 * reveal it
 */
record ServerFacts(String address, Map<String, String> info, @Nullable String snapshots) {

	private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

	private static final int OLDEST_MAJOR = 6;

	private static final int OLDEST_MINOR = 2;

	/**
	 * Returns the masters that a client is connected to.
	 */
	static Collection<? extends RedisNode> masters(RedissonClient redisson) {
		Config config = redisson.getConfig();
		if (config.isClusterConfig()) {
			return redisson.getRedisNodes(RedisNodes.CLUSTER).getMasters();
		}
		if (config.isSingleConfig()) {
			return List.of(redisson.getRedisNodes(RedisNodes.SINGLE).getInstance());
		}
		RedisNode master = config.isSentinelConfig()
				? redisson.getRedisNodes(RedisNodes.SENTINEL_MASTER_SLAVE).getMaster()
				: redisson.getRedisNodes(RedisNodes.MASTER_SLAVE).getMaster();
		return (master != null) ? List.of(master) : List.of();
	}

	/**
	 * Reads the facts of a server. From one that refuses {@code CONFIG}, as managed ones
	 * do, only the rest is read.
	 * @throws RedisException if it does not reply to {@code INFO}
	 */
	static ServerFacts of(RedisNode node) {
		Map<String, String> info = new HashMap<>(node.info(RedisNode.InfoSection.SERVER));
		info.putAll(node.info(RedisNode.InfoSection.MEMORY));
		info.putAll(node.info(RedisNode.InfoSection.PERSISTENCE));
		info.putAll(node.info(RedisNode.InfoSection.REPLICATION));
		return new ServerFacts(node.getAddr().getHostString() + ":" + node.getAddr().getPort(), info, snapshots(node));
	}

	private static @Nullable String snapshots(RedisNode node) {
		try {
			return node.getConfig("save").get("save");
		}
		catch (RedisException ex) {
			return null;
		}
	}

	/**
	 * Returns {@code master}, or {@code slave} if it has a master itself.
	 */
	String role() {
		return this.info.getOrDefault("role", "master");
	}

	@Nullable String evictionPolicy() {
		return this.info.get("maxmemory_policy");
	}

	/**
	 * Returns whether keys vanish when the memory is full.
	 */
	boolean evicts() {
		String policy = evictionPolicy();
		return policy != null && !policy.equals("noeviction");
	}

	/**
	 * Returns whether any key may vanish when the memory is full, so that there is always
	 * room for others.
	 */
	boolean evictsAnyKey() {
		String policy = evictionPolicy();
		return policy != null && policy.startsWith("allkeys-");
	}

	Finding evicting(GuardLevel level) {
		return new Finding(
				level, "Redis at " + this.address + " evicts keys when its memory is full, by the policy '"
						+ evictionPolicy() + "': messages and locks vanish without a trace.",
				"Set 'maxmemory-policy noeviction' there.");
	}

	Finding forgetful(GuardLevel level) {
		return new Finding(level,
				"Redis at " + this.address + " writes nothing to its disk: a restart loses all messages.",
				"Set 'appendonly yes' there, or 'redelay.guard.persistence=off' if messages may be lost, as in tests.");
	}

	/**
	 * Returns the kind of data that the server failed to write to its disk last, or
	 * {@code null} if nothing failed.
	 */
	@Nullable String failedWrite() {
		if (!"ok".equals(this.info.getOrDefault("rdb_last_bgsave_status", "ok"))) {
			return "its last snapshot";
		}
		if ("1".equals(this.info.get("aof_enabled"))
				&& (!"ok".equals(this.info.getOrDefault("aof_last_write_status", "ok"))
						|| !"ok".equals(this.info.getOrDefault("aof_last_bgrewrite_status", "ok")))) {
			return "its append-only file";
		}
		return null;
	}

	/**
	 * Returns how much memory its data has, in bytes.
	 */
	long usedMemory() {
		return bytes("used_memory");
	}

	/**
	 * Returns how much memory counts against its limit, in bytes: buffers of replicas and
	 * of the append-only file do not.
	 */
	long countedMemory() {
		return usedMemory() - bytes("mem_not_counted_for_evict");
	}

	/**
	 * Returns how much memory it may use, in bytes: its limit, or else the memory of its
	 * machine; 0 if neither is known.
	 */
	long memory() {
		long limit = bytes("maxmemory");
		return (limit > 0) ? limit : bytes("total_system_memory");
	}

	boolean isLimited() {
		return bytes("maxmemory") > 0;
	}

	private long bytes(String name) {
		try {
			return Long.parseLong(this.info.getOrDefault(name, "0"));
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	/**
	 * Returns whether the data is written to a disk, or {@code null} if that is not
	 * known.
	 */
	@Nullable Boolean isPersistent() {
		if ("1".equals(this.info.get("aof_enabled"))) {
			return true;
		}
		return (this.snapshots != null) ? !this.snapshots.isBlank() : null;
	}

	/**
	 * Returns the kind of the server if queues and locks do not work there, or
	 * {@code null} if they do.
	 */
	@Nullable String unsupportedVersion() {
		if (this.info.containsKey("dragonfly_version")) {
			return "Dragonfly " + this.info.get("dragonfly_version");
		}
		String version = this.info.getOrDefault("redis_version", "");
		Matcher numbers = VERSION.matcher(version);
		if (!numbers.matches()) {
			return null;
		}
		int major = Integer.parseInt(numbers.group(1));
		int minor = Integer.parseInt(numbers.group(2));
		boolean old = major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
		return old ? "Redis " + version : null;
	}

}
