package io.redelay.guard;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.client.RedisException;

/**
 * What a server tells of itself.
 *
 * @param address where it is
 * @param info its {@code INFO}
 * @param snapshots the setting {@code save}, or {@code null} if the server does not tell
 */
record ServerFacts(String address, Map<String, String> info, @Nullable String snapshots) {

	private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

	private static final int OLDEST_MAJOR = 6;

	private static final int OLDEST_MINOR = 2;

	/**
	 * Asks a server. One that keeps {@code CONFIG} to itself, as managed ones do, is
	 * asked for the rest.
	 * @throws RedisException if it does not tell its {@code INFO}
	 */
	static ServerFacts of(RedisNode node) {
		Map<String, String> info = new HashMap<>(node.info(RedisNode.InfoSection.SERVER));
		info.putAll(node.info(RedisNode.InfoSection.MEMORY));
		info.putAll(node.info(RedisNode.InfoSection.PERSISTENCE));
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

	@Nullable String evictionPolicy() {
		return this.info.get("maxmemory_policy");
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
	 * Returns what the server is if queues and locks do not work there, or {@code null}
	 * if they do.
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
