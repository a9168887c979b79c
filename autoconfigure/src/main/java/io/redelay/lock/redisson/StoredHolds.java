package io.redelay.lock.redisson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Reads from Redis who holds a lock.
 *
 * @since 0.1.0
 */
public final class StoredHolds {

	/**
	 * How many holders of a read lock are told at most.
	 */
	private static final int MAX_HOLDERS = 100;

	private static final String MODE = "mode";

	private static final String WRITING = ":write";

	private final RedissonClient redisson;

	/**
	 * Creates it.
	 * @param redisson the client
	 */
	public StoredHolds(RedissonClient redisson) {
		this.redisson = redisson;
	}

	/**
	 * Asks who holds a lock.
	 * @param key its key
	 * @return at most 100 holders
	 */
	public List<Hold> of(String key) {
		RMap<String, String> map = this.redisson.getMap(key, StringCodec.INSTANCE);
		long ttl = map.remainTimeToLive();
		if (ttl == -2) {
			return List.of();
		}
		List<Hold> holds = new ArrayList<>();
		for (Map.Entry<String, String> field : map.entrySet(MAX_HOLDERS)) {
			if (!field.getKey().equals(MODE) && holds.size() < MAX_HOLDERS) {
				holds.add(hold(field.getKey(), Duration.ofMillis(Math.max(0, ttl))));
			}
		}
		return holds;
	}

	private static Hold hold(String owner, Duration lease) {
		boolean writing = owner.endsWith(WRITING);
		String holder = writing ? owner.substring(0, owner.length() - WRITING.length()) : owner;
		int end = holder.lastIndexOf(':');
		return new Hold((end >= 0) ? holder.substring(0, end) : holder, writing, lease);
	}

	/**
	 * Who holds a lock.
	 *
	 * @param client by what the Redis client of the holder is known
	 * @param writing whether it holds the write lock of a pair
	 * @param lease how long the lease lasts yet
	 */
	public record Hold(String client, boolean writing, Duration lease) {

	}

}
