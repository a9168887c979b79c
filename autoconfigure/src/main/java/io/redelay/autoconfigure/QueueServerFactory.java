package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.guard.UnsuitableRedisException;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.script.QueueScripts;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * Creates the access to the queues of further Redis servers: for each of them the beans
 * that the application has for its own, in a context of their own. They use the
 * properties of the application and its beans: converter, threads, conventions and
 * listeners.
 *
 * @since 0.1.0
 */
public final class QueueServerFactory implements AutoCloseable {

	private static final Class<?>[] CONFIGURATIONS = { QueueStoreConfiguration.class, QueueSendConfiguration.class,
			ListenerRuntimeConfiguration.class, RecurringConfiguration.class, QueueAdminConfiguration.class };

	private final ConfigurableApplicationContext application;

	private final List<ConfigurableApplicationContext> servers = new CopyOnWriteArrayList<>();

	QueueServerFactory(ConfigurableApplicationContext application) {
		this.application = application;
	}

	/**
	 * Creates the access to the queues of another server. Waits up to ten seconds for it
	 * to say which versions of Redelay use it.
	 * @param redisson a client of the server; the caller shuts it down
	 * @return the server
	 * @throws UnsuitableRedisException if this version does not work with one of those
	 */
	public QueueServer create(RedissonClient redisson) {
		AnnotationConfigApplicationContext server = new AnnotationConfigApplicationContext(
				new DefaultListableBeanFactory(this.application.getBeanFactory()));
		server.setEnvironment(this.application.getEnvironment());
		server.setClassLoader(this.application.getClassLoader());
		server.register(CONFIGURATIONS);
		server.registerBean("redissonClient", RedissonClient.class, () -> redisson,
				(definition) -> definition.setDestroyMethodName(""));
		server.registerBean("recurringMaintenance", RecurringMaintenance.class,
				() -> server.getBean(RecurringEngine.class).care());
		server.addBeanFactoryPostProcessor(QueueServerFactory::preferAndDefer);
		server.refresh();
		this.servers.add(server);
		try {
			// The store has the names of queues forgotten, also of a server that is not
			// used.
			server.getBean(QueueScripts.class);
			server.getBean(WireCheck.class).afterSingletonsInstantiated();
		}
		catch (RuntimeException | Error ex) {
			this.servers.remove(server);
			server.close();
			throw ex;
		}
		return new QueueServer(server);
	}

	/**
	 * The beans of the server go before those of the application, and are created when
	 * they are first requested.
	 */
	private static void preferAndDefer(ConfigurableListableBeanFactory beans) {
		for (String name : beans.getBeanDefinitionNames()) {
			beans.getBeanDefinition(name).setPrimary(true);
			beans.getBeanDefinition(name).setLazyInit(true);
		}
	}

	/**
	 * Ends all waiting for servers that do not answer.
	 */
	@Override
	public void close() {
		this.servers.forEach(ConfigurableApplicationContext::close);
	}

}
