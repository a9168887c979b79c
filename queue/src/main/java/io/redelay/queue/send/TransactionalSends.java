package io.redelay.queue.send;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendResult;
import io.redelay.queue.script.NextMessages;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages of one template that wait for the commit of one transaction.
 */
final class TransactionalSends implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(TransactionalSends.class);

	private final QueueTemplate template;

	private final List<PreparedMessage> messages = new ArrayList<>();

	private final Map<String, CompletableFuture<SendResult>> futures = new HashMap<>();

	private final Map<String, CompletableFuture<PublishResult>> publishing = new HashMap<>();

	/**
	 * What collects the messages that are sent with an acknowledgement once the
	 * transaction has committed, by uid.
	 */
	private final Map<String, NextMessages> deliveries = new HashMap<>();

	/**
	 * How many messages waited when a savepoint was set.
	 */
	private final Map<Object, Integer> savepoints = new HashMap<>();

	private boolean committed;

	private TransactionalSends(QueueTemplate template) {
		this.template = template;
	}

	/**
	 * Returns the sends that wait for the commit of the present transaction, or
	 * {@code null} if there is none to wait for.
	 */
	static @Nullable TransactionalSends current(QueueTemplate template) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()) {
			return null;
		}
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof TransactionalSends sends && sends.template == template) {
				return sends.committed ? null : sends;
			}
		}
		TransactionalSends sends = new TransactionalSends(template);
		TransactionSynchronizationManager.registerSynchronization(sends);
		return sends;
	}

	void add(PreparedMessage message, @Nullable CompletableFuture<SendResult> future) {
		this.messages.add(message);
		if (future != null) {
			this.futures.put(message.uid(), future);
		}
	}

	void addPublished(PreparedMessage message, @Nullable CompletableFuture<PublishResult> future) {
		this.messages.add(message);
		if (future != null) {
			this.publishing.put(message.uid(), future);
		}
	}

	/**
	 * Adds a message that is sent with an acknowledgement after the commit.
	 */
	void addInDelivery(PreparedMessage message, NextMessages collected) {
		this.messages.add(message);
		this.deliveries.put(message.uid(), collected);
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, this.messages.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// An unknown savepoint was set before this was registered: all messages came
		// after it.
		int kept = this.savepoints.getOrDefault(savepoint, 0);
		List<PreparedMessage> undone = this.messages.subList(kept, this.messages.size());
		forget(List.copyOf(undone), "The part of the transaction in which the message was sent was rolled back");
		undone.clear();
	}

	@Override
	public void afterCommit() {
		this.committed = true;
		transmit();
	}

	@Override
	public void afterCompletion(int status) {
		if (status != STATUS_COMMITTED) {
			if (status == STATUS_UNKNOWN && !this.messages.isEmpty()) {
				logger.warn(this.messages.size()
						+ " message(s) were not sent, for it is unknown whether their transaction committed");
			}
			forget(this.messages, "The transaction in which the message was sent did not commit");
		}
		else if (!this.committed) {
			transmitLate();
		}
	}

	/**
	 * Sends messages whose first send was in a callback of the commit itself, when no
	 * further callback of the commit follows.
	 */
	private void transmitLate() {
		try {
			transmit();
		}
		catch (MessageSendException ex) {
			logger.error("What was sent in a callback of a commit is lost, for its caller gets no failure", ex);
		}
	}

	private void transmit() {
		Map<String, SendResult> results = new HashMap<>();
		Map<String, MessageSendException> failures = new HashMap<>();
		MessageSendException failed = null;
		try {
			this.template.transmitAll(sendInDelivery(to(Destination.QUEUE)), results, failures);
		}
		catch (MessageSendException ex) {
			failed = ex;
		}
		Map<String, PublishResult> published = this.template.publishAll(to(Destination.TOPIC), failures);
		for (Map.Entry<String, CompletableFuture<SendResult>> entry : this.futures.entrySet()) {
			complete(entry.getValue(), results.get(entry.getKey()), failures.getOrDefault(entry.getKey(), failed));
		}
		for (Map.Entry<String, CompletableFuture<PublishResult>> entry : this.publishing.entrySet()) {
			complete(entry.getValue(), published.get(entry.getKey()), failures.get(entry.getKey()));
		}
		for (PreparedMessage message : to(Destination.TOPIC)) {
			MessageSendException failure = failures.get(message.uid());
			if (failed == null) {
				failed = failure;
			}
			else if (failure != null && failure != failed) {
				failed.addSuppressed(failure);
			}
		}
		if (failed != null) {
			throw failed;
		}
	}

	private List<PreparedMessage> to(Destination destination) {
		return this.messages.stream().filter((message) -> message.destination() == destination).toList();
	}

	/**
	 * Passes on the messages that are sent with an acknowledgement.
	 * @return the others
	 */
	private List<PreparedMessage> sendInDelivery(List<PreparedMessage> messages) {
		if (this.deliveries.isEmpty()) {
			return messages;
		}
		List<PreparedMessage> others = new ArrayList<>(messages.size());
		for (PreparedMessage message : messages) {
			NextMessages collected = this.deliveries.get(message.uid());
			if (collected != null) {
				this.template.sendInDelivery(message, collected);
			}
			else {
				others.add(message);
			}
		}
		return others;
	}

	private <R> void complete(CompletableFuture<R> future, @Nullable R result, @Nullable MessageSendException failure) {
		this.template.callBack(() -> {
			if (result != null) {
				future.complete(result);
			}
			else {
				future.completeExceptionally(failure);
			}
		});
	}

	private void forget(List<PreparedMessage> forgotten, String why) {
		MessageSendException ex = new MessageSendException(why, null);
		for (PreparedMessage message : forgotten) {
			message.abandon(ex);
			CompletableFuture<?> future = (message.destination() == Destination.TOPIC)
					? this.publishing.remove(message.uid()) : this.futures.remove(message.uid());
			if (future != null) {
				future.completeExceptionally(ex);
			}
		}
	}

}
