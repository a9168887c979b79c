package io.redelay.test.redis;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;

/**
 * A slot of a cluster on its way from one master to another, while clients use it.
 *
 * @since 0.1.0
 */
public final class SlotMove {

	private static final String TIMEOUT = "10000";

	private final String slot;

	private final RedisServer source;

	private final RedisServer target;

	private final Supplier<List<RedisServer>> masters;

	private SlotMove(String slot, RedisServer source, RedisServer target, Supplier<List<RedisServer>> masters) {
		this.slot = slot;
		this.source = source;
		this.target = target;
		this.masters = masters;
	}

	static SlotMove begin(long slot, RedisServer source, RedisServer target, Supplier<List<RedisServer>> masters) {
		SlotMove move = new SlotMove(String.valueOf(slot), source, target, masters);
		target.command("CLUSTER", "SETSLOT", move.slot, "IMPORTING", id(source));
		source.command("CLUSTER", "SETSLOT", move.slot, "MIGRATING", id(target));
		return move;
	}

	/**
	 * Returns the master that gives the slot away.
	 * @return one of the cluster's nodes
	 */
	public RedisServer source() {
		return this.source;
	}

	/**
	 * Returns the master that gets the slot.
	 * @return one of the cluster's nodes
	 */
	public RedisServer target() {
		return this.target;
	}

	/**
	 * Moves one key, if there is one left.
	 * @return whether there was one
	 */
	public boolean moveKey() {
		List<?> keys = (List<?>) this.source.command("CLUSTER", "GETKEYSINSLOT", this.slot, "1");
		if (keys == null || keys.isEmpty()) {
			return false;
		}
		this.source.command("MIGRATE", this.target.host(), String.valueOf(this.target.port()),
				String.valueOf(keys.get(0)), "0", TIMEOUT);
		return true;
	}

	/**
	 * Moves the keys that are left, and announces the slot's new place to all masters,
	 * the new one first.
	 */
	public void finish() {
		while (moveKey()) {
			// One more is there.
		}
		String owner = id(this.target);
		Stream.concat(Stream.of(this.target, this.source), this.masters.get().stream())
			.distinct()
			.forEach((master) -> master.command("CLUSTER", "SETSLOT", this.slot, "NODE", owner));
	}

	private static String id(RedisServer node) {
		return String.valueOf(node.command("CLUSTER", "MYID"));
	}

}
