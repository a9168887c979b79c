package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.Surrogates;
import io.redelay.queue.store.CommandResult;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.PurgeReply;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredCounts;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Looks at queues and acts on them through a {@link QueueAdminStore}.
 *
 * @since 0.1.0
 */
public class QueueAdminTemplate implements QueueAdmin {

	private static final int PURGE_STEP = 1000;

	private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private final QueueAdminStore store;

	private final KnownQueues known;

	private final ExpiredMessages expired;

	private final PageReader pages;

	private final CommandSender steerer;

	private final DeadLetterRedrive deadLetters;

	private final ConsumerDirectory consumers;

	/**
	 * Creates a template.
	 * @param store the store
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads what instances tell
	 * of themselves
	 * @param instance what people call this instance
	 */
	public QueueAdminTemplate(QueueAdminStore store, EnvelopeCodec codec, JsonMapper mapper, String instance) {
		this.store = store;
		this.expired = new ExpiredMessages(store, codec, mapper, instance);
		this.known = new KnownQueues(store);
		MessageReader reader = new MessageReader(codec, mapper);
		this.pages = new PageReader(store, reader);
		this.steerer = new CommandSender(store);
		this.deadLetters = new DeadLetterRedrive(store, reader, this.pages, this.steerer);
		this.consumers = new ConsumerDirectory(store, mapper);
	}

	@Override
	public Optional<QueuedMessage> find(String queue, String id) {
		check(queue, id);
		return this.pages.find(queue, List.of(id)).stream().findFirst();
	}

	@Override
	public CommandOutcome cancel(String queue, String id) {
		return steer(queue, MessageCommand.Action.CANCEL, id, "");
	}

	@Override
	public List<CommandOutcome> cancelAll(String queue, Collection<String> ids) {
		this.known.check(queue);
		ids.forEach(QueueAdminTemplate::checkId);
		return this.steerer.cancel(queue, List.copyOf(ids)).stream().map(QueueAdminTemplate::result).toList();
	}

	@Override
	public CommandOutcome reschedule(String queue, String id, Duration delay) {
		Assert.isTrue(DueTime.isPossible(delay), () -> "'delay' must be 0 to 3650 days: " + delay);
		return steer(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.after(delay));
	}

	@Override
	public CommandOutcome rescheduleAt(String queue, String id, Instant due) {
		Assert.isTrue(DueTime.isPossible(due), () -> "'due' must be before 2469: " + due);
		return steer(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.at(due));
	}

	@Override
	public CommandOutcome runNow(String queue, String id) {
		return steer(queue, MessageCommand.Action.RUN, id, "");
	}

	private CommandOutcome steer(String queue, MessageCommand.Action action, String id, String argument) {
		check(queue, id);
		return result(this.steerer.steer(queue, action, id, argument));
	}

	private static CommandOutcome result(CommandResult steered) {
		return new CommandOutcome(steered.state(), steered.outcome() == CommandResult.Outcome.DONE, steered.due(),
				reason(steered));
	}

	private static @Nullable String reason(CommandResult steered) {
		return switch (steered.outcome()) {
			case DONE -> null;
			case DUPLICATE -> "another message has its id by now";
			case LATER -> "it was not its turn yet: ask again";
			case FORWARDING -> "it is being handed on to the queue '" + steered.target() + "'";
			case KEPT -> switch (steered.state()) {
				case UNKNOWN -> "there is no such message: it never was, is done, or was removed";
				case IN_FLIGHT -> "a handler has it in hand";
				case DEAD -> "it is dead: redrive it to let it live again";
				default -> "it is " + steered.state();
			};
		};
	}

	@Override
	public QueuePage deadLetters(String queue, DeadLetterFilter filter, int page, int size) {
		this.known.check(queue);
		checkPage(page, size);
		count(queue);
		return this.deadLetters.page(queue, filter, page, size);
	}

	@Override
	public List<DeadLetterCount> deathTolls(String queue) {
		this.known.check(queue);
		count(queue);
		return this.deadLetters.tolls(queue);
	}

	@Override
	public void redrive(String queue, String id) {
		check(queue, id);
		CommandResult steered = this.steerer.steer(queue, MessageCommand.Action.REDRIVE, id, "");
		if (steered.outcome() == CommandResult.Outcome.DONE) {
			return;
		}
		String what = "The message '" + id + "' of the queue '" + queue + "' cannot be redriven: ";
		if (steered.state() == MessageState.DEAD || steered.state() == MessageState.UNKNOWN) {
			throw new QueueException(what + reason(steered));
		}
		throw new QueueException(what + "it is " + steered.state()
				+ " and not dead. To have it delivered sooner, call runNow or reschedule");
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter) {
		this.known.check(queue);
		return this.deadLetters.redrive(queue, filter, (position) -> Duration.ZERO);
	}

