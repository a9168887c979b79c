package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.script.admin.MarkText;
import io.redelay.queue.script.admin.MarksKey;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The descriptions of instances, each under a key that expires, and the list of these
 * instances. All are in one slot.
 * <p>
 * Safe for use by many threads.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record InstanceKeys(ScriptRunner runner) {

	/**
	 * The name of the list, which no queue can have.
	 */
	private static final String LIST = "{:instances}";

	/**
	 * How many instances are asked for in one trip.
	 */
	private static final int MAX_ASKED = 1000;

	/**
	 * Announces an instance, and notes in the history of queues that it came or went.
	 * @param instance its name in the store
	 * @param description its description of itself; empty if it ends
	 * @param ttl for how long that is valid
	 * @param identity what readers know it by
	 */
	public CompletableFuture<Void> announce(String instance, String description, Duration ttl, Identity identity) {
		return this.runner.run("Announcing the instance", Script.ANNOUNCE,
				List.of(key(instance), this.runner.key(LIST), this.runner.key(MarksKey.INSTANCES)),
				new Object[] { instance, description, ScriptTime.millis(ttl), MarkText.of(identity.name()),
						MarkText.of(identity.application()), MarkText.of(identity.version()) },
				(reply) -> null);
	}

	/**
	 * Asks what time it is by the clock of the store.
	 */
	public CompletableFuture<Instant> now() {
		return this.runner.runOnKey(Script.INSTANCES, LIST, "Asking for the time", ReplyReader::timeAfterStatus);
	}

	public CompletableFuture<List<Instance>> list() {
		return this.runner.runOnKey(Script.INSTANCES, LIST, "Listing the instances", (reply) -> {
			Instant now = reply.timeAfterStatus();
			Map<String, Instance> listed = new LinkedHashMap<>();
			while (reply.hasNext()) {
				String name = reply.text();
				listed.put(name, new Instance(name, now, reply.time(), ""));
			}
			return listed;
		}).thenCompose((listed) -> descriptions(listed.keySet()).thenApply((texts) -> {
			List<Instance> instances = new ArrayList<>();
			listed.forEach((name, instance) -> {
				String description = texts.get(name);
				if (description != null) {
					instances.add(new Instance(name, instance.now(), instance.until(), description));
				}
			});
			return instances;
		}));
	}

	public CompletableFuture<Map<String, String>> descriptions(Set<String> instances) {
		return descriptions(List.copyOf(instances), 0, new HashMap<>());
	}

	/**
	 * Asks for the descriptions from a place on: a reply ends early if it gets large.
	 */
	private CompletableFuture<Map<String, String>> descriptions(List<String> all, int from, Map<String, String> texts) {
		List<String> asked = all.subList(from, Math.min(all.size(), from + MAX_ASKED));
		if (asked.isEmpty()) {
			return CompletableFuture.completedFuture(texts);
		}
		List<Object> keys = asked.stream().<Object>map(this::key).toList();
		return this.runner.run("Reading the instances", Script.INTRODUCE, keys, new Object[0], (reply) -> {
			int next = 0;
			while (reply.hasNext()) {
				String description = reply.text();
				if (!description.isEmpty()) {
					texts.put(asked.get(next), description);
				}
				next++;
			}
			return from + next;
		}).thenCompose((next) -> descriptions(all, next, texts));
	}

	private String key(String instance) {
		return this.runner.key(LIST + ":" + instance);
	}

	/**
	 * What readers know an instance by.
	 *
	 * @param name its display name
	 * @param application its application; empty if that has no name
	 * @param version the version of its application; empty if it is not known
	 */
	public record Identity(String name, String application, String version) {

	}

	/**
	 * An instance that announces itself.
	 *
	 * @param name its name in the store
	 * @param now when it was asked for, by the clock of the store
	 * @param until when its announcement ends, by the same clock
	 * @param description its description of itself
	 */
	public record Instance(String name, Instant now, Instant until, String description) {

	}

}
