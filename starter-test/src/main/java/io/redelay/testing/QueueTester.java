package io.redelay.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Waits for queues and moves their time, for tests. A bean of each application context
 * that has queues.
 * <p>
 * All queues means all that are in the Redis of the test: give the context a Redis of its
 * own, with {@link EmbeddedRedis}.
 *
 * @since 0.1.0
 */
public final class QueueTester {

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private static final int PAGE = 100;

	/**
	 * How long it may take from the claim of a tick until the message of the next one is
	 * there.
	 */
	private static final Duration SUCCESSION = Duration.ofSeconds(10);

	/**
	 * By how much each recurring message is ahead of the clock of Redis, by queue and
	 * name. The message of a tick is due at its time; the message of a later tick has to
	 * be moved by all the time that passed before, too.
	 */
	private final Map<RecurringMessageName, Duration> ahead = new ConcurrentHashMap<>();

	/**
	 * By queue.
	 */
	private final Map<String, AdvancedDead> dead = new ConcurrentHashMap<>();

	private final QueueAdmin admin;

	private final SentMessages sent;

	/**
	 * Creates one.
	 * @param admin looks at the queues
	 * @param sent the messages that the application has sent
	 */
	public QueueTester(QueueAdmin admin, SentMessages sent) {
		this.admin = admin;
		this.sent = sent;
	}

	/**
	 * Returns the messages sent since the test method began, or since
	 * {@link SentMessages#clear()}.
	 * @return the messages sent in this application context
	 */
	public SentMessages sent() {
		return this.sent;
	}

	/**
	 * Waits until all due messages are handled in all queues, and those that their
	 * handlers send. Messages that wait for a delay or the backoff of a failed attempt do
	 * not count, see {@link #advanceTime}. Dead messages count as handled. The drained
	 * queues are checked, see
	 * {@link io.redelay.queue.admin.QueueInspector#check(String)}.
	 * @throws AssertionError if messages are left after 30 seconds, or the data of a
	 * queue in Redis is faulty
	 */
	public void awaitDrained() {
		awaitDrained(LIMIT);
	}

	/**
	 * Waits until all due messages are handled in all queues, and those that their
	 * handlers send.
	 * @param limit how long to wait at most
	 * @throws AssertionError if messages are left then
	 */
	public void awaitDrained(Duration limit) {
		await("All queues are to be drained", limit, () -> this.admin.queues().infos().values());
	}

	/**
	 * Waits until all that is due in one queue is handled.
	 * @param queue the queue
	 * @throws AssertionError if that is not so after 30 seconds
	 */
	public void awaitDrained(String queue) {
		awaitDrained(queue, LIMIT);
	}

	/**
	 * Waits until all that is due in one queue is handled.
	 * @param queue the queue
	 * @param limit how long to wait at most
	 * @throws AssertionError if that is not so then
	 */
	public void awaitDrained(String queue, Duration limit) {
		await("The queue '" + queue + "' is to be drained", limit, () -> List.of(this.admin.queues().info(queue)));
	}

	/**
	 * Has time pass for the scheduled messages of all queues: one that is due within that
	 * time is due at once, and all others are due so much earlier. Delays, backoffs and
	 * ticks of recurring messages move with it. A recurring message runs once at most
	 * each time; further due ticks come with the next calls. A time to live begins when
	 * its message is due. Dead messages begin the next round of their queue's
	 * {@link io.redelay.queue.RedriveRule} that is due within it, one at most. Leases,
	 * windows of deduplication, gates, rate limits and deadlines do not move: they go by
	 * the clock of Redis.
	 * @param time how much, at least 1 ms
	 */
	public void advanceTime(Duration time) {
		this.admin.queues().names().forEach((queue) -> advanceTime(queue, time));
	}

	/**
	 * Has time pass for the scheduled messages of one queue.
	 * @param queue the queue
	 * @param time how much, at least 1 ms
	 */
	public void advanceTime(String queue, Duration time) {
		Assert.isTrue(time.toMillis() >= 1, () -> "'time' must be at least 1 ms: " + time);
		for (QueuedMessage message : scheduledWithSuccessors(queue)) {
			Instant due = advanced(message, time);
			CommandOutcome outcome = this.admin.messages()
				.rescheduleAt(queue, message.uid(), due.isAfter(Instant.EPOCH) ? due : Instant.EPOCH.plusMillis(1));
			if (!outcome.done() && outcome.state() == MessageState.SCHEDULED) {
				throw new IllegalStateException(
						"The due time of the " + message + " did not move: " + outcome.reason());
			}
		}
		this.dead.computeIfAbsent(queue, (name) -> new AdvancedDead(this.admin, name))
			.advance(time, messages(queue, MessageState.DEAD));
	}

	/**
	 * When a message is due from now on. A tick that is not due yet was made after the
	 * last times passed, and none of them has moved it.
	 */
	private Instant advanced(QueuedMessage message, Duration time) {
		Instant due = message.dueAt().minus(time);
		Instant tick = tick(message);
		if (tick == null || message.failures() > 0) {
			return due;
		}
		Instant moved = tick.minus(this.ahead.merge(RecurringMessageName.of(message), time, Duration::plus));
		return moved.isBefore(due) ? moved : due;
	}

