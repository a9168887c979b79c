package io.redelay.queue.admin.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.store.MessagePage;
import io.redelay.queue.store.QueueAdminStore;

/**
 * Reads messages from the store in as many steps as their size takes. What moves between
 * two steps may be missing, and is not there twice.
 */
final class PageReader {

	private final QueueAdminStore store;

	private final MessageReader reader;

	PageReader(QueueAdminStore store, MessageReader reader) {
		this.store = store;
		this.reader = reader;
	}

	/**
	 * Reads a page of the messages in a state.
	 */
	QueuePage browse(String queue, MessageState state, int page, int size) {
		Map<String, QueuedMessage> messages = new LinkedHashMap<>();
		long first = (long) page * size;
		int passed = 0;
		MessagePage step;
		do {
			step = StoreCalls.await(this.store.browse(queue, state, first + passed, size - passed));
			add(messages, queue, step);
			passed += step.passed();
		}
		while (passed < size && step.hasNext());
		return new QueuePage(List.copyOf(messages.values()), page, size, step.hasNext());
	}

	/**
	 * Reads messages.
	 * @param names their ids or uids, at most {@value QueueAdminStore#MAX_PAGE}
	 * @return those that are there
	 */
	List<QueuedMessage> find(String queue, List<String> names) {
		Map<String, QueuedMessage> messages = new LinkedHashMap<>();
		int passed = 0;
		while (passed < names.size()) {
			MessagePage step = StoreCalls.await(this.store.find(queue, names.subList(passed, names.size())));
			add(messages, queue, step);
			passed += step.passed();
		}
		return List.copyOf(messages.values());
	}

	private void add(Map<String, QueuedMessage> messages, String queue, MessagePage step) {
		step.messages().forEach((stored) -> messages.put(stored.uid(), this.reader.read(queue, stored)));
	}

}
