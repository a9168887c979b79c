package io.redelay.outbox.jdbc;

import java.util.List;

import javax.sql.DataSource;

import io.redelay.outbox.OutboxAdmin;
import io.redelay.outbox.OutboxListener;
import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.send.DeferredSends;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.context.SmartLifecycle;

/**
 * The parts of an outbox in a database.
 *
 * @since 0.1.0
 */
public final class Outbox {

	private final OutboxTable table;

	private final OutboxRelay relay;

	private final OutboxTemplate template;

	/**
	 * Creates an outbox.
	 * @param dataSource the database of its table
	 * @param settings its settings
	 * @param queues sends the messages
	 * @param listeners notified of the work of the relays
	 */
	public Outbox(DataSource dataSource, OutboxSettings settings, QueueTemplate queues,
			List<OutboxListener> listeners) {
		OutboxDialect dialect = OutboxDialect.of(dataSource);
		OutboxMigrations migrations = new OutboxMigrations(dataSource, dialect);
		if (settings.initializeSchema()) {
			migrations.apply();
		}
		migrations.check();
		this.table = new OutboxTable(dataSource, dialect);
		DeferredSends sends = queues.deferredSends(settings.window());
		this.relay = new OutboxRelay(this.table, (to, messages) -> {
			if (to.topic()) {
				sends.publish(to.name(), messages);
			}
			else {
				sends.send(to.name(), messages);
			}
		}, settings.relay(), List.copyOf(listeners));
		queues.whenRedisIsBack(this.relay::redisIsBack);
		this.template = new OutboxTemplate(this.table, dataSource, queues, settings.requireTransaction(),
				this.relay::wake);
	}

	/**
	 * Returns the operations that write messages.
	 * @return the operations
	 */
	public OutboxOperations operations() {
		return this.template;
	}

	/**
	 * Returns the relays that send the written messages.
	 * @return the relays of this instance, to be started and stopped
	 */
	public SmartLifecycle relay() {
		return this.relay;
	}

	/**
	 * Returns the administration of the messages.
	 * @return the administration
	 */
	public OutboxAdmin admin() {
		return new OutboxAdminTemplate(this.table, this.relay::wake);
	}

}
