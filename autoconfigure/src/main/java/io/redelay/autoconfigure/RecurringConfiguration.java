package io.redelay.autoconfigure;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringReporter;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.script.admin.RedisRecurringStore;
import io.redelay.scheduling.QueueThreads;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.converter.MessageConverter;

/**
 * The recurring messages of one Redis server.
 */
@Configuration(proxyBeanMethods = false)
record RecurringConfiguration(RedelayQueueProperties properties, QueueThreads threads, ReplayMemory replayMemory) {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringStore recurringStore(RedissonClient redisson, QueueScripts store) {
		return new RedisRecurringStore(redisson, this.properties.keyPrefix(), this.properties.resendTimeout(),
				this.threads.timer(), store.availability(), store.instance());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringEngine recurringEngine(RecurringStore store, EnvelopeCodec codec,
			@Qualifier(PayloadConverters.BEAN_NAME) MessageConverter converter, GuardedPublisher publisher,
			BackgroundWorkStarter background, QueueRecurrenceProperties recurrence, QueueSettings settings) {
		RecurringReporter reporter = new RecurringReporter(this.threads.handlers(), publisher.unguarded());
		RecurringEngine engine = new RecurringEngine(store, codec, JsonMapper.shared(), converter, reporter,
				this.threads.scheduler(), recurrence.dropAfter(), settings::priorityAgeing);
		background.add(engine.care()::activate);
		this.replayMemory.watch(engine.care()::redisIsBack);
		this.replayMemory.watch(() -> engine.repeatForgotten(this.replayMemory.duration()));
		return engine;
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RecurringMessages recurringMessages(RecurringEngine engine) {
		return engine.messages();
	}

}
