package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimits;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.bulk.BulkJobs;
import io.redelay.queue.admin.engine.bulk.BulkJson;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.bulk.BulkWork;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.admin.engine.message.MessageBurial;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.redis.RedisQueueAdminStore;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at queues and acts on them through a {@link QueueAdminStore}. It has one class
 * for each theme, and passes each call to the class of its theme.
 *
 * @since 0.1.0
 */
public class QueueAdminTemplate implements QueueAdmin, AutoCloseable {

	private final QueueLifecycle queues;

	private final QueueLimitTemplate limits;

	private final MessageAdmin messages;

	private final DeadLetterAdmin deadLetters;

	private final BulkJobAdmin jobs;

	private final QueueInspector inspector;

	private final TopicAdmin topics;

	private final BulkRunner runner;

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads the announcements
	 * of instances
	 * @param instance the display name of this instance
	 */
	public QueueAdminTemplate(RedisQueueAdminStore store, QueuePartitions partitions, EnvelopeCodec codec,
			JsonMapper mapper, String instance) {
		this(store, partitions, codec, mapper, instance, TopicGroups.none(store.replayMemory().scheduler()), Map.of(),
				new EditRules(1024 * 1024, Map.of(), partitions), store.replayMemory().scheduler());
	}

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads the announcements
	 * of instances
	 * @param instance the display name of this instance
	 * @param groups publishes what happens to the groups of topics
	 * @param limits how many messages single queues and their lines may have, by name
	 * @param rules how waiting messages may be changed
	 * @param scheduler when jobs go on, and the threads on which they may block
	 */
	public QueueAdminTemplate(RedisQueueAdminStore store, QueuePartitions partitions, EnvelopeCodec codec,
			JsonMapper mapper, String instance, TopicGroups groups, Map<String, LengthLimit> limits, EditRules rules,
			Scheduler scheduler) {
		ExistingQueues known = new ExistingQueues(store);
		KnownPartitions parts = new KnownPartitions(partitions);
		CommandSender commands = new CommandSender(store, limits);
		QueueCounter counter = new QueueCounter(store, new ExpiredMessages(store, codec, mapper, instance));
		this.queues = new QueueLifecycle(store, known, parts, counter, commands);
		MessageReader reader = new MessageReader(codec, mapper);
		PageReader pages = new PageReader(store, reader);
		MessageLookup lookup = new MessageLookup(parts, pages, commands);
		MessagesByTag tagged = new MessagesByTag(store, reader, commands);
		MessageSearch search = new MessageSearch(store, reader, parts, pages, tagged);
		OptimisticCommands found = new OptimisticCommands(store, commands);
		MessageBurial burial = new MessageBurial(mapper, instance);
		MessageEditor editor = new MessageEditor(codec, rules);
		this.messages = new MessageAdminTemplate(known, parts, counter, lookup, pages, search, tagged, found, burial,
				editor);
		InstanceDirectory instances = new InstanceDirectory(store, mapper);
		DeadLetterReader dead = new DeadLetterReader(store, reader, pages);
		this.deadLetters = new DeadLetterAdminTemplate(known, parts, counter, dead,
				new DeadLetterRedrive(store, dead, lookup, commands), tagged, new RedriveStatuses(store, instances));
		BulkJson json = new BulkJson();
		this.runner = new BulkRunner(store.jobs(), new BulkWork(search, lookup, commands, found, burial, editor, known),
				json, scheduler, instance);
		store.replayMemory().watch(this.runner::endAgain);
		this.jobs = new BulkJobs(store, known, parts, this.runner, json);
		ConsumerDirectory consumers = new ConsumerDirectory(store, mapper);
		this.inspector = new QueueInspectorTemplate(store, known, parts, counter, consumers, instances);
		this.limits = new QueueLimitTemplate(store, known, parts, commands, instances, limits, instance);
		this.topics = new TopicAdminTemplate(store.topics(), known, counter, consumers, groups, limits);
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
	public long purge(String queue, MessageState state) {
		return this.queues.purge(queue, state);
	}

	@Override
	public void pause(String queue) {
		this.queues.pause(queue);
	}

	@Override
	public void resume(String queue) {
		this.queues.resume(queue);
	}

	@Override
	public void close(String queue) {
		this.queues.close(queue);
	}

	@Override
	public void reopen(String queue) {
		this.queues.reopen(queue);
	}

	@Override
	public QueueLimits limits(String queue) {
		return this.limits.limits(queue);
	}

	@Override
	public QueueLimits changeLimits(String queue, LimitsChange change) {
		return this.limits.change(queue, change);
	}

	@Override
	public QueueLimits clearLimits(String queue) {
		return this.limits.change(queue, LimitsChange.clearAll());
	}

	@Override
	public QueueInfo drain(String queue, Duration limit) {
		return this.queues.drain(queue, limit);
	}

	@Override
	public void delete(String queue) {
		this.queues.delete(queue);
	}

	@Override
	public void deleteWithMessages(String queue) {
		this.queues.deleteWithMessages(queue);
	}

	@Override
	public Optional<QueuedMessage> find(String queue, String id) {
		return this.messages.find(queue, id);
	}

	@Override
	public QueuePage browse(String queue, MessageState state, int page, int size) {
		return this.messages.browse(queue, state, page, size);
	}

	@Override
	public SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit) {
		return this.messages.search(queue, filter, cursor, limit);
	}

