package io.redelay.queue.admin.engine;

import java.util.Map;

import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.bulk.BulkJobs;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.bulk.BulkWork;
import io.redelay.queue.admin.engine.deadletter.DeadLetterCounter;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.Uids;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.JobsKey;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at queues and acts on them through a {@link AdminScripts}: one class for each
 * theme.
 *
 * @since 0.1.0
 */
public record QueueAdminTemplate(MessageAdmin messages, DeadLetterAdmin deadLetters, BulkJobAdmin jobs,
		TopicAdmin topics, QueueInspector queues, QueueControl control, QueueLimitAdmin limits,
		BulkRunner runner) implements QueueAdmin, AutoCloseable {

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads the announcements
	 * of instances
	 * @param settings the name of this instance, and the limits of queues
	 * @param groups publishes what happens to the groups of topics
	 * @param scheduler when jobs go on, and the threads on which they may block
	 * @return the template
	 */
	public static QueueAdminTemplate of(AdminScripts store, QueuePartitions partitions, EnvelopeCodec codec,
			JsonMapper mapper, Settings settings, TopicGroups groups, Scheduler scheduler) {
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
		DeadLetterReader dead = new DeadLetterReader(store, reader, pages);
		DeadLetterAdmin deadLetters = new DeadLetterAdminTemplate(queues, dead, new DeadLetterCounter(dead),
				new DeadLetterRedrive(store, dead, lookup, commands), tagged, new RedriveStatuses(store, instances));
		BulkRunner runner = new BulkRunner(new JobsKey(store.runner()),
				new BulkWork(search, lookup, commands, found, editor, known), scheduler, instance);
		store.replayMemory().watch(runner::endAgain);
		ConsumerDirectory consumers = new ConsumerDirectory(store, mapper);
		return new QueueAdminTemplate(new MessageAdminTemplate(queues, lookup, pages, search, tagged, found, editor),
				deadLetters, new BulkJobs(store, known, parts, runner, new Uids()),
				new TopicAdminTemplate(store.topics(), queues, consumers, groups, settings.limits(), new Uids()),
				new QueueInspectorTemplate(store, queues, consumers, instances),
				new QueueLifecycle(store, queues, commands),
				new QueueLimitTemplate(store, queues, commands, instances, settings.limits(), instance), runner);
	}

	/**
	 * Makes this instance look for jobs of dead instances, and carry them out. It does so
	 * by itself once it starts a job, or finds a running one when jobs are listed.
	 */
	public void runJobs() {
		this.runner.start();
	}

	/**
	 * Stops carrying out jobs in this instance; other instances take its jobs over.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * The settings of a {@link QueueAdminTemplate}.
	 *
	 * @param instance the display name of this instance
	 * @param limits how many messages single queues and their lines may have, by name
	 * @param edits how waiting messages may be changed
	 */
	public record Settings(String instance, Map<String, LengthLimit> limits, EditRules edits) {

		public Settings {
			limits = Map.copyOf(limits);
		}

	}

}
