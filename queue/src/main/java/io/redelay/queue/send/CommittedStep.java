package io.redelay.queue.send;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageSendException;
import org.apache.commons.logging.Log;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A step that waits for the commit of a transaction as a whole, such as an operation on a
 * bundle. If there is no transaction to wait for, it runs at once.
 */
final class CommittedStep implements TransactionSynchronization {

	private static final Log logger = PlainLog.of(CommittedStep.class);

	private final List<PreparedMessage> messages;

	private final Runnable step;

	/**
	 * Savepoints that were set later.
	 */
	private final Set<Object> savepoints = new HashSet<>();

	private boolean over;

	private CommittedStep(List<PreparedMessage> messages, Runnable step) {
		this.messages = messages;
		this.step = step;
	}

	/**
	 * Takes a step, at once or after the commit of the present transaction.
	 * @param template whose sends wait for commits, or do not
	 * @param messages abandoned if the transaction does not commit
	 * @param step runs after the steps that were added before it
	 */
	static void run(QueueTemplate template, List<PreparedMessage> messages, Runnable step) {
		if (template.awaitsCommit()) {
			TransactionSynchronizationManager.registerSynchronization(new CommittedStep(messages, step));
		}
		else {
			step.run();
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		if (!this.savepoints.contains(savepoint)) {
			forget("The part of the transaction in which the message was sent was rolled back");
		}
	}

	@Override
	public void afterCommit() {
		if (!this.over) {
			this.over = true;
			this.step.run();
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (status != STATUS_COMMITTED) {
			forget("The transaction in which the message was sent did not commit");
		}
		else if (!this.over) {
			this.over = true;
			try {
				this.step.run();
			}
			catch (RuntimeException ex) {
				logger.error("What was done with a bundle in a callback of a commit is lost, for its caller gets no"
						+ " failure", ex);
			}
		}
	}

	private void forget(String why) {
		if (!this.over) {
			this.over = true;
			MessageSendException ex = new MessageSendException(why, null);
			this.messages.forEach((message) -> message.abandon(ex));
		}
	}

}
