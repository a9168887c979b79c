package io.redelay.queue.admin.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.DeduplicationKey.Way;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.KeyName;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.KeysScript;

import org.springframework.util.Assert;

/**
 * Looks for the messages that have a key to deduplicate by.
 */
record DeduplicationKeys(AdminScripts store) {

	List<DeduplicationKey> find(String queue, List<String> partitions, String key) {
		check(key);
		List<CompletableFuture<List<KeysScript.Holder>>> asked = partitions.stream()
			.map((partition) -> new KeysScript(this.store.runner()).holders(partition, key))
			.toList();
		return asked.stream()
			.flatMap((each) -> StoreCalls.await(each).stream())
			.map((found) -> new DeduplicationKey(queue, key, way(found), found.id(), found.until(), found.payloads()))
			.toList();
	}

	static void check(String key) {
		String problem = KeyName.problem(key);
		Assert.isTrue(problem == null, () -> "'key' " + problem);
	}

	private static Way way(KeysScript.Holder found) {
		return switch (found.way()) {
			case "f" -> Way.FIRST_WINS;
			case "d" -> Way.DEBOUNCE;
			default -> Way.AGGREGATE;
		};
	}

}
