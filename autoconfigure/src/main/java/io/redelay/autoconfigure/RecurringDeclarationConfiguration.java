package io.redelay.autoconfigure;

import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringMessageScanner;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What the application declares to recur: by properties, and by annotated methods.
 */
@Configuration(proxyBeanMethods = false)
class RecurringDeclarationConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMaintenance recurringMaintenance(RecurringEngine engine, NamedQueueProperties properties) {
		properties.recurring().forEach((name, message) -> message.declare(name, engine));
		return engine.care();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMessageScanner recurringMessageScanner(ConfigurableListableBeanFactory beans, RecurringEngine engine) {
		return new RecurringMessageScanner(beans, engine);
	}

}
