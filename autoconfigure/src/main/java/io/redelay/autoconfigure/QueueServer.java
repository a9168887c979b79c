package io.redelay.autoconfigure;

import java.util.function.Supplier;

import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.util.function.SingletonSupplier;

/**
 * A Redis server beside the application's own: what its queues are sent to, listened to
 * and looked at with. What is not asked for is not made, and what is made does nothing
 * until it is used.
 *
 * @since 0.1.0
 */
public final class QueueServer {

	private final Supplier<QueueTemplate> template;

	private final Supplier<QueueListenerContainerFactory> containerFactory;

	private final Supplier<QueueAdmin> admin;

	QueueServer(Supplier<QueueTemplate> template, Supplier<QueueListenerContainerFactory> containerFactory,
			Supplier<QueueAdmin> admin) {
		this.template = SingletonSupplier.of(template);
		this.containerFactory = SingletonSupplier.of(containerFactory);
		this.admin = SingletonSupplier.of(admin);
	}

	/**
	 * Sends to its queues.
	 * @return the template, the same each time
	 */
	public QueueTemplate template() {
		return this.template.get();
	}

	/**
	 * Makes containers that listen to its queues, for listeners that name the bean in
	 * {@link io.redelay.queue.QueueListener#containerFactory()}.
	 * @return the factory, the same each time
	 */
	public QueueListenerContainerFactory containerFactory() {
		return this.containerFactory.get();
	}

	/**
	 * Looks at its queues and acts on their messages.
	 * @return the administration, the same each time
	 */
	public QueueAdmin admin() {
		return this.admin.get();
	}

}
