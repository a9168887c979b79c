package io.redelay.outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxException;
import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.SendResult;
import io.redelay.queue.SendingOptions;
import io.redelay.queue.send.PreparedMessage;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes messages to the table of the outbox.
 */
final class OutboxTemplate implements OutboxOperations {

	/**
	 * The sending options that the outbox supports; any other is refused.
	 */
	private static final Set<SendingOptions> POSSIBLE = Set.of(OutboundMessage.to("any", "any").sending(),
			OutboundMessage.to("any", "any").inTransaction(true).sending());

	private final OutboxTable table;

	private final DataSource dataSource;

	private final QueueTemplate queues;

	private final boolean requireTransaction;

	/**
	 * Whether the connections of the {@code DataSource} commit by themselves where there
	 * is no transaction.
	 */
	private final boolean autoCommit;

	private final Runnable committed;

	/**
	 * Creates a template.
	 * @param requireTransaction whether to refuse a message outside of a transaction
	 * @param committed is called when messages were committed
	 */
	OutboxTemplate(OutboxTable table, DataSource dataSource, QueueTemplate queues, boolean requireTransaction,
			Runnable committed) {
		this.table = table;
		this.dataSource = dataSource;
		this.queues = queues;
		this.requireTransaction = requireTransaction;
		this.autoCommit = isAutoCommit(dataSource);
		this.committed = committed;
	}

	private static boolean isAutoCommit(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			return connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new TransientDataAccessResourceException("The DataSource of the outbox gives no connection", ex);
		}
	}

	@Override
	public SendResult send(OutboundMessage message) {
		return sendAll(List.of(message)).get(0);
	}

	@Override
	public List<SendResult> sendAll(Collection<OutboundMessage> messages) {
		return write(messages, this.queues::defer, false).stream().map(PreparedMessage::estimate).toList();
	}

	@Override
	public PublishResult publish(String topic, Object payload) {
		return publish(OutboundMessage.to(topic, payload));
	}

	@Override
	public PublishResult publish(OutboundMessage message) {
		return write(List.of(message), this.queues::deferPublished, true).get(0).publishEstimate();
	}

	private List<PreparedMessage> write(Collection<OutboundMessage> messages,
			Function<Collection<OutboundMessage>, List<PreparedMessage>> preparation, boolean topic) {
		if (messages.isEmpty()) {
			return List.of();
		}
		messages.forEach(OutboxTemplate::check);
		boolean inTransaction = isInTransaction(messages.iterator().next());
		List<PreparedMessage> deferred = preparation.apply(messages);
		try {
			if (inTransaction) {
				this.table.add(deferred, topic);
			}
			else {
				this.table.addAlone(deferred, topic);
			}
		}
		catch (RuntimeException ex) {
			deferred.forEach((message) -> message.abandon(ex));
			throw ex;
		}
		deferred.forEach(PreparedMessage::kept);
		if (inTransaction) {
			WrittenMessages.of(this).add(deferred);
		}
		else {
			promise(deferred);
		}
		return deferred;
	}

	/**
	 * Wakes the relay and notifies the interceptors after messages were committed.
	 */
	void promise(List<PreparedMessage> messages) {
		this.committed.run();
		messages.forEach(PreparedMessage::promised);
	}

	private static void check(OutboundMessage message) {
		if (Boolean.FALSE.equals(message.sending().inTransaction())) {
			throw new OutboxException("The " + message + " is not to wait for the commit, and the outbox has it wait",
					"Leave out inTransaction(false), or send it with QueueOperations");
		}
		if (message.sending().durability() != null) {
			throw new OutboxException(
					"The " + message
							+ " asks for copies in Redis, which no caller waits for when it is sent by the outbox",
					"Leave its durability out, since the database keeps it until Redis has it, or send it with "
							+ "QueueOperations");
		}
		if (!POSSIBLE.contains(message.sending())) {
			throw new OutboxException(
					"The " + message + " asks for something that only a send at once can do: " + message.sending(),
					"Leave it out, or send it with QueueOperations");
		}
	}

	/**
	 * Whether a transaction of the outbox's database surrounds the call; one of another
	 * resource would commit without the message.
	 * @throws OutboxException if none does and one is required
	 */
	private boolean isInTransaction(OutboundMessage message) {
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			if (isTransactional()) {
				return true;
			}
			throw new OutboxException(
					"The " + message + " cannot be written to the outbox, for the transaction that surrounds it "
							+ "is not one of the DataSource that has the outbox",
					"Use the transaction manager of that DataSource, or mark the DataSource that it belongs to "
							+ "with @OutboxDataSource");
		}
		if (this.requireTransaction) {
			throw new OutboxException(
					"The " + message + " cannot be written to the outbox, for no transaction surrounds the call",
					"Annotate the method that sends it with @Transactional and call it from another bean, or set "
							+ "redelay.outbox.require-transaction to false to write it in a transaction of its own");
		}
		return false;
	}

	/**
	 * A connection that commits by itself is in no transaction. For one that never does
	 * so this shows nothing: there a transaction has already bound it to the
	 * {@code DataSource}.
	 */
	private boolean isTransactional() {
		if (!this.autoCommit && !TransactionSynchronizationManager.hasResource(this.dataSource)) {
			return false;
		}
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return !connection.getAutoCommit();
		}
		catch (SQLException ex) {
			throw new TransientDataAccessResourceException("The connection of the transaction cannot be used", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

}
