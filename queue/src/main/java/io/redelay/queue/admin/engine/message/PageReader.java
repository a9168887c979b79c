package io.redelay.queue.admin.engine.message;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.MessagePage;

/**
 * Reads messages from the store in as many steps as their size takes. A message that
 * moves between two steps may be missing, and is not there twice.
 *
 * @since 0.1.0
 */
public record PageReader(AdminScripts store, MessageReader reader) {

	/**
	 * Reads a page of the messages in a state: those of the first partition, then those
	 * of the next one.
	 */
	public QueuePage browse(List<String> partitions, MessageState state, int page, int size) {
		long first = (long) page * size;
		List<QueuedMessage> messages = new ArrayList<>();
		boolean hasNext = false;
		for (int i = 0; i < partitions.size() && !hasNext; i++) {
			String partition = partitions.get(i);
			long there = (partitions.size() > 1)
					? StoreCalls.await(this.store.count().run(partition)).messages().of(state) : Long.MAX_VALUE;
			if (messages.size() == size) {
				hasNext = there > 0;
			}
			else if (first >= there) {
				first -= there;
			}
			else {
				hasNext = read(partition, state, first, size - messages.size(), messages);
				first = 0;
			}
		}
		return new QueuePage(List.copyOf(messages), page, size, hasNext);
	}

	/**
	 * Reads messages of a partition.
	 * @return whether there are more
	 */
	private boolean read(String partition, MessageState state, long first, int size, List<QueuedMessage> to) {
		Map<String, QueuedMessage> messages = new LinkedHashMap<>();
		int passed = 0;
		MessagePage step;
		do {
			step = StoreCalls.await(this.store.messages().browse(partition, state, first + passed, size - passed));
			add(messages, partition, step);
			passed += step.passed();
		}
		while (passed < size && step.hasNext());
		to.addAll(messages.values());
		return step.hasNext();
	}

	/**
	 * Reads messages of a partition.
	 * @param names their ids or uids, at most {@value AdminScripts#MAX_PAGE}
	 * @return the messages that exist
	 */
	public List<QueuedMessage> find(String partition, List<String> names) {
		Map<String, QueuedMessage> messages = new LinkedHashMap<>();
		int passed = 0;
		while (passed < names.size()) {
			MessagePage step = StoreCalls
				.await(this.store.messages().find(partition, names.subList(passed, names.size())));
			add(messages, partition, step);
			passed += step.passed();
		}
		return List.copyOf(messages.values());
	}

	private void add(Map<String, QueuedMessage> messages, String partition, MessagePage step) {
		step.messages()
			.forEach(
					(stored) -> messages.put(stored.uid(), this.reader.read(PartitionName.queueOf(partition), stored)));
	}

}
