package io.redelay.outbox.jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.send.PreparedMessage;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages that one transaction has written to the outbox: when it ends, the relay is
 * woken and the interceptors are notified.
 */
final class WrittenMessages implements TransactionSynchronization {

	private final OutboxTemplate template;

	private final List<PreparedMessage> messages = new ArrayList<>();

	/**
	 * How many messages were written when a savepoint was set.
	 */
	private final Map<Object, Integer> savepoints = new HashMap<>();

	private WrittenMessages(OutboxTemplate template) {
		this.template = template;
	}

	/**
	 * Returns the messages of the present transaction.
	 */
	static WrittenMessages of(OutboxTemplate template) {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof WrittenMessages written && written.template == template) {
				return written;
			}
		}
		WrittenMessages written = new WrittenMessages(template);
		TransactionSynchronizationManager.registerSynchronization(written);
		return written;
	}

	void add(List<PreparedMessage> written) {
		this.messages.addAll(written);
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.messages.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// Messages that were not known yet when the savepoint was set came after it.
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		List<PreparedMessage> undone = this.messages.subList(kept, this.messages.size());
		abandon(undone, "The part of the transaction in which the message was written was rolled back");
		undone.clear();
	}

	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			this.template.promise(this.messages);
		}
		else {
			abandon(this.messages, "The transaction in which the message was written did not commit");
		}
	}

	private static void abandon(List<PreparedMessage> messages, String why) {
		if (!messages.isEmpty()) {
			MessageSendException ex = new MessageSendException(why, null);
			messages.forEach((message) -> message.abandon(ex));
		}
	}

}
