package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.DeadLetterCauses;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.DeadLetterFilter;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.admin.engine.access.CommandOutcomes;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.admin.engine.access.KnownQueues;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.bulk.BulkJobs;
import io.redelay.queue.admin.engine.bulk.BulkJson;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.bulk.BulkWork;
import io.redelay.queue.admin.engine.deadletter.DeadLetterCounter;
import io.redelay.queue.admin.engine.deadletter.DeadLetterReader;
import io.redelay.queue.admin.engine.deadletter.DeadLetterRedrive;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.admin.engine.message.FoundMessages;
import io.redelay.queue.admin.engine.message.MessageBurial;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageReader;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.LoneSurrogates;
import io.redelay.queue.limits.TagName;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LengthLimit;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Looks at queues and acts on them through a {@link QueueAdminStore}.
 *
 * @since 0.1.0
 */
public class QueueAdminTemplate implements QueueAdmin, AutoCloseable {

	private final QueueAdminStore store;

	private final KnownQueues known;

	private final KnownPartitions partitions;

	private final MessageLookup lookup;

	private final QueueCounter counter;

	private final PageReader pages;

	private final CommandSender commands;

	private final MessageSearch search;

	private final FoundMessages found;

	private final MessageBurial burial;

	private final MessageEditor editor;

	private final DeadLetterReader deadLetters;

	private final DeadLetterCounter causes;

	private final DeadLetterRedrive redrive;

	private final MessagesByTag tagged;

	private final QueuePurge purge;

	private final QueueDrain drain;

	private final HistoryReader histories;

	private final ConsumerDirectory consumers;

	private final InstanceDirectory instances;

	private final QueueDiagnoser diagnoser;

	private final KeyReader keys;

	private final TopicAdmin topics;

	private final Map<String, LengthLimit> limits;

	private final BundleDirectory bundles;

	private final BulkRunner runner;

	private final BulkJobs jobs;

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads what instances tell
	 * of themselves
	 * @param instance what people call this instance
	 */
	public QueueAdminTemplate(QueueAdminStore store, QueuePartitions partitions, EnvelopeCodec codec, JsonMapper mapper,
			String instance) {
		this(store, partitions, codec, mapper, instance,
				TopicGroups.unconfigured(store::topics, store.replayMemory().scheduler()), Map.of(),
				new EditRules(1024 * 1024, Map.of(), partitions), store.replayMemory().scheduler());
	}

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads what instances tell
	 * of themselves
	 * @param instance what people call this instance
	 * @param groups tells what happens to the groups of topics
	 * @param limits how many messages single queues may have, by name
	 * @param rules what may be made of messages that wait
	 * @param scheduler when jobs go on, and the threads on which they may block
	 */
	public QueueAdminTemplate(QueueAdminStore store, QueuePartitions partitions, EnvelopeCodec codec, JsonMapper mapper,
			String instance, TopicGroups groups, Map<String, LengthLimit> limits, EditRules rules,
			Scheduler scheduler) {
		this.store = store;
		this.counter = new QueueCounter(store, new ExpiredMessages(store, codec, mapper, instance));
		this.known = new KnownQueues(store);
		this.partitions = new KnownPartitions(partitions);
		MessageReader reader = new MessageReader(codec, mapper);
		this.pages = new PageReader(store, reader);
		this.commands = new CommandSender(store);
		this.found = new FoundMessages(store, this.commands);
		this.burial = new MessageBurial(mapper, instance);
		this.editor = new MessageEditor(codec, rules);
		this.lookup = new MessageLookup(this.partitions, this.pages, this.commands);
		this.deadLetters = new DeadLetterReader(store, reader, this.pages);
		this.causes = new DeadLetterCounter(this.deadLetters);
		this.redrive = new DeadLetterRedrive(store, this.deadLetters, this.lookup, this.commands);
		this.tagged = new MessagesByTag(store, reader, this.commands);
		this.search = new MessageSearch(store, reader, this.partitions, this.pages, this.tagged);
		BulkJson json = new BulkJson();
		this.runner = new BulkRunner(store.jobs(),
				new BulkWork(this.search, this.lookup, this.commands, this.found, this.burial, this.editor, this.known),
				json, scheduler, instance);
		this.jobs = new BulkJobs(store, this.runner, json);
		this.purge = new QueuePurge(store);
		this.drain = new QueueDrain(this.counter);
		this.histories = new HistoryReader(store, this.partitions);
		this.consumers = new ConsumerDirectory(store, mapper);
		this.instances = new InstanceDirectory(store, mapper);
		this.diagnoser = new QueueDiagnoser(store);
		this.keys = new KeyReader(store, this.instances);
		this.topics = new TopicAdmin(store, this.counter, this.consumers, groups);
		this.limits = Map.copyOf(limits);
		this.bundles = new BundleDirectory(store.bundles());
	}

