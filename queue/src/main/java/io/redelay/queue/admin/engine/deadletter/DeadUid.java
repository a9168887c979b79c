package io.redelay.queue.admin.engine.deadletter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where a dead message is.
 *
 * @param partition the name that the store has for its partition
 * @param uid its uid
 */
record DeadUid(String partition, String uid) {

	/**
	 * Sorts dead messages by their partitions, each in the same order as before.
	 */
	static Map<String, List<String>> byPartition(List<DeadUid> all) {
		Map<String, List<String>> sorted = new LinkedHashMap<>();
		all.forEach(
				(dead) -> sorted.computeIfAbsent(dead.partition(), (partition) -> new ArrayList<>()).add(dead.uid()));
		return sorted;
	}

}