	@Override
	public RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond) {
		this.known.check(queue);
		Assert.isTrue(perSecond >= 0.001 && perSecond <= 1_000_000,
				() -> "'perSecond' must be 0.001 to 1,000,000: " + perSecond);
		return this.deadLetters.redrive(queue, filter,
				(position) -> Duration.ofNanos((long) (position * 1_000_000_000d / perSecond)));
	}

	@Override
	public Set<String> queues() {
		return this.known.all();
	}

	@Override
	public QueueInfo info(String queue) {
		this.known.check(queue);
		return readInfo(queue);
	}

	@Override
	public Map<String, QueueInfo> infos() {
		Map<String, QueueInfo> infos = new TreeMap<>();
		queues().forEach((queue) -> infos.put(queue, readInfo(queue)));
		return infos;
	}

	private QueueInfo readInfo(String queue) {
		StoredCounts counts = count(queue);
		Instant due = counts.oldestDue();
		Duration age = (due != null && due.isBefore(counts.time())) ? Duration.between(due, counts.time())
				: Duration.ZERO;
		return new QueueInfo(queue, counts.scheduled(), counts.ready(), counts.inFlight(), counts.dead(),
				counts.nextDue(), age, counts.paused(), counts.closed());
	}

	/**
	 * Counts messages when none waits any more whose time to live is over.
	 */
	private StoredCounts count(String queue) {
		StoredCounts counts = StoreCalls.await(this.store.count(queue));
		if (counts.overdue() == 0) {
			return counts;
		}
		StoreCalls.await(this.expired.expire(queue));
		return StoreCalls.await(this.store.count(queue));
	}

	@Override
	public List<ConsumerInfo> consumers(String queue) {
		this.known.check(queue);
		return this.consumers.of(queue);
	}

	@Override
	public QueuePage browse(String queue, MessageState state, int page, int size) {
		this.known.check(queue);
		checkPage(page, size);
		Assert.isTrue(state != MessageState.UNKNOWN, "'state' must not be UNKNOWN: such messages are nowhere");
		count(queue);
		return this.pages.browse(queue, state, page, size);
	}

	@Override
	public long purge(String queue, MessageState state) {
		this.known.check(queue);
		Assert.isTrue(state == MessageState.SCHEDULED || state == MessageState.READY || state == MessageState.DEAD,
				() -> "'state' must be SCHEDULED, READY or DEAD: " + state
						+ ((state == MessageState.IN_FLIGHT) ? "; cancel those that are in flight" : ""));
		StoredCounts counts = StoreCalls.await(this.store.count(queue));
		long most = counts.scheduled() + counts.ready() + counts.dead() + PURGE_STEP;
		String lane = StoreCalls.await(this.store.openLane(queue));
		long removed = 0;
		PurgeReply reply;
		long seq = 0;
		do {
			reply = StoreCalls.await(this.store.purge(queue, lane, ++seq, state, PURGE_STEP));
			if (reply.status() != LaneStatus.OK) {
				throw new QueueException("The purge of the queue '" + queue + "' ended after " + removed + " messages: "
						+ reply.status());
			}
			removed += reply.removed();
		}
		while (reply.hasNext() && removed < most);
		return removed;
	}

	@Override
	public void pause(String queue) {
		this.known.check(queue);
		this.steerer.flag(queue, "paused", true);
	}

	@Override
	public void resume(String queue) {
		this.known.check(queue);
		this.steerer.flag(queue, "paused", false);
	}

	@Override
	public void close(String queue) {
		this.known.check(queue);
		this.steerer.flag(queue, "closed", true);
	}

	@Override
	public void reopen(String queue) {
		this.known.check(queue);
		this.steerer.flag(queue, "closed", false);
	}

	@Override
	public QueueInfo drain(String queue, Duration limit) {
		Assert.isTrue(DueTime.isPossible(limit), () -> "'limit' must be 0 to 3650 days: " + limit);
		close(queue);
		long start = System.nanoTime();
		Duration pause = FIRST_PAUSE;
		while (true) {
			StoredCounts counts = count(queue);
			Duration left = limit.minusNanos(System.nanoTime() - start);
			Instant nextDue = counts.nextDue();
			boolean drained = counts.ready() == 0 && counts.inFlight() == 0
					&& (nextDue == null || nextDue.isAfter(counts.time().plus(left)));
			if (drained || left.isNegative() || Thread.currentThread().isInterrupted()) {
				return readInfo(queue);
			}
			LockSupport.parkNanos(Math.min(pause.toNanos(), left.toNanos()));
			pause = (pause.compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
		}
	}

	@Override
	public void delete(String queue) {
		this.known.check(queue);
		if (!StoreCalls.await(this.store.delete(queue, false))) {
			throw new QueueException("The queue '" + queue
					+ "' has messages and is not deleted: drain or purge it first, or call deleteWithMessages");
		}
		this.known.forget(queue);
	}

	@Override
	public void deleteWithMessages(String queue) {
		this.known.check(queue);
		StoreCalls.await(this.store.delete(queue, true));
		this.known.forget(queue);
	}

	private void check(String queue, String id) {
		this.known.check(queue);
		checkId(id);
	}

	private static void checkId(String id) {
		Assert.hasText(id, "'id' must not be blank: give the message's id or uid");
		Assert.isTrue(Surrogates.firstLone(id) < 0,
				() -> "'id' has half a character, a lone surrogate, which no message has: '" + id + "'");
	}

	private static void checkPage(int page, int size) {
		Assert.isTrue(page >= 0 && page <= 1_000_000, () -> "'page' must be 0 or more: " + page);
		Assert.isTrue(size >= 1 && size <= QueueAdminStore.MAX_PAGE,
				() -> "'size' must be 1 to " + QueueAdminStore.MAX_PAGE + ": " + size);
	}

}
