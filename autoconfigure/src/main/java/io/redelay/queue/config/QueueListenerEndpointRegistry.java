package io.redelay.queue.config;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.listener.QueueListenerContainer;
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

	private final Duration shutdownTimeout;

	private final Map<String, QueueListenerContainer> containers = new LinkedHashMap<>();

	private final Map<String, QueueListenerEndpoint> endpoints = new LinkedHashMap<>();

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
	 * Adds a listener; starts it if the others have been started.
	 * @param endpoint the method
	 * @param container its container
	 */
	void register(QueueListenerEndpoint endpoint, QueueListenerContainer container) {
		boolean start;
		synchronized (this.containers) {
			QueueListenerEndpoint other = this.endpoints.putIfAbsent(endpoint.id(), endpoint);
			if (other != null) {
				throw endpoint.invalid("id", "the id '" + endpoint.id() + "' is taken by the " + other,
						"Give one of them another id");
			}
			this.containers.put(endpoint.id(), container);
			start = this.running && container.getSettings().autoStartup();
		}
		if (start) {
			container.start();
		}
	}

	/**
	 * Finds a container.
	 * @param id the id of its listener
	 * @return the container, or {@code null} if there is none
	 */
	public @Nullable QueueListenerContainer getContainer(String id) {
		synchronized (this.containers) {
			return this.containers.get(id);
		}
	}

	/**
	 * Returns all containers.
	 * @return the containers, in the order in which their listeners were found
	 */
	public Collection<QueueListenerContainer> getContainers() {
		synchronized (this.containers) {
			return List.copyOf(this.containers.values());
		}
	}

	@Override
	public void start() {
		synchronized (this.containers) {
			this.running = true;
		}
		getContainers().stream()
			.filter((container) -> container.getSettings().autoStartup())
			.forEach(QueueListenerContainer::start);
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
		synchronized (this.containers) {
			this.running = false;
		}
		return CompletableFuture.allOf(getContainers().stream()
			.map((container) -> container.stop(this.shutdownTimeout))
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public boolean isRunning() {
		synchronized (this.containers) {
			return this.running;
		}
	}

}
