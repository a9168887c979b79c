package io.redelay.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.admin.engine.UnconsumedQueueReporter;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.observation.QueueSendConvention;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.send.AwaitedResults;
import io.redelay.queue.send.BundleTemplate;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.send.SendObservation;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.QueueThreads;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Sends to the queues of one Redis server.
 */
@Configuration(proxyBeanMethods = false)
record QueueSendConfiguration(ObjectProvider<ObservationRegistry> observations,
		ObjectProvider<QueueSendConvention> convention, ObjectProvider<SendInterceptor> interceptors,
		ObjectProvider<MessageLog> log, QueueThreads threads) {

	@Bean
	@ConditionalOnMissingBean(value = QueueOperations.class, search = SearchStrategy.CURRENT)
	QueueTemplate queueTemplate(QueueTemplateFactory templates) {
		return templates.create();
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	MessageBundles messageBundles(ObjectProvider<QueueTemplate> template, QueueTemplateFactory templates,
			EnvelopeCodec codec, AdminScripts adminStore, OutboxRelays outboxes) {
		return new BundleTemplate(template.getIfUnique(templates::create), codec, adminStore.bundles(), outboxes::look);
	}

	@Bean
	QueueTemplateFactory redelayQueueTemplateFactory(QueueScripts store,
			@Qualifier(PayloadConverters.BEAN_NAME) MessageConverter converter, EnvelopeCodec codec,
			SendSettings settings, QueuePartitions partitions, UnconsumedQueueReporter unconsumed,
			AwaitedResults results, TopicGroups topics) {
		return () -> {
			QueueTemplate template = new QueueTemplate(store, converter, codec, settings, partitions,
					new SendObservation(this.observations.getIfAvailable(() -> ObservationRegistry.NOOP),
							this.convention.getIfAvailable(), this.log.getIfAvailable()),
					this.threads.handlers(), this.interceptors.orderedStream().toList());
			template.setSendListener(unconsumed::sentTo);
			template.setResults(results);
			template.setTopicGroups(topics);
			return template;
		};
	}

	@Bean
	AwaitedResults redelayAwaitedResults(QueueScripts store, AdminScripts adminStore, QueuePartitions partitions,
			@Qualifier(PayloadConverters.BEAN_NAME) MessageConverter converter) {
		return new AwaitedResults(store, adminStore.messages(), partitions, converter,
				new FailedAttemptCodec(JsonMapper.shared()), this.threads.scheduler());
	}

	@Bean
	UnconsumedQueueReporter redelayUnconsumedQueueReporter(AdminScripts store, QueueSendProperties properties) {
		return new UnconsumedQueueReporter(store, this.threads.scheduler(), properties.reportUnconsumedAfter());
	}

	/**
	 * Creates a template of the server: the bean, or one for bundles and inlets where the
	 * application has its own {@link QueueOperations} instead.
	 */
	@FunctionalInterface
	interface QueueTemplateFactory {

		QueueTemplate create();

	}

}
