package io.redelay.autoconfigure;

import java.util.Map;

import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.admin.engine.QueueGateTemplate;
import io.redelay.queue.admin.engine.QueueSnapshotCache;
import io.redelay.queue.admin.engine.RollbackMarks;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.QueueThreads;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The administration of the queues of one Redis server.
 */
@Configuration(proxyBeanMethods = false)
record QueueAdminConfiguration(RedelayQueueProperties properties, QueueSettings settings, QueueThreads threads) {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueAdmin queueAdmin(AdminScripts store, QueuePartitions partitions, EnvelopeCodec codec,
			GuardedPublisher publisher, BackgroundWorkStarter background) {
		TopicGroups topics = new TopicGroups(store::topics, Map.of(), this.threads.scheduler(), publisher::publish,
				(queue) -> {
				});
		QueueAdminTemplate.Settings admins = new QueueAdminTemplate.Settings(this.properties.toInstanceName(),
				this.settings.toLengthLimits(), this.settings.toEditRules(partitions));
		QueueAdminTemplate admin = QueueAdminTemplate.of(store, partitions, codec, JsonMapper.shared(), admins, topics,
				this.threads.scheduler());
		background.add(admin::runJobs);
		return admin;
	}

	@Bean
	RollbackMarks redelayRollbackMarks(AdminScripts store) {
		return new RollbackMarks(new QueueMarks(store, this.properties.toInstanceName()));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueSnapshots queueSnapshots(AdminScripts store) {
		return new QueueSnapshotCache(store, JsonMapper.shared());
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueGates queueGates(AdminScripts store, QueuePartitions partitions) {
		return new QueueGateTemplate(store, partitions);
	}

}
