package io.redelay.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.admin.engine.instance.HandlerReporter;
import io.redelay.queue.admin.engine.instance.RecentWork;
import io.redelay.queue.claim.ClaimRuntime;
import io.redelay.queue.claim.ClaimSignals;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.claim.LocalGates;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.queue.claim.SuspectAdmission;
import io.redelay.queue.claim.WakeUps;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.handle.HandlerRuntime;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.SafetyPoll;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.converter.MessageConverter;

/**
 * What the containers of listeners to one Redis server run on.
 */
@Configuration(proxyBeanMethods = false)
record ListenerRuntimeConfiguration(RedelayQueueProperties properties, QueueWorkProperties work, QueueThreads threads,
		EnvelopeCodec codec) {

	@Bean
	WakeUps redelayWakeUps(QueueScripts store, ObjectProvider<RecentWork> work) {
		WakeUps wakeUps = new WakeUps(store.wakeUps());
		wakeUps.answerBy(
				new HandlerReporter(store.instance(), this.properties.toInstanceName(),
						work.getIfAvailable(() -> new RecentWork(this.threads.scheduler())), JsonMapper.shared()),
				this.threads.scheduler());
		store.availability().countListeners(wakeUps::listeners);
		return wakeUps;
	}

	@Bean
	ClaimRuntime redelayClaimRuntime(QueueScripts store, WakeUps wakeUps, SuspectAdmission suspects,
			QueuePartitions partitions, OutboxRelays outboxes, LocalGates gates, RecurringEngine recurring,
			Invariants invariants) {
		ClaimSignals signals = new ClaimSignals(store, this.threads.scheduler(), wakeUps,
				new SafetyPoll(this.properties.safetyPollInterval()), suspects, gates);
		return new ClaimRuntime(store, this.threads.scheduler(), signals, partitions, outboxes, invariants,
				recurring.ticks(), this.work.toSettings());
	}

	@Bean
	HandlerRuntime redelayHandlerRuntime(ObjectProvider<ObservationRegistry> registry,
			ObjectProvider<QueueProcessConvention> convention, ObjectProvider<MessageLog> log,
			ObjectProvider<DuplicateListener> duplicates,
			@Qualifier(PayloadConverters.BEAN_NAME) MessageConverter converter, StoreObservers observers) {
		return new HandlerRuntime(this.threads.handlers(), this.threads.scheduler(),
				registry.getIfAvailable(() -> ObservationRegistry.NOOP), convention.getIfAvailable(),
				log.getIfAvailable(), duplicates.orderedStream().toList(), converter, observers.meters());
	}

	@Bean
	FailureRuntime redelayFailureRuntime(ObjectProvider<MessageRetryListener> retryListeners,
			StoreObservers observers) {
		return new FailureRuntime(this.properties.toInstanceName(), JsonMapper.shared(),
				retryListeners.orderedStream().toList(), observers.meters());
	}

	@Bean
	ListenerRuntime redelayListenerRuntime(ClaimRuntime claims, HandlerRuntime handlers, FailureRuntime failures,
			AdminScripts adminStore, TopicGroups topics, GuardedPublisher publisher) {
		return new ListenerRuntime(claims, handlers, failures, this.codec, adminStore, topics,
				(lost) -> this.threads.scheduler().execute(() -> publisher.publish(lost)));
	}

	@Bean
	@ConditionalOnMissingBean(name = QueueListenerContainerFactory.DEFAULT_BEAN_NAME, search = SearchStrategy.CURRENT)
	QueueListenerContainerFactory queueListenerContainerFactory(ListenerRuntime runtime) {
		return new QueueListenerContainerFactory(runtime);
	}

}
