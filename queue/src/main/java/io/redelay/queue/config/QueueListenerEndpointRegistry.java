package io.redelay.queue.config;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.log.PlainLog;
import io.redelay.queue.claim.QueueListenerContainer;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Holds the containers of all listeners. Starts them after all other beans and stops them
 * before.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class QueueListenerEndpointRegistry implements SmartLifecycle {

	private static final Log logger = PlainLog.of(QueueListenerEndpointRegistry.class);

	/**
	 * How long a start waits for groups of topics to be registered.
	 */
	private static final Duration LONGEST_REGISTRATION = Duration.ofSeconds(5);

	private final Duration shutdownTimeout;

	private final Map<String, Registered> listeners = new LinkedHashMap<>();

	private volatile Runnable whenChanged = () -> {
	};

	private boolean running;

	/**
	 * Creates a registry.
	 * @param shutdownTimeout how long to wait for running handlers when the application
	 * stops
	 */
	public QueueListenerEndpointRegistry(Duration shutdownTimeout) {
		this.shutdownTimeout = shutdownTimeout;
	}

	/**
	 * Adds a listener; starts it if the others have been started, and waits until the
	 * group of a topic that it listens to is registered.
	 * @param endpoint the method
	 * @param container its container
	 * @param removal is run when it is removed
	 */
	void register(QueueListenerEndpoint endpoint, QueueListenerContainer container, Runnable removal) {
		boolean start;
		synchronized (this.listeners) {
			refuseTaken(endpoint);
			this.listeners.put(endpoint.id(), new Registered(endpoint, container, removal));
			container.onChange(this::changed);
			start = this.running && container.getSettings().autoStartup();
		}
		if (start) {
			start(List.of(container));
		}
		changed();
	}

	/**
	 * Sets an action to run when a listener is added or removed, started, stopped, paused
	 * or resumed.
	 * @param action must be quick, and not block
	 */
	public void onChange(Runnable action) {
		this.whenChanged = action;
	}

	private void changed() {
		this.whenChanged.run();
	}

	/**
	 * Rejects a listener whose id another one has.
	 */
	void refuseTaken(QueueListenerEndpoint endpoint) {
		synchronized (this.listeners) {
			Registered other = this.listeners.get(endpoint.id());
			if (other != null) {
				throw endpoint.invalid("id", "the id '" + endpoint.id() + "' is taken by the " + other.endpoint(),
						"Give one of them another id");
			}
		}
	}

	/**
	 * Forgets a listener that was stopped.
	 * @param id the id of the listener
	 */
	void remove(String id) {
		synchronized (this.listeners) {
			Registered removed = this.listeners.remove(id);
			if (removed != null) {
				removed.removal().run();
			}
		}
		changed();
	}

	/**
	 * Returns how long a stop waits for running handlers.
	 * @return the time
	 */
	public Duration shutdownTimeout() {
		return this.shutdownTimeout;
	}

	/**
	 * Finds a container.
	 * @param id the id of its listener
	 * @return the container, or {@code null} if there is none
	 */
	public @Nullable QueueListenerContainer getContainer(String id) {
		synchronized (this.listeners) {
			Registered found = this.listeners.get(id);
			return (found != null) ? found.container() : null;
		}
	}

	/**
	 * Returns all containers.
	 * @return the containers, in the order in which their listeners were found
	 */
	public Collection<QueueListenerContainer> getContainers() {
		synchronized (this.listeners) {
			return this.listeners.values().stream().map(Registered::container).toList();
		}
	}

	@Override
	public void start() {
		synchronized (this.listeners) {
			this.running = true;
		}
		start(getContainers().stream().filter((container) -> container.getSettings().autoStartup()).toList());
	}

	/**
	 * Starts containers, and waits until the groups of topics that they listen to are
	 * registered, so that what is published from then on reaches them.
	 */
	static void start(List<QueueListenerContainer> started) {
		started.forEach(QueueListenerContainer::start);
		try {
			CompletableFuture
				.allOf(started.stream().map(QueueListenerContainer::groupsRegistered).toArray(CompletableFuture[]::new))
				.get(LONGEST_REGISTRATION.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("Groups of topics are not registered yet, so that what is published may not reach them:"
					+ " Redis does not answer", ex);
		}
	}

	@Override
	public void stop() {
		stopAll().join();
	}

	@Override
	public void stop(Runnable callback) {
		stopAll().whenComplete((stopped, failure) -> callback.run());
	}

	private CompletableFuture<Void> stopAll() {
		synchronized (this.listeners) {
			this.running = false;
		}
		return CompletableFuture.allOf(getContainers().stream()
			.map((container) -> container.stop(this.shutdownTimeout))
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public boolean isRunning() {
		synchronized (this.listeners) {
			return this.running;
		}
	}

	/**
	 * A listener, and what to do when it is removed.
	 */
	private record Registered(QueueListenerEndpoint endpoint, QueueListenerContainer container, Runnable removal) {
	}

}
