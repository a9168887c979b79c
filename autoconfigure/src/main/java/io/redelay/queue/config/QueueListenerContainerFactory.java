package io.redelay.queue.config;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.listener.ContainerSettings;
import io.redelay.queue.listener.DeliveryHandler;
import io.redelay.queue.listener.ListenerRuntime;
import io.redelay.queue.listener.QueueListenerContainer;
import org.jspecify.annotations.Nullable;

/**
 * Makes containers. An application with several Redis servers has a factory for each, and
 * names it in {@link io.redelay.queue.QueueListener#containerFactory()}.
 *
 * @since 0.1.0
 */
public class QueueListenerContainerFactory {

	/**
	 * The name of the bean that makes containers where no other is named.
	 */
	public static final String DEFAULT_BEAN_NAME = "queueListenerContainerFactory";

	private final ListenerRuntime runtime;

	private final DeadLetterRoutes deadLetterRoutes = new DeadLetterRoutes();

	/**
	 * The id of the first listener by queue.
	 */
	private final Map<String, String> firstListeners = new ConcurrentHashMap<>();

	/**
	 * Creates a factory.
	 * @param runtime what its containers share
	 */
	public QueueListenerContainerFactory(ListenerRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Where the dead messages of the queues go on the server of this factory.
	 */
	DeadLetterRoutes deadLetterRoutes() {
		return this.deadLetterRoutes;
	}

	/**
	 * The id of a listener that listens to the queue on the server of this factory, too.
	 * @return the id, or {@code null} if this is the first one
	 */
	@Nullable String firstListener(String queue, String id) {
		return this.firstListeners.putIfAbsent(queue, id);
	}

	/**
	 * Makes a container that does not run yet.
	 * @param settings what it does
	 * @param handler handles what it delivers
	 * @return the container
	 */
	public QueueListenerContainer createContainer(ContainerSettings settings, DeliveryHandler handler) {
		return new QueueListenerContainer(settings, handler, this.runtime);
	}

}
