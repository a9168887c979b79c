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
import io.redelay.queue.admin.engine.bulk.BulkJson;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.bulk.BulkWork;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.admin.engine.message.MessageBurial;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.LengthLimit;
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
public final class QueueAdminTemplate implements QueueAdmin, AutoCloseable {

	private final QueueLifecycle control;

	private final QueueLimitTemplate limits;

	private final MessageAdminTemplate messages;

	private final DeadLetterAdminTemplate deadLetters;

	private final BulkJobs jobs;

	private final QueueInspectorTemplate queues;

	private final TopicAdminTemplate topics;

	private final BulkRunner runner;

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
	 */
	public QueueAdminTemplate(AdminScripts store, QueuePartitions partitions, EnvelopeCodec codec, JsonMapper mapper,
			Settings settings, TopicGroups groups, Scheduler scheduler) {
		String instance = settings.instance();
		ExistingQueues known = new ExistingQueues(store);
		KnownPartitions parts = new KnownPartitions(partitions);
		CommandSender commands = new CommandSender(store, settings.limits());
		QueueCounter counter = new QueueCounter(store, new ExpiredMessages(store, codec, mapper, instance));
		QueueAccess queues = new QueueAccess(known, parts, counter);
		this.control = new QueueLifecycle(store, known, parts, counter, commands);
		MessageReader reader = new MessageReader(codec, mapper);
		PageReader pages = new PageReader(store, reader);
		MessageLookup lookup = new MessageLookup(parts, pages, commands);
		MessagesByTag tagged = new MessagesByTag(store, reader, commands);
		MessageSearch search = new MessageSearch(store, reader, parts, pages, tagged);
		OptimisticCommands found = new OptimisticCommands(store, commands);
		MessageBurial burial = new MessageBurial(mapper, instance);
		MessageEditor editor = new MessageEditor(codec, settings.edits());
		this.messages = new MessageAdminTemplate(queues, lookup, pages, search, tagged, found, burial, editor);
		InstanceDirectory instances = new InstanceDirectory(store, mapper);
		DeadLetterReader dead = new DeadLetterReader(store, reader, pages);
		this.deadLetters = new DeadLetterAdminTemplate(queues, dead,
				new DeadLetterRedrive(store, dead, lookup, commands), tagged, new RedriveStatuses(store, instances));
		BulkJson json = new BulkJson();
		this.runner = new BulkRunner(new JobsKey(store.runner()),
				new BulkWork(search, lookup, commands, found, burial, editor, known), json, scheduler, instance);
		store.replayMemory().watch(this.runner::endAgain);
		this.jobs = new BulkJobs(store, known, parts, this.runner, json);
		ConsumerDirectory consumers = new ConsumerDirectory(store, mapper);
		this.queues = new QueueInspectorTemplate(store, queues, consumers, instances);
		this.limits = new QueueLimitTemplate(store, known, parts, commands, instances, settings.limits(), instance);
		this.topics = new TopicAdminTemplate(store.topics(), known, counter, consumers, groups, settings.limits());
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

	@Override
	public MessageAdmin messages() {
		return this.messages;
	}

	@Override
	public DeadLetterAdmin deadLetters() {
		return this.deadLetters;
	}

	@Override
	public BulkJobAdmin jobs() {
		return this.jobs;
	}

	@Override
	public TopicAdmin topics() {
		return this.topics;
	}

	@Override
	public QueueInspector queues() {
		return this.queues;
	}

	@Override
	public QueueControl control() {
		return this.control;
	}

	@Override
	public QueueLimitAdmin limits() {
		return this.limits;
	}

	/**
	 * The settings of a {@link QueueAdminTemplate}.
	 *
	 * @param instance the display name of this instance
	 * @param limits how many messages single queues and their lines may have, by name
	 * @param edits how waiting messages may be changed
	 */
	public record Settings(String instance, Map<String, LengthLimit> limits, EditRules edits) {

	}

}
