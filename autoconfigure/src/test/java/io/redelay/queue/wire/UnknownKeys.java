package io.redelay.queue.wire;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.redisson.api.RedissonClient;
import org.redisson.api.options.KeysScanOptions;

/**
 * Looks for keys of a queue that the store does not know.
 */
public final class UnknownKeys {

	private static final String BASE = "redelay:{q}:";

	private static final Set<String> KNOWN = Stream.of(ScriptKey.values())
		.filter(ScriptKey::isOfQueue)
		.map(ScriptKey::text)
		.collect(Collectors.toSet());

	private UnknownKeys() {
	}

	/**
	 * Looks for them.
	 * @param redisson a client
	 * @param queue the queue
	 * @return the keys that are neither the store's nor a test's
	 */
	public static List<String> of(RedissonClient redisson, String queue) {
		String base = BASE.replace("{q}", "{" + queue + "}");
		return redisson.getKeys()
			.getKeysStream(KeysScanOptions.defaults().pattern(base + "*").chunkSize(10_000))
			.map((key) -> key.substring(base.length()))
			.filter((key) -> !KNOWN.contains(key) && !key.startsWith("sent:") && !key.startsWith("test:"))
			.toList();
	}

}
