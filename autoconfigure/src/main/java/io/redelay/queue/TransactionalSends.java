package io.redelay.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages of one template that wait for the commit of one transaction.
 */
final class TransactionalSends implements TransactionSynchronization {

	private final QueueTemplate template;

	private final List<QueueTemplate.Prepared> messages = new ArrayList<>();

	private final Map<String, CompletableFuture<SendResult>> futures = new HashMap<>();

	private TransactionalSends(QueueTemplate template) {
		this.template = template;
	}

	/**
	 * Whether there is a transaction to wait for.
	 */
	static boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	static TransactionalSends current(QueueTemplate template) {
		for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
			if (each instanceof TransactionalSends sends && sends.template == template) {
				return sends;
			}
		}
		TransactionalSends sends = new TransactionalSends(template);
		TransactionSynchronizationManager.registerSynchronization(sends);
		return sends;
	}

	void add(QueueTemplate.Prepared message, @Nullable CompletableFuture<SendResult> future) {
		this.messages.add(message);
		if (future != null) {
			this.futures.put(message.uid(), future);
		}
	}

	@Override
	public void afterCommit() {
		transmit();
	}

	/**
	 * Sends what another synchronization sent after the commit, when this one had had its
	 * turn or was not there yet. A failure is then only logged, by Spring.
	 */
	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_COMMITTED) {
			transmit();
		}
		else {
			MessageSendException ex = new MessageSendException(
					"The transaction in which the message was sent did not commit", null);
			this.messages.forEach((message) -> message.fail(ex));
			this.futures.values().forEach((future) -> future.completeExceptionally(ex));
		}
	}

	private void transmit() {
		List<QueueTemplate.Prepared> waiting = List.copyOf(this.messages);
		this.messages.clear();
		Map<String, SendResult> results = new HashMap<>();
		MessageSendException failed = null;
		try {
			this.template.transmitAll(waiting, results);
		}
		catch (MessageSendException ex) {
			failed = ex;
		}
		for (QueueTemplate.Prepared message : waiting) {
			CompletableFuture<SendResult> future = this.futures.remove(message.uid());
			SendResult result = results.get(message.uid());
			if (future != null && result != null) {
				future.completeAsync(() -> result);
			}
			else if (future != null) {
				future.completeExceptionally(failed);
			}
		}
		if (failed != null) {
			throw failed;
		}
	}

}