	@Override
	public List<BundleInfo> bundles(String queue) {
		this.known.check(queue);
		return this.bundles.list(queue);
	}

	@Override
	public Optional<BundleInfo> bundle(String queue, String id) {
		check(queue, id);
		return this.bundles.find(queue, id);
	}

	@Override
	public Optional<QueuedMessage> find(String queue, String id) {
		check(queue, id);
		return this.lookup.find(queue, id);
	}

	@Override
	public CommandOutcome cancel(String queue, String id) {
		return command(queue, MessageCommand.Action.CANCEL, id, "");
	}

	@Override
	public List<CommandOutcome> cancelAll(String queue, Collection<String> ids) {
		this.known.check(queue);
		ids.forEach(QueueAdminTemplate::checkId);
		return this.lookup.cancel(queue, List.copyOf(ids)).stream().map(CommandOutcomes::of).toList();
	}

	@Override
	public CommandOutcome reschedule(String queue, String id, Duration delay) {
		Assert.isTrue(DueTime.isPossible(delay), () -> "'delay' must be 0 to 3650 days: " + delay);
		return command(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.after(delay));
	}

	@Override
	public CommandOutcome rescheduleAt(String queue, String id, Instant due) {
		Assert.isTrue(DueTime.isPossible(due), () -> "'due' must be before 2469: " + due);
		return command(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.at(due));
	}

	@Override
	public CommandOutcome runNow(String queue, String id) {
		return command(queue, MessageCommand.Action.RUN, id, "");
	}

	private CommandOutcome command(String queue, MessageCommand.Action action, String id, String argument) {
		check(queue, id);
		return CommandOutcomes.of(this.lookup.command(queue, action, id, argument));
	}

	@Override
	public CommandOutcome bury(String queue, String id, String reason) {
		Assert.hasText(reason, "'reason' must not be blank: say why the message is not to be handled");
		Assert.isTrue(reason.length() <= 1000,
				() -> "'reason' must have 1,000 characters at most, and has " + reason.length());
		return foundCommand(queue, id, MessageCommand.Action.BURY, (partition) -> this.burial.of(reason));
	}

	@Override
	public CommandOutcome change(String queue, String id, MessageChange change) {
		Assert.isTrue(!change.isEmpty(), "'change' must change something: give a payload, attempts or a priority");
		return foundCommand(queue, id, MessageCommand.Action.CHANGE,
				(partition) -> (message, time) -> this.editor.edit(partition, message, change).argument());
	}

	/**
	 * Gives a command that is made up from what the message is.
	 */
	private CommandOutcome foundCommand(String queue, String id, MessageCommand.Action action,
			Function<String, FoundMessages.Planner> planner) {
		check(queue, id);
		FoundMessages.Answer answer = this.lookup.command(queue, id,
				(partition) -> this.found.command(partition, List.of(id), action, planner.apply(partition)).get(0));
		if (answer.refusal() != null) {
			throw answer.refusal();
		}
		return CommandOutcomes.of(answer.result());
	}

	/**
	 * Has this instance look for jobs of instances that die, and carry them out. It does
	 * so by itself as soon as it starts a job, or is asked for jobs and one runs.
	 */
	public void runJobs() {
		this.runner.start();
	}

