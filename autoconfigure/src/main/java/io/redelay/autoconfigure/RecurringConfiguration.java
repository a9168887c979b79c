package io.redelay.autoconfigure;

import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringMessageScanner;
import io.redelay.queue.store.RecurringStore;
import io.redelay.queue.store.redis.QueueScripts;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for recurring messages.
 */
@Configuration(proxyBeanMethods = false)
class RecurringConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringStore recurringStore(QueueServerFactory servers, RedissonClient redisson, QueueScripts store) {
		return servers.recurringStore(redisson, store);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringEngine recurringEngine(QueueServerFactory servers, RedissonClient redisson, RecurringStore store,
			RedelayQueueProperties properties) {
		RecurringEngine engine = servers.recurring(redisson, store);
		properties.recurring().forEach((name, message) -> message.declare(name, engine));
		return engine;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMessages recurringMessages(RecurringEngine engine) {
		return engine.messages();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMaintenance recurringCare(RecurringEngine engine) {
		return engine.care();
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMessageScanner recurringMessageScanner(ConfigurableListableBeanFactory beans, RecurringEngine engine) {
		return new RecurringMessageScanner(beans, engine);
	}

}
