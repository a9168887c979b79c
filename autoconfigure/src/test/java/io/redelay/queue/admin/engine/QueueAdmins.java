package io.redelay.queue.admin.engine;

import java.util.Map;

import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.SinglePartitions;
import io.redelay.test.TestSettings;
import tools.jackson.databind.json.JsonMapper;

/**
 * Creates templates for tests, without limits, partitions or configured topics.
 */
public final class QueueAdmins {

	private QueueAdmins() {
	}

	public static QueueAdminTemplate of(AdminScripts store, String instance) {
		Scheduler scheduler = store.replayMemory().scheduler();
		QueuePartitions partitions = SinglePartitions.create();
		return QueueAdminTemplate.of(store, partitions, new EnvelopeCodec(), JsonMapper.shared(),
				new QueueAdminTemplate.Settings(instance, Map.of(), new EditRules(1024 * 1024, Map.of(), partitions)),
				TestSettings.noTopics(scheduler), scheduler);
	}

}