	/**
	 * Has this instance carry out no jobs any more: others take over those that it has.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	@Override
	public BulkJob startBulk(String queue, BulkRequest request) {
		this.known.check(queue);
		return this.jobs.start(queue, this.partitions.of(queue), request);
	}

	@Override
	public List<BulkJob> bulkJobs() {
		return this.jobs.list();
	}

	@Override
	public List<BulkJob> bulkJobs(String queue) {
		this.known.check(queue);
		return this.jobs.list().stream().filter((job) -> job.queue().equals(queue)).toList();
	}

	@Override
	public Optional<BulkJob> bulkJob(String id) {
		return this.jobs.find(id);
	}

	@Override
	public Optional<BulkJob> stopBulk(String id) {
		return this.jobs.stop(id);
	}

	@Override
	public CommandOutcome delete(String queue, String id) {
		return command(queue, MessageCommand.Action.DELETE, id, "");
	}

	@Override
	public CommandOutcome delete(String queue, String id, MessageState expected) {
		return command(queue, MessageCommand.Action.DELETE, id, expected.name());
	}

	@Override
	public QueuePage deadLetters(String queue, DeadLetterFilter filter, int page, int size) {
		this.known.check(queue);
		checkPage(page, size);
		return this.deadLetters.page(counted(queue), filter, page, size);
	}

	@Override
	public List<DeadLetterCount> deadLetterCounts(String queue) {
		this.known.check(queue);
		return this.causes.count(counted(queue), Integer.MAX_VALUE).causes();
	}

	@Override
	public DeadLetterCauses deadLetterCauses(String queue, int most) {
		this.known.check(queue);
		Assert.isTrue(most >= 1, () -> "'most' must be at least 1: " + most);
		return this.causes.count(counted(queue), most);
	}

	/**
	 * The partitions of a queue, after messages have expired whose time to live is over.
	 */
	private List<String> counted(String queue) {
		List<String> all = this.partitions.of(queue);
		all.forEach(this.counter::count);
		return all;
	}

	@Override
	public void redrive(String queue, String id) {
		check(queue, id);
		this.redrive.redrive(queue, id);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter) {
		this.known.check(queue);
		return this.redrive.redrive(this.partitions.of(queue), filter, (position) -> Duration.ZERO);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond) {
		this.known.check(queue);
		Assert.isTrue(perSecond >= 0.001 && perSecond <= 1_000_000,
				() -> "'perSecond' must be 0.001 to 1,000,000: " + perSecond);
		return this.redrive.redrive(this.partitions.of(queue), filter,
				(position) -> Duration.ofNanos((long) (position * 1_000_000_000d / perSecond)));
	}

	@Override
	public SearchPage findByTag(String queue, String tag, @Nullable String cursor, int limit) {
		checkTag(queue, tag);
		Assert.isTrue(limit >= 1 && limit <= QueueAdminStore.MAX_PAGE,
				() -> "'limit' must be 1 to " + QueueAdminStore.MAX_PAGE + ": " + limit);
		return this.tagged.find(this.partitions.of(queue), tag, cursor, limit);
	}

	@Override
	public long cancelByTag(String queue, String tag) {
		checkTag(queue, tag);
		return this.tagged.cancel(this.partitions.of(queue), tag);
	}

	@Override
	public RedriveResult redriveByTag(String queue, String tag) {
		checkTag(queue, tag);
		return this.tagged.redrive(this.partitions.of(queue), tag);
	}

	private void checkTag(String queue, String tag) {
		this.known.check(queue);
		TagName.check(tag);
	}

	@Override
	public Set<String> queues() {
		return this.known.all();
	}

	@Override
	public QueueInfo info(String queue) {
		this.known.check(queue);
		return this.counter.info(queue, this.partitions.of(queue));
	}

	@Override
	public Map<String, QueueInfo> infos() {
		Map<String, QueueInfo> infos = new TreeMap<>();
		queues().forEach((queue) -> infos.put(queue, this.counter.info(queue, this.partitions.of(queue))));
		return infos;
	}

	@Override
	public QueueHistory history(String queue) {
		this.known.check(queue);
		return this.histories.read(queue);
	}

	@Override
	public Map<String, QueueHistory> histories(Collection<String> queues) {
		queues.forEach(GroupName::checkQueue);
		return this.histories.read(queues);
	}

	@Override
	public List<ConsumerInfo> consumers(String queue) {
		this.known.check(queue);
		return this.consumers.of(queue, this.partitions.of(queue));
	}

	@Override
	public QueueDiagnosis diagnose(String queue) {
		this.known.check(queue);
		List<String> all = this.partitions.of(queue);
		return StoreCalls.await(this.instances.ask().thenCompose((told) -> this.diagnoser.look(queue, all, told)))
			.diagnosis();
	}

	@Override
	public WaitingKeys waitingKeys(String queue) {
		this.known.check(queue);
		return this.keys.read(queue, this.partitions.of(queue));
	}

	@Override
	public List<InstanceInfo> instances() {
		return StoreCalls.await(this.instances.ask());
	}

	@Override
	public QueuePage browse(String queue, MessageState state, int page, int size) {
		this.known.check(queue);
		checkPage(page, size);
		Assert.isTrue(state != MessageState.UNKNOWN, "'state' must not be UNKNOWN: such messages are nowhere");
		return this.pages.browse(counted(queue), state, page, size);
	}

