package io.redelay.queue.send;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendResult;
import io.redelay.queue.script.NextMessages;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The messages of one template that wait for the commit of one transaction.
 */
final class TransactionalSends implements TransactionSynchronization {

	private static final Log logger = PlainLog.of(TransactionalSends.class);

	private final QueueTemplate template;

	private final List<Waiting> messages = new ArrayList<>();

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

	void add(PreparedMessage message, @Nullable CompletableFuture<?> future) {
		this.messages.add(new Waiting(message, future, null));
	}

	/**
	 * Adds a message that is sent with an acknowledgement after the commit.
	 */
	void addInDelivery(PreparedMessage message, NextMessages collected) {
		this.messages.add(new Waiting(message, null, collected));
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
		List<Waiting> undone = this.messages.subList(kept, this.messages.size());
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
			this.template.transmitAll(sendInDelivery(), results, failures);
		}
		catch (MessageSendException ex) {
			failed = ex;
		}
		List<PreparedMessage> toTopics = to(Destination.TOPIC).map(Waiting::message).toList();
		Map<String, PublishResult> published = this.template.publishAll(toTopics, failures);
		for (Waiting each : this.messages) {
			String uid = each.message.uid();
			MessageSendException failure = failures.get(uid);
			if (each.message.destination() == Destination.TOPIC) {
				complete(each.future, published.get(uid), failure);
			}
			else {
				complete(each.future, results.get(uid), (failure != null) ? failure : failed);
			}
		}
		for (PreparedMessage message : toTopics) {
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

	private Stream<Waiting> to(Destination destination) {
		return this.messages.stream().filter((each) -> each.message.destination() == destination);
	}

	/**
	 * Gives the messages that are sent with an acknowledgement to what collects them.
	 * @return the other messages to queues
	 */
	private List<PreparedMessage> sendInDelivery() {
		List<PreparedMessage> others = new ArrayList<>(this.messages.size());
		to(Destination.QUEUE).forEach((each) -> {
			if (each.collected != null) {
				this.template.sendInDelivery(each.message, each.collected);
			}
			else {
				others.add(each.message);
			}
		});
		return others;
	}

	@SuppressWarnings("unchecked") // the result is of the kind that the caller waits for
	private void complete(@Nullable CompletableFuture<?> future, @Nullable Object result,
			@Nullable MessageSendException failure) {
		if (future != null) {
			this.template.callBack(() -> {
				if (result != null) {
					((CompletableFuture<Object>) future).complete(result);
				}
				else {
					future.completeExceptionally(failure);
				}
			});
		}
	}

	private static void forget(List<Waiting> forgotten, String why) {
		MessageSendException ex = new MessageSendException(why, null);
		for (Waiting each : forgotten) {
			each.message.abandon(ex);
			if (each.future != null) {
				each.future.completeExceptionally(ex);
			}
		}
	}

	/**
	 * A message that waits for the commit.
	 *
	 * @param message the message
	 * @param future what a caller got, if one did
	 * @param collected what the message is added to if it is sent with an acknowledgement
	 */
	private record Waiting(PreparedMessage message, @Nullable CompletableFuture<?> future,
			@Nullable NextMessages collected) {

	}

}
