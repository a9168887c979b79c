package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.delivery.LockActivity;
import io.redelay.queue.admin.engine.instance.InstanceAnnouncer;
import io.redelay.queue.admin.engine.instance.InstanceKeys;
import io.redelay.queue.admin.engine.instance.RecentWork;
import io.redelay.queue.config.QueueListenerAnnotationBeanPostProcessor;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.config.QueueListenerSupport;
import io.redelay.queue.config.QueueReceiverTemplate;
import io.redelay.queue.config.RegisteredListeners;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.scheduling.QueueThreads;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.validation.Validator;

/**
 * The part of the queue's auto-configuration for listeners.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "redelay.queue.listener.enabled", matchIfMissing = true)
@Import(ListenerRuntimeConfiguration.class)
record QueueListenerConfiguration(RedelayQueueProperties properties, QueueSettings settings, QueueThreads threads) {

	@Bean
	static QueueListenerAnnotationBeanPostProcessor queueListenerAnnotationBeanPostProcessor() {
		return new QueueListenerAnnotationBeanPostProcessor();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueListenerEndpointRegistry queueListenerEndpointRegistry(ObjectProvider<LifecycleProperties> lifecycle) {
		Duration phase = lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase();
		Duration own = this.properties.shutdownTimeout();
		return new QueueListenerEndpointRegistry((own != null) ? own : phase.multipliedBy(9).dividedBy(10));
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueListeners queueListeners(QueueListenerEndpointRegistry registry, ConfigurableListableBeanFactory beanFactory) {
		return new RegisteredListeners(registry, beanFactory);
	}

	@Bean
	@ConditionalOnMissingBean(value = QueueReceiver.class, search = SearchStrategy.CURRENT)
	QueueReceiverTemplate queueReceiver(
			@Qualifier(QueueListenerContainerFactory.DEFAULT_BEAN_NAME) QueueListenerContainerFactory factory,
			QueueListenerSupport support, ConfigurableListableBeanFactory beanFactory,
			QueueListenerEndpointRegistry registry) {
		return new QueueReceiverTemplate(factory, support, beanFactory, registry.shutdownTimeout());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueListenerSupport queueListenerSupport(@Qualifier(PayloadConverters.BEAN_NAME) MessageConverter converter,
			ObjectProvider<Validator> validator) {
		return new QueueListenerSupport(this.settings.toListenerDefaults(), converter, validator.getIfUnique());
	}

	@Bean
	UnusedQueueProperties unusedQueueProperties(NamedQueueProperties properties,
			QueueListenerEndpointRegistry registry) {
		return new UnusedQueueProperties(properties, registry);
	}

	/**
	 * It is no dependent of the registry, which stops in another phase: Spring takes the
	 * end of a dependent for the end of the registry, and does not wait for handlers.
	 */
	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	InstanceAnnouncer instanceAnnouncer(ApplicationContext context,
			ObjectProvider<QueueListenerEndpointRegistry> registry, QueueScripts store, AdminScripts adminStore,
			ObjectProvider<RedissonClient> redisson, RecentWork work, ObjectProvider<LockActivity> locks) {
		LockActivity activity = areLocksAnnounced(context) ? null : locks.getIfUnique();
		RedissonClient client = redisson.getIfUnique();
		return new InstanceAnnouncer(registry.getObject(),
				new InstanceAnnouncer.Home(store.instance(), adminStore, (client != null) ? client.getId() : null),
				work, activity, this.threads.scheduler(), JsonMapper.shared(), identity(context.getEnvironment()),
				this.settings.toInlets().names());
	}

	/**
	 * Spring Boot sets the version to that of the manifest of the application's jar.
	 */
	private InstanceKeys.Identity identity(Environment environment) {
		return new InstanceKeys.Identity(this.properties.toInstanceName(),
				environment.getProperty("spring.application.name", ""),
				environment.getProperty("spring.application.version", ""));
	}

	/**
	 * The locks of a parent context that announces them are announced there.
	 */
	private static boolean areLocksAnnounced(ApplicationContext context) {
		ApplicationContext parent = context.getParent();
		return parent != null && context.getBeanNamesForType(LockActivity.class, true, false).length == 0
				&& BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, InstanceAnnouncer.class, true,
						false).length > 0;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecentWork recentWork() {
		return new RecentWork(this.threads.scheduler());
	}

}