	@Override
	public SearchPage findByTag(String queue, String tag, @Nullable String cursor, int limit) {
		return this.messages.findByTag(queue, tag, cursor, limit);
	}

	@Override
	public CommandOutcome cancel(String queue, String id) {
		return this.messages.cancel(queue, id);
	}

	@Override
	public List<CommandOutcome> cancelAll(String queue, Collection<String> ids) {
		return this.messages.cancelAll(queue, ids);
	}

	@Override
	public long cancelByTag(String queue, String tag) {
		return this.messages.cancelByTag(queue, tag);
	}

	@Override
	public CommandOutcome reschedule(String queue, String id, Duration delay) {
		return this.messages.reschedule(queue, id, delay);
	}

	@Override
	public CommandOutcome rescheduleAt(String queue, String id, Instant due) {
		return this.messages.rescheduleAt(queue, id, due);
	}

	@Override
	public CommandOutcome runNow(String queue, String id) {
		return this.messages.runNow(queue, id);
	}

	@Override
	public CommandOutcome bury(String queue, String id, String reason) {
		return this.messages.bury(queue, id, reason);
	}

	@Override
	public CommandOutcome change(String queue, String id, MessageChange change) {
		return this.messages.change(queue, id, change);
	}

	@Override
	public CommandOutcome delete(String queue, String id) {
		return this.messages.delete(queue, id);
	}

	@Override
	public CommandOutcome delete(String queue, String id, MessageState expected) {
		return this.messages.delete(queue, id, expected);
	}

	@Override
	public QueuePage deadLetters(String queue, DeadLetterFilter filter, int page, int size) {
		return this.deadLetters.deadLetters(queue, filter, page, size);
	}

	@Override
	public List<DeadLetterCount> deadLetterCounts(String queue) {
		return this.deadLetters.deadLetterCounts(queue);
	}

	@Override
	public DeadLetterCauses deadLetterCauses(String queue, int most) {
		return this.deadLetters.deadLetterCauses(queue, most);
	}

	@Override
	public Optional<RedriveStatus> redriveStatus(String queue) {
		return this.deadLetters.redriveStatus(queue);
	}

	@Override
	public void redrive(String queue, String id) {
		this.deadLetters.redrive(queue, id);
	}

	@Override
	public void redriveRound(String queue, String id) {
		this.deadLetters.redriveRound(queue, id);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter) {
		return this.deadLetters.redrive(queue, filter);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond) {
		return this.deadLetters.redrive(queue, filter, perSecond);
	}

	@Override
	public RedriveResult redriveByTag(String queue, String tag) {
		return this.deadLetters.redriveByTag(queue, tag);
	}

	@Override
	public BulkJob startBulk(String queue, BulkRequest request) {
		return this.jobs.startBulk(queue, request);
	}

	@Override
	public List<BulkJob> bulkJobs() {
		return this.jobs.bulkJobs();
	}

	@Override
	public List<BulkJob> bulkJobs(String queue) {
		return this.jobs.bulkJobs(queue);
	}

	@Override
	public Optional<BulkJob> bulkJob(String id) {
		return this.jobs.bulkJob(id);
	}

	@Override
	public Optional<BulkJob> stopBulk(String id) {
		return this.jobs.stopBulk(id);
	}

	@Override
	public Set<String> queues() {
		return this.inspector.queues();
	}

	@Override
	public QueueInfo info(String queue) {
		return this.inspector.info(queue);
	}

	@Override
	public Map<String, QueueInfo> infos() {
		return this.inspector.infos();
	}

	@Override
	public List<ConsumerInfo> consumers(String queue) {
		return this.inspector.consumers(queue);
	}

	@Override
	public List<InstanceInfo> instances() {
		return this.inspector.instances();
	}

	@Override
	public QueueDiagnosis diagnose(String queue) {
		return this.inspector.diagnose(queue);
	}

	@Override
	public QueueHistory history(String queue) {
		return this.inspector.history(queue);
	}

	@Override
	public Map<String, QueueHistory> histories(Collection<String> queues) {
		return this.inspector.histories(queues);
	}

	@Override
	public WaitingKeys waitingKeys(String queue) {
		return this.inspector.waitingKeys(queue);
	}

	@Override
	public List<DeduplicationKey> deduplicationKeys(String queue, String key) {
		return this.inspector.deduplicationKeys(queue, key);
	}

	@Override
	public QueueCheck check(String queue) {
		return this.inspector.check(queue);
	}

	@Override
	public boolean freeDeduplicationKey(String queue, String key) {
		return this.queues.freeKey(queue, key);
	}

	@Override
	public List<BundleInfo> bundles(String queue) {
		return this.inspector.bundles(queue);
	}

	@Override
	public Optional<BundleInfo> bundle(String queue, String id) {
		return this.inspector.bundle(queue, id);
	}

	@Override
	public Set<String> topics() {
		return this.topics.topics();
	}

	@Override
	public TopicInfo topic(String topic) {
		return this.topics.topic(topic);
	}

	@Override
	public long removeGroup(String topic, String group) {
		return this.topics.removeGroup(topic, group);
	}

	@Override
	public long replay(String topic, String group, Instant since) {
		return this.topics.replay(topic, group, since);
	}

	@Override
	public void deleteTopic(String topic) {
		this.topics.deleteTopic(topic);
	}

}
