package io.redelay.autoconfigure;

import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.MessageBundles;
import io.redelay.queue.QueueGates;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.util.function.SingletonSupplier;

/**
 * Access to the queues of a Redis server other than the application's own: to send, to
 * listen and to administer. Each part is created when it is first requested, and does
 * nothing until it is used.
 *
 * @since 0.1.0
 */
public final class QueueServer {

	private final Supplier<QueueTemplate> template;

	private final Supplier<QueueListenerContainerFactory> containerFactory;

	private final Supplier<QueueAdmin> admin;

	private final Supplier<QueueGates> gates;

	private final Supplier<RecurringMessages> recurring;

	private final Supplier<MessageBundles> bundles;

	QueueServer(Supplier<QueueTemplate> template, Supplier<QueueListenerContainerFactory> containerFactory,
			Supplier<QueueAdmin> admin, Supplier<QueueGates> gates, Supplier<RecurringMessages> recurring,
			Function<QueueTemplate, MessageBundles> bundles) {
		this.template = SingletonSupplier.of(template);
		this.containerFactory = SingletonSupplier.of(containerFactory);
		this.admin = SingletonSupplier.of(admin);
		this.gates = SingletonSupplier.of(gates);
		this.recurring = SingletonSupplier.of(recurring);
		this.bundles = SingletonSupplier.of(() -> bundles.apply(template()));
	}

	/**
	 * Returns the template that sends to its queues.
	 * @return the template, the same on each call
	 */
	public QueueTemplate template() {
		return this.template.get();
	}

	/**
	 * Returns the factory of containers that listen to its queues, for listeners that
	 * name the bean in {@link io.redelay.queue.QueueListener#containerFactory()}.
	 * @return the factory, the same on each call
	 */
	public QueueListenerContainerFactory containerFactory() {
		return this.containerFactory.get();
	}

	/**
	 * Returns the administration of its queues.
	 * @return the administration, the same on each call
	 */
	public QueueAdmin admin() {
		return this.admin.get();
	}

	/**
	 * Returns the gates of its queues.
	 * @return the gates, the same on each call
	 */
	public QueueGates gates() {
		return this.gates.get();
	}

	/**
	 * Returns the operations on recurring messages of its queues.
	 * @return the recurring messages, the same on each call
	 */
	public RecurringMessages recurring() {
		return this.recurring.get();
	}

	/**
	 * Returns the operations that send bundles of messages to its queues.
	 * @return the bundles, the same on each call
	 */
	public MessageBundles bundles() {
		return this.bundles.get();
	}

}
