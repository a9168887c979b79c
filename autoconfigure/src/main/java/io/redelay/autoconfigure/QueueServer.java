package io.redelay.autoconfigure;

import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.beans.factory.BeanFactory;

/**
 * Access to the queues of a Redis server other than the application's own: to send, to
 * listen and to administer. Each part is created when it is first requested, and does
 * nothing until it is used.
 *
 * @since 0.1.0
 */
public final class QueueServer {

	private final BeanFactory beans;

	QueueServer(BeanFactory beans) {
		this.beans = beans;
	}

	/**
	 * Returns the template that sends to its queues.
	 * @return the template, the same on each call
	 */
	public QueueTemplate template() {
		return this.beans.getBean(QueueTemplate.class);
	}

	/**
	 * Returns the factory of containers that listen to its queues, for listeners that
	 * name the bean in {@link io.redelay.queue.QueueListener#containerFactory()}.
	 * @return the factory, the same on each call
	 */
	public QueueListenerContainerFactory containerFactory() {
		return this.beans.getBean(QueueListenerContainerFactory.class);
	}

	/**
	 * Returns the administration of its queues.
	 * @return the administration, the same on each call
	 */
	public QueueAdmin admin() {
		return this.beans.getBean(QueueAdmin.class);
	}

	/**
	 * Returns the gates of its queues.
	 * @return the gates, the same on each call
	 */
	public QueueGates gates() {
		return this.beans.getBean(QueueGates.class);
	}

	/**
	 * Returns the operations on recurring messages of its queues.
	 * @return the recurring messages, the same on each call
	 */
	public RecurringMessages recurring() {
		return this.beans.getBean(RecurringMessages.class);
	}

	/**
	 * Returns the operations that send bundles of messages to its queues.
	 * @return the bundles, the same on each call
	 */
	public MessageBundles bundles() {
		return this.beans.getBean(MessageBundles.class);
	}

}
