package io.redelay.autoconfigure;

import io.redelay.autoconfigure.QueueSendConfiguration.QueueTemplateFactory;
import io.redelay.queue.deadletter.DeadLetterBounds;
import io.redelay.queue.deadletter.DeadLetterEvents;
import io.redelay.queue.deadletter.DeadLetterRuntime;
import io.redelay.queue.inlet.InletRuntime;
import io.redelay.queue.inlet.InletTakeover;
import io.redelay.queue.inlet.RefusalCauses;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.SafetyPoll;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The part of the queue's auto-configuration for inlets.
 */
@Configuration(proxyBeanMethods = false)
record QueueInletConfiguration(RedelayQueueProperties properties, QueueSettings settings, QueueThreads threads) {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	InletTakeover inletTakeover(ObjectProvider<InletRuntime> runtime) {
		return new InletTakeover(this.settings.toInlets(), runtime::getObject);
	}

	@Bean
	@Lazy
	InletRuntime redelayInletRuntime(QueueScripts store, AdminScripts adminStore,
			ObjectProvider<QueueTemplate> template, QueueTemplateFactory templates, QueuePartitions partitions,
			EnvelopeCodec codec, ObjectProvider<InletListener> listeners,
			ObjectProvider<MessageRetryListener> retryListeners) {
		DeadLetterRuntime dead = new DeadLetterRuntime(adminStore, store, codec, JsonMapper.shared(),
				this.threads.scheduler(), new SafetyPoll(this.properties.safetyPollInterval()),
				retryListeners.orderedStream().toList(), new DeadLetterEvents());
		return new InletRuntime(store.inlets(), template.getIfUnique(templates::create), partitions, codec,
				new RefusalCauses(new FailedAttemptCodec(JsonMapper.shared()), this.properties.toInstanceName()),
				this.threads.scheduler(), listeners.orderedStream().toList(), new DeadLetterBounds(dead));
	}

}
