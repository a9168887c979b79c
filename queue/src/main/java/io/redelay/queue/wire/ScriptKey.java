package io.redelay.queue.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The keys that scripts name, see {@link LuaScripts}: those of a queue, and those that
 * the caller of a script names.
 */
public enum ScriptKey {

	MESSAGES, READY, SUSPECTS, SCHEDULED, HELD, LANES, TRIES, DEAD, DEAD_MESSAGES, IDS, SLEEPERS, META, CANCELLED,
	HISTORY, DEAD_IDS, PAST, EXPIRIES, KNOWN,

	// Those that a plain queue does not use.
	KEYS, ORDER, WAITING, SEATS, TURNS, WEIGHTS, BLOCKED, BUSY, RATES, BURSTS, GATES, DEDUP, DEDUP_EXPIRIES, OUTBOX,
	COMPLETED, COMPLETED_MESSAGES, WORK, TAGS, COMPLETED_TAGS,

	HANDED, BUNDLES, BUNDLES_CALLBACKS, BUNDLES_PENDING, BUNDLES_DUE, BUNDLES_EARLY, BUNDLES_RESULTS, IDEMPOTENT,
	IDEMPOTENT_RUNNING, IDEMPOTENT_OWNERS, RECURRING, STATS, STATS_DAY, STATS_MONTH, MARKS, REDRIVE, IDLE, FAR,
	FAR_CHUNKS,

	/**
	 * The inlet of a queue.
	 */
	INLET(Owner.OTHERS),

	// Of a topic, beside keys of the same names as those of a queue.
	GROUPS(Owner.TOPIC), LOG(Owner.TOPIC),

	/**
	 * The last request of a lane.
	 */
	SENT(Owner.CALLER),

	GROUP_KNOWN(Owner.CALLER), GROUP_LANES(Owner.CALLER), TOPIC_KNOWN(Owner.CALLER), SHARED_RATES(Owner.CALLER),
	SHARED_BURSTS(Owner.CALLER), SHARED_HELD(Owner.CALLER), SHARED_LINE(Owner.CALLER), NAMES(Owner.CALLER),
	PARTITIONS(Owner.CALLER), INSTANCE(Owner.CALLER), INSTANCES(Owner.CALLER), DECLARER(Owner.CALLER),
	JOBS(Owner.CALLER), EVENTS(Owner.CALLER), TURN(Owner.CALLER), PERMISSIONS(Owner.CALLER), WIRE(Owner.CALLER),
	TROUBLE(Owner.CALLER);

	private static final Map<String, ScriptKey> NAMED = Arrays.stream(values())
		.collect(Collectors.toUnmodifiableMap(ScriptKey::text, Function.identity()));

	private final Owner owner;

	ScriptKey() {
		this(Owner.QUEUE);
	}

	ScriptKey(Owner owner) {
		this.owner = owner;
	}

	/**
	 * Returns the key of a name.
	 * @param name its name in scripts, such as {@code dead:messages}
	 * @return the key
	 */
	static ScriptKey named(String name) {
		ScriptKey key = NAMED.get(name);
		if (key == null) {
			throw new IllegalStateException("A script names the key '" + name + "', which ScriptKey does not have");
		}
		return key;
	}

	/**
	 * Returns the name in scripts, which ends the name in Redis as well.
	 */
	String text() {
		return name().toLowerCase(Locale.ROOT).replace('_', ':');
	}

	boolean isOfQueue() {
		return this.owner == Owner.QUEUE;
	}

	/**
	 * Returns the name in Redis.
	 * @param prefix the prefix of all keys
	 * @param tagged the queue with its hash tag
	 * @return the name, or {@code null} if the caller of a script names the key
	 */
	@Nullable String of(String prefix, String tagged) {
		return switch (this.owner) {
			case QUEUE, TOPIC -> prefix + ":" + tagged + ":" + text();
			case OTHERS -> prefix + ":" + text() + ":" + tagged;
			case CALLER -> null;
		};
	}

	private enum Owner {

		QUEUE, TOPIC, OTHERS, CALLER

	}

}
