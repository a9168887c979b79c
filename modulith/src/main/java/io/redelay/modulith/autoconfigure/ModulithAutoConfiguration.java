package io.redelay.modulith.autoconfigure;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.modulith.EventMessages;
import io.redelay.modulith.OutboxEventTransport;
import io.redelay.modulith.QueueEventTransport;
import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.QueueOperations;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * Auto-configuration that takes the externalized events of Spring Modulith to queues and
 * topics: after the commit, from Modulith's event publications; or, if
 * {@code spring.modulith.events.externalization.mode} is {@code outbox}, through the
 * outbox of Redelay.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { QueueAutoConfiguration.class, EventExternalizationAutoConfiguration.class },
		afterName = "io.redelay.outbox.autoconfigure.OutboxAutoConfiguration")
@ConditionalOnClass(EventExternalizerModuleListener.class)
@ConditionalOnBean({ EventExternalizationConfiguration.class, QueueOperations.class })
@ConditionalOnBooleanProperty(name = "redelay.modulith.enabled", matchIfMissing = true)
public final class ModulithAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EventMessages redelayEventMessages(EventExternalizationConfiguration configuration, BeanFactory beans) {
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(new BeanFactoryResolver(beans));
		return new EventMessages(configuration, context);
	}

	/**
	 * Sends events after the commit.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(OutboxEventExternalizerFactory.class)
	static class AfterCommitConfiguration {

		@Bean
		EventExternalizerModuleListener redelayEventExternalizer(EventExternalizationConfiguration configuration,
				EventMessages messages, QueueOperations queues) {
			return new EventExternalizerModuleListener(configuration, new QueueEventTransport(messages, queues));
		}

	}

	/**
	 * Writes events to the outbox.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(OutboxOperations.class)
	@ConditionalOnBean(OutboxEventExternalizerFactory.class)
	static class OutboxConfiguration {

		@Bean
		OutboxEventTransport redelayOutboxEventTransport(EventExternalizationConfiguration configuration,
				EventMessages messages, ObjectProvider<OutboxOperations> outbox,
				OutboxEventExternalizerFactory externalizers) {
			OutboxOperations operations = outbox.getIfAvailable();
			if (operations == null) {
				throw new MissingOutboxException();
			}
			return new OutboxEventTransport(messages, operations, configuration, externalizers);
		}

	}

	/**
	 * Refuses to lose events.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingClass("io.redelay.outbox.OutboxOperations")
	@ConditionalOnBean(OutboxEventExternalizerFactory.class)
	static class NoOutboxConfiguration {

		NoOutboxConfiguration() {
			throw new MissingOutboxException();
		}

	}

}