	@Override
	public SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit) {
		this.known.check(queue);
		Assert.isTrue(limit >= 1 && limit <= QueueAdminStore.MAX_PAGE,
				() -> "'limit' must be 1 to " + QueueAdminStore.MAX_PAGE + ": " + limit);
		return this.search.search(queue, filter, cursor, limit);
	}

	@Override
	public long purge(String queue, MessageState state) {
		this.known.check(queue);
		Assert.isTrue(state != MessageState.IN_FLIGHT && state != MessageState.UNKNOWN,
				() -> "'state' must be SCHEDULED, READY, DEAD or COMPLETED: " + state
						+ ((state == MessageState.IN_FLIGHT) ? "; cancel those that are in flight" : ""));
		return this.partitions.of(queue).stream().mapToLong((partition) -> this.purge.purge(partition, state)).sum();
	}

	@Override
	public void pause(String queue) {
		setFlag(queue, "paused", true);
	}

	@Override
	public void resume(String queue) {
		setFlag(queue, "paused", false);
	}

	@Override
	public void close(String queue) {
		setFlag(queue, "closed", true);
	}

	@Override
	public void reopen(String queue) {
		setFlag(queue, "closed", false);
	}

	/**
	 * Sets a flag of all partitions, that of the first one first: partitions that are
	 * added meanwhile take it from there.
	 */
	private void setFlag(String queue, String flag, boolean set) {
		this.known.check(queue);
		this.partitions.of(queue).forEach((partition) -> this.commands.setFlag(partition, flag, set));
	}

	@Override
	public QueueInfo drain(String queue, Duration limit) {
		Assert.isTrue(DueTime.isPossible(limit), () -> "'limit' must be 0 to 3650 days: " + limit);
		close(queue);
		QueueInfo left = this.drain.await(queue, this.partitions.of(queue), limit);
		if (left.scheduled() + left.ready() + left.inFlight() == 0) {
			this.partitions.settle(queue, left.dead() > 0);
		}
		return left;
	}

	@Override
	public void delete(String queue) {
		this.known.check(queue);
		refuseGroup(queue);
		for (String partition : this.partitions.of(queue)) {
			if (!StoreCalls.await(this.store.delete(partition, false))) {
				throw new QueueException("The queue '" + queue
						+ "' has messages and is not deleted: drain or purge it first, or call deleteWithMessages");
			}
		}
		this.partitions.forget(queue);
		this.known.forget(queue);
	}

	@Override
	public void deleteWithMessages(String queue) {
		this.known.check(queue);
		refuseGroup(queue);
		this.partitions.of(queue).forEach((partition) -> StoreCalls.await(this.store.delete(partition, true)));
		this.partitions.forget(queue);
		this.known.forget(queue);
	}

	@Override
	public Set<String> topics() {
		return this.topics.all();
	}

	@Override
	public TopicInfo topic(String topic) {
		return this.topics.info(topic);
	}

	@Override
	public long removeGroup(String topic, String group) {
		long removed = this.topics.removeGroup(topic, group);
		this.known.forget(GroupName.of(topic, group));
		return removed;
	}

	@Override
	public long replay(String topic, String group, Instant since) {
		return this.topics.replay(topic, group, since, this.limits.get(GroupName.of(topic, group)));
	}

	@Override
	public void deleteTopic(String topic) {
		this.topics.delete(topic);
	}

	/**
	 * What is published to a topic would not find the queue of a group that is
	 * registered.
	 */
	private static void refuseGroup(String queue) {
		if (GroupName.isGroup(queue)) {
			throw new QueueException("The queue '" + queue + "' belongs to a group of a topic and is not deleted: call"
					+ " removeGroup(\"" + GroupName.topicOf(queue) + "\", \"" + GroupName.groupOf(queue) + "\")");
		}
	}

	private void check(String queue, String id) {
		this.known.check(queue);
		checkId(id);
	}

	private static void checkId(String id) {
		Assert.hasText(id, "'id' must not be blank: give the message's id or uid");
		Assert.isTrue(LoneSurrogates.firstIn(id) < 0,
				() -> "'id' has half a character, a lone surrogate, which no message has: '" + id + "'");
	}

	private static void checkPage(int page, int size) {
		Assert.isTrue(page >= 0 && page <= 1_000_000, () -> "'page' must be 0 or more: " + page);
		Assert.isTrue(size >= 1 && size <= QueueAdminStore.MAX_PAGE,
				() -> "'size' must be 1 to " + QueueAdminStore.MAX_PAGE + ": " + size);
	}

}
