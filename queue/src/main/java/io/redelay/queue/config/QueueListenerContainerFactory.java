package io.redelay.queue.config;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.limits.GroupName;
import org.jspecify.annotations.Nullable;

/**
 * Creates containers. An application with several Redis servers has a factory for each,
 * which {@link io.redelay.queue.QueueListener#containerFactory()} names.
 *
 * @since 0.1.0
 */
public class QueueListenerContainerFactory {

	/**
	 * The name of the factory that is used if an annotation names none.
	 */
	public static final String DEFAULT_BEAN_NAME = "queueListenerContainerFactory";

	private final ListenerRuntime runtime;

	private final DeadLetterRoutes deadLetterRoutes = new DeadLetterRoutes();

	/**
	 * The id of the first listener by queue.
	 */
	private final Map<String, String> firstListeners = new ConcurrentHashMap<>();

	/**
	 * The filter that each listener declares for a group, by the queue of the group and
	 * the id of the listener.
	 */
	private final Map<String, Map<String, GroupFilter>> groupFilters = new ConcurrentHashMap<>();

	/**
	 * How many groups of this instance topics have.
	 */
	private final Map<String, AtomicInteger> instanceGroups = new ConcurrentHashMap<>();

	/**
	 * Creates a factory.
	 * @param runtime the objects that its containers share
	 */
	public QueueListenerContainerFactory(ListenerRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Returns the objects that its containers share.
	 */
	ListenerRuntime runtime() {
		return this.runtime;
	}

	/**
	 * Returns the routes of dead messages on the server of this factory.
	 */
	DeadLetterRoutes deadLetterRoutes() {
		return this.deadLetterRoutes;
	}

	/**
	 * Creates the name of a group of a topic that belongs to this instance. Each listener
	 * without a group has one of its own, so that each gets a copy.
	 * @param topic the topic
	 * @return the name, another one on each call
	 */
	String instanceGroup(String topic) {
		int number = this.instanceGroups.computeIfAbsent(topic, (name) -> new AtomicInteger()).incrementAndGet();
		String own = GroupName.ofInstance(this.runtime.claims().scripts().instance());
		return (number == 1) ? own : own + "." + number;
	}

	/**
	 * Records that a listener listens to a queue on the server of this factory.
	 * @return the id of the first listener of the queue, or {@code null} if this is the
	 * first one
	 */
	@Nullable String firstListener(String queue, String id, GroupFilter filter) {
		if (GroupName.isGroup(queue)) {
			this.groupFilters.computeIfAbsent(queue, (name) -> new ConcurrentHashMap<>()).put(id, filter);
		}
		return this.firstListeners.putIfAbsent(queue, id);
	}

	/**
	 * Refuses a listener whose group has another filter because of another listener.
	 */
	void refuseOtherFilter(QueueListenerEndpoint endpoint, ContainerSettings settings) {
		settings.queues().forEach((queue, each) -> {
			this.groupFilters.getOrDefault(queue, Map.of()).forEach((other, declared) -> {
				if (!declared.equals(each.filters().group())) {
					throw endpoint.invalid("groupFilter",
							"it is '" + each.filters().group() + "', and that of the listener '" + other
									+ "' of the same group is '" + declared + "'",
							"Give all listeners of a group the same filter, or each its own group");
				}
			});
		});
	}

	/**
	 * Forgets a listener that was removed.
	 */
	void forget(QueueListenerEndpoint endpoint) {
		this.deadLetterRoutes.remove(endpoint);
		this.firstListeners.values().removeIf(endpoint.id()::equals);
		this.groupFilters.values().forEach((filters) -> filters.remove(endpoint.id()));
	}

	/**
	 * Creates a container that is not started.
	 * @param settings its settings
	 * @param handler handles the messages
	 * @return the container
	 */
	public QueueListenerContainer createContainer(ContainerSettings settings, DeliveryHandler handler) {
		return new QueueListenerContainer(settings, handler, this.runtime);
	}

}
