package io.redelay.queue.config;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.listener.ListenerDefinition;
import io.redelay.queue.listener.ListenerInfo;
import io.redelay.queue.listener.QueueListeners;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.Assert;

/**
 * The listeners of a {@link QueueListenerEndpointRegistry}, as an API for applications.
 *
 * @since 0.1.0
 */
public final class RegisteredListeners implements QueueListeners {

	private final QueueListenerEndpointRegistry registry;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Creates the access to the listeners of an application.
	 * @param registry has the listeners
	 * @param beanFactory the beans of the application
	 */
	public RegisteredListeners(QueueListenerEndpointRegistry registry, ConfigurableListableBeanFactory beanFactory) {
		this.registry = registry;
		this.beanFactory = beanFactory;
	}

	@Override
	public ListenerInfo register(ListenerDefinition definition) {
		Assert.notNull(definition, "'definition' must not be null");
		return info(new ListenerRegistrar(this.beanFactory).register(QueueListenerEndpoint.of(definition)));
	}

	@Override
	public void start(String id) {
		QueueListenerEndpointRegistry.start(List.of(container(id)));
	}

	@Override
	public CompletableFuture<Void> stop(String id) {
		return container(id).stop(this.registry.shutdownTimeout());
	}

	@Override
	public CompletableFuture<Void> remove(String id) {
		return stop(id).thenRun(() -> this.registry.remove(id));
	}

	@Override
	public void pause(String id) {
		container(id).pause();
	}

	@Override
	public void resume(String id) {
		container(id).resume();
	}

	@Override
	public void setConcurrency(String id, int min, int max) {
		container(id).setConcurrency(min, max);
	}

	@Override
	public List<ListenerInfo> list() {
		return this.registry.getContainers().stream().map(RegisteredListeners::info).toList();
	}

	@Override
	public Optional<ListenerInfo> find(String id) {
		return Optional.ofNullable(this.registry.getContainer(id)).map(RegisteredListeners::info);
	}

	private QueueListenerContainer container(String id) {
		QueueListenerContainer container = this.registry.getContainer(id);
		Assert.notNull(container, () -> "There is no listener '" + id + "' in this application. It has "
				+ this.registry.getContainers().stream().map(QueueListenerContainer::getId).toList());
		return container;
	}

	private static ListenerInfo info(QueueListenerContainer container) {
		ContainerSettings settings = container.getSettings();
		ListenerInfo.State state = !container.isRunning() ? ListenerInfo.State.STOPPED
				: container.isPaused() ? ListenerInfo.State.PAUSED : ListenerInfo.State.RUNNING;
		return new ListenerInfo(container.getId(), List.copyOf(settings.queues().keySet()), state,
				settings.concurrency().least(), settings.concurrency().most(), container.getHeld());
	}

}
