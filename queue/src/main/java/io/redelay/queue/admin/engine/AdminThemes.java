package io.redelay.queue.admin.engine;

import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.bulk.BulkJobs;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.bulk.BulkWork;
import io.redelay.queue.admin.engine.deadletter.DeadLetterCounter;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.HandlerInquiry;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.instance.InstanceKeys;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.Uids;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.topic.TopicGroups;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link QueueAdminTemplate} does, one class for each theme.
 *
 * @param work carries out the steps of jobs
 */
record AdminThemes(MessageAdmin messages, DeadLetterAdmin deadLetters, BulkJobAdmin jobs, TopicAdmin topics,
		WholeQueues whole, HandlerAdmin handlers, BulkWork work) {

	static AdminThemes of(AdminScripts store, QueuePartitions partitions, EnvelopeCodec codec, JsonMapper mapper,
			QueueAdminTemplate.Settings settings, TopicGroups groups, BulkRunner runner) {
		String instance = settings.instance();
		ExistingQueues known = new ExistingQueues(store);
		KnownPartitions parts = new KnownPartitions(partitions);
		FailedAttemptCodec attempts = new FailedAttemptCodec(mapper);
		CommandSender commands = new CommandSender(store, settings.limits());
		QueueCounter counter = new QueueCounter(store, new ExpiredMessages(store, codec, attempts, instance));
		QueueAccess queues = new QueueAccess(known, parts, counter);
		MessageReader reader = new MessageReader(codec, attempts);
		PageReader pages = new PageReader(store, reader);
		MessageLookup lookup = new MessageLookup(parts, pages, commands);
		MessagesByTag tagged = new MessagesByTag(store, reader, commands);
		MessageSearch search = new MessageSearch(store, reader, parts, pages, tagged);
		OptimisticCommands found = new OptimisticCommands(store, commands);
		MessageEditor editor = new MessageEditor(codec, settings.edits(), attempts, instance);
		InstanceDirectory instances = new InstanceDirectory(store, mapper);
		QueueMarks marks = new QueueMarks(store, instance);
		DeadLetterReader dead = new DeadLetterReader(store, reader, pages);
		DeadLetterAdmin deadLetters = new DeadLetterAdminTemplate(queues, dead, new DeadLetterCounter(dead),
				new DeadLetterRedrive(store, dead, lookup, commands), tagged, new RedriveStatuses(store, instances),
				marks);
		BulkWork work = new BulkWork(search, lookup, commands, found, editor, known);
		ConsumerDirectory consumers = new ConsumerDirectory(store, mapper);
		QueueLimitAdmin limits = new QueueLimitTemplate(store, queues, commands, instances, settings.limits(),
				instance);
		return new AdminThemes(new MessageAdminTemplate(queues, lookup, pages, search, tagged, found, editor),
				deadLetters, new BulkJobs(store, known, parts, runner, new Uids(), marks),
				new TopicAdminTemplate(store.topics(), queues, consumers, groups, settings.limits(), new Uids()),
				new WholeQueues(
						new QueueInspectorTemplate(store, queues, consumers, instances, limits, marks,
								new RedisClock(new InstanceKeys(store.runner())::now,
										store.replayMemory().scheduler())),
						new QueueLifecycle(store, queues, commands, marks), limits),
				new HandlerAdminTemplate(queues, lookup, new HandlerInquiry(store, instances, mapper)), work);
	}

	/**
	 * What shows whole queues and acts on them.
	 */
	record WholeQueues(QueueInspector inspector, QueueControl control, QueueLimitAdmin limits) {

	}

}