	/**
	 * Reads the scheduled messages once each tick that has just become due is followed by
	 * the next one, which a listener with room adds.
	 */
	private List<QueuedMessage> scheduledWithSuccessors(String queue) {
		if (this.ahead.keySet().stream().noneMatch((name) -> name.queue().equals(queue))
				|| this.admin.queues().info(queue).paused() || this.admin.queues().consumers(queue).isEmpty()) {
			return scheduled(queue);
		}
		long begun = System.nanoTime();
		while (true) {
			// In the order in which a message goes through them, so that none is missed.
			Set<RecurringMessageName> waiting = names(scheduled(queue), QueueTester::isDue);
			waiting.addAll(names(messages(queue, MessageState.READY), (message) -> true));
			waiting.addAll(names(messages(queue, MessageState.IN_FLIGHT), (message) -> true));
			List<QueuedMessage> scheduled = scheduled(queue);
			waiting.retainAll(this.ahead.keySet());
			waiting.removeAll(names(scheduled, (message) -> !isDue(message)));
			if (waiting.isEmpty() || System.nanoTime() - begun > SUCCESSION.toNanos()) {
				return scheduled;
			}
			Awaitility.await().pollDelay(Duration.ofMillis(10)).until(() -> true);
		}
	}

	private static boolean isDue(QueuedMessage message) {
		return !message.dueAt().isAfter(Instant.now());
	}

	/**
	 * The recurring messages that some messages are ticks of, which did not fail before.
	 */
	private static Set<RecurringMessageName> names(List<QueuedMessage> messages, Predicate<QueuedMessage> wanted) {
		return messages.stream()
			.filter((message) -> tick(message) != null && message.failures() == 0 && wanted.test(message))
			.map(RecurringMessageName::of)
			.collect(Collectors.toCollection(HashSet::new));
	}

	private static @Nullable Instant tick(QueuedMessage message) {
		Object tick = message.headers().get(QueueHeaders.TICK);
		return (tick != null && message.headers().get(QueueHeaders.RECURRING) != null) ? Instant.parse(tick.toString())
				: null;
	}

	/**
	 * Reads the scheduled messages of a queue.
	 * @param queue the queue
	 * @return the messages, the one that is due first comes first
	 */
	public List<QueuedMessage> scheduled(String queue) {
		return messages(queue, MessageState.SCHEDULED);
	}

	/**
	 * Reads the messages of a queue that are in one state.
	 * @param queue the queue
	 * @param state the state
	 * @return the messages
	 */
	public List<QueuedMessage> messages(String queue, MessageState state) {
		List<QueuedMessage> messages = new ArrayList<>();
		QueuePage page;
		int number = 0;
		do {
			page = this.admin.messages().browse(queue, state, number++, PAGE);
			messages.addAll(page.messages());
		}
		while (page.hasNext());
		return messages;
	}

	/**
	 * Removes all messages of all queues, except those in handlers' hands. Recurring
	 * messages go on: the message of the next tick of each is added again.
	 */
	public void purgeAll() {
		for (String queue : this.admin.queues().names()) {
			for (MessageState state : List.of(MessageState.SCHEDULED, MessageState.READY, MessageState.DEAD)) {
				this.admin.control().purge(queue, state);
			}
		}
	}

	private void await(String wish, Duration limit, Supplier<Collection<QueueInfo>> infos) {
		try {
			Awaitility.await().atMost(limit).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).until(() -> {
				int before = this.sent.count();
				return isDrained(infos.get()) && this.sent.count() == before;
			});
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError(wish + ", and are not after " + limit.toMillis() + " ms: " + describe(infos.get()),
					ex);
		}
		infos.get().forEach((info) -> check(info.queue()));
	}

	private void check(String queue) {
		QueueCheck check = this.admin.queues().check(queue);
		if (check.problemCount() > 0) {
			throw new AssertionError("What Redis keeps of the queue '" + queue + "' is wrong: " + check.problems());
		}
	}

	private static boolean isDrained(Collection<QueueInfo> infos) {
		return infos.stream().allMatch((info) -> info.ready() == 0 && info.inFlight() == 0);
	}

	private String describe(Collection<QueueInfo> infos) {
		return infos.stream()
			.filter((info) -> info.ready() > 0 || info.inFlight() > 0)
			.map(this::describe)
			.collect(Collectors.joining("; "));
	}

	private String describe(QueueInfo info) {
		String hindrance = info.paused() ? ", and is paused"
				: this.admin.queues().consumers(info.queue()).isEmpty() ? ", and no listener consumes it" : "";
		return "the queue '" + info.queue() + "' has " + info.ready() + " ready and " + info.inFlight() + " in flight"
				+ hindrance;
	}

	/**
	 * The identity of a recurring message.
	 */
	private record RecurringMessageName(String queue, String name) {

		static RecurringMessageName of(QueuedMessage message) {
			return new RecurringMessageName(message.queue(),
					String.valueOf(message.headers().get(QueueHeaders.RECURRING)));
		}

	}

}
