package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.ScriptTime;
import org.jspecify.annotations.Nullable;

/**
 * What instances tell of themselves, each under a key that ends by itself.
 * <p>
 * Safe for use by many threads.
 */
final class InstanceKeys {

	private final ScriptRunner runner;

	InstanceKeys(ScriptRunner runner) {
		this.runner = runner;
	}

	CompletableFuture<Void> announce(String instance, String description, Duration ttl) {
		return this.runner.run("Telling who the instance is", Script.ANNOUNCE, List.of(key(instance)),
				new Object[] { description, ScriptTime.millis(ttl) }, (reply) -> null);
	}

	CompletableFuture<Map<String, String>> instances(Set<String> instances) {
		Map<String, CompletableFuture<@Nullable String>> asked = new HashMap<>();
		for (String instance : instances) {
			asked.put(instance, this.runner.<@Nullable String>run("Asking who the instances are", Script.INTRODUCE,
					List.of(key(instance)), new Object[0], (reply) -> reply.hasNext() ? reply.text() : null));
		}
		return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply((all) -> {
			Map<String, String> told = new HashMap<>();
			asked.forEach((instance, answer) -> {
				String description = answer.join();
				if (description != null) {
					told.put(instance, description);
				}
			});
			return told;
		});
	}

	private String key(String instance) {
		return this.runner.key("instance:" + instance);
	}

}
