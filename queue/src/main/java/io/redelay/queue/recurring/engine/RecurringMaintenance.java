package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.queue.recurring.engine.RecurringRepository.Decision;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;

/**
 * Declares the recurring messages of this instance, announces that the instance lives,
 * and checks recurring messages: whether their ticks are claimed, and whether an instance
 * still declares them. It runs rarely, so that a thousand recurring messages cost about a
 * command a second.
 *
 * @since 0.1.0
 */
public final class RecurringMaintenance implements SmartLifecycle {

	private static final Log logger = PlainLog.of(RecurringMaintenance.class);

	/**
	 * Before the listeners.
	 */
	private static final int PHASE = 0;

	private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

	private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

	/**
	 * How long one check of all queues with recurring messages takes.
	 */
	static final Duration ROUND = Duration.ofMinutes(30);

	private static final Duration FIRST_ROUND = Duration.ofMinutes(1);

	private static final Duration LEAST_PAUSE = Duration.ofMillis(500);

	/**
	 * The shortest time between two checks whether the ticks of a recurring message are
	 * claimed.
	 */
	private static final Duration CHECK_INTERVAL = Duration.ofMinutes(10);

	/**
	 * How long after a roll-back the search for lost state begins: settlements are
	 * repeated by then.
	 */
	private static final Duration AFTER_ROLLBACK = Duration.ofSeconds(1);

	private static final Duration AFTER_COMMANDS = Duration.ofMillis(500);

	/**
	 * How long it takes at most until all instances know that an instance lives which
	 * could not announce itself.
	 */
	private static final Duration AFTER_SILENCE = LivingDeclarers.MEMORY.plusSeconds(1);

	private static final Duration LONGEST_CHECK = Duration.ofDays(1);

	/**
	 * How long an ended recurring message is remembered.
	 */
	static final Duration MEMORY = Duration.ofDays(1);

	/**
	 * How long it is remembered if its runs are counted or pass on a state, which would
	 * begin anew otherwise.
	 */
	static final Duration LONG_MEMORY = Duration.ofDays(366);

	private final RecurringStore store;

	private final RecurringRepository ledger;

	private final Declarations declarations;

	private final RecurringTicks ticks;

	private final RecurringReporter reporter;

	private final Scheduler scheduler;

	private final Duration dropAfter;

	/**
	 * The overdue ticks that were reported, by recurring message.
	 */
	private final Map<RecurringName, Long> reported = new ConcurrentHashMap<>();

	private final Set<RecurringName> watched = ConcurrentHashMap.newKeySet();

	/**
	 * The queues whose ticks are put back soon.
	 */
	private final Set<String> missing = ConcurrentHashMap.newKeySet();

	private final Deque<String> round = new ArrayDeque<>();

	/**
	 * When this instance was last announced.
	 */
	private final AtomicLong announcedNanos = new AtomicLong();

	private @Nullable ScheduledTask heartbeat;

	private volatile boolean running;

	/**
	 * How often it was started: what an earlier start has planned is not done any more.
	 */
	private volatile int starts;

	/**
	 * Whether this instance declares or claims.
	 */
	private volatile boolean active;

	RecurringMaintenance(RecurringStore store, RecurringRepository ledger, Declarations declarations,
			RecurringTicks ticks, RecurringReporter reporter, Scheduler scheduler, Duration dropAfter) {
		this.store = store;
		this.ledger = ledger;
		this.declarations = declarations;
		this.ticks = ticks;
		this.reporter = reporter;
		this.scheduler = scheduler;
		this.dropAfter = dropAfter;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.starts++;
		this.watched.clear();
		this.missing.clear();
		this.running = true;
		if (!this.declarations.own().isEmpty()) {
			this.active = true;
			this.announcedNanos.set(this.scheduler.nanoTime());
			this.heartbeat = this.scheduler.repeat(this::announce, this.dropAfter.dividedBy(3),
					this.dropAfter.dividedBy(3));
			this.store.announce(this.dropAfter)
				.whenComplete((announced, failure) -> this.declarations.own().forEach(this::declare));
		}
		if (this.active) {
			beginRounds();
		}
	}

	/**
	 * Starts regular checks of the recurring messages of all queues, those of other
	 * instances included. To be called, any number of times, when this instance declares
	 * or claims: one that only sends needs no timer.
	 */
	public void activate() {
		if (!this.active) {
			synchronized (this) {
				boolean begins = !this.active && this.running;
				this.active = true;
				if (begins) {
					beginRounds();
				}
			}
		}
	}

	private void beginRounds() {
		// Of the name, which is random, so that the same name repeats a simulated run.
		long jitter = Math.floorMod(this.store.instance().hashCode(), FIRST_ROUND.toMillis());
		later(this::beginRound, FIRST_ROUND.plusMillis(jitter));
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		if (this.heartbeat != null) {
			this.heartbeat.cancel();
			this.heartbeat = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	private void later(Runnable task, Duration delay) {
		int start = this.starts;
		this.scheduler.schedule(() -> {
			if (this.running && start == this.starts) {
				task.run();
			}
		}, delay);
	}

	/**
	 * Announces this instance at once: its last announcement may soon expire, since it
	 * could not be repeated while Redis was away.
	 */
	public void redisIsBack() {
		if (this.running && !this.declarations.own().isEmpty()) {
			announce();
		}
	}

	private void announce() {
		this.store.announce(this.dropAfter).whenComplete((done, failure) -> {
			if (failure != null) {
				logger.debug("The other instances do not know yet that this one lives, which is tried again", failure);
			}
			else {
				announced();
			}
		});
	}

	/**
	 * Checks what this instance declares if the other instances may have taken it for
	 * ended: Redis was away, or this instance was suspended, for so long that they may
	 * have dropped what it declares. Repeated somewhat later, as one of them may still
	 * remember that this one had ended.
	 */
	private void announced() {
		long now = this.scheduler.nanoTime();
		long silence = now - this.announcedNanos.getAndSet(now);
		if (silence >= this.dropAfter.dividedBy(3).multipliedBy(2).toNanos()) {
			lookThroughOwn();
			later(this::lookThroughOwn, AFTER_SILENCE);
		}
	}

	private void lookThroughOwn() {
		CompletableFuture<Void> all = READY;
		for (String queue : this.declarations.own().keySet().stream().map(RecurringName::queue).distinct().toList()) {
			all = all.thenCompose((before) -> lookThrough(queue));
		}
		all.whenComplete((done, failure) -> {
			if (failure != null) {
				logger.debug("The recurring messages of this instance were not looked through, which is tried again",
						failure);
				later(this::lookThroughOwn, TRY_AGAIN);
			}
		});
	}

	private void declare(RecurringName name, StoredDeclaration declaration) {
		this.declarations.declare(name, declaration).whenComplete((outcome, failure) -> {
			if (failure != null) {
				logger.warn("The " + name + " is not declared yet, which is tried again: " + failure.getMessage());
				later(() -> {
					if (this.declarations.isOwn(name)) {
						declare(name, declaration);
					}
				}, TRY_AGAIN);
			}
			else {
				watch(name, outcome);
			}
		});
	}

	/**
	 * Checks the next tick of a recurring message, and those after it.
	 */
	void watch(RecurringName name, RecurringRepository.Outcome<?> declared) {
		StoredRecurring state = declared.state();
		activate();
		if (state != null && this.watched.add(name)) {
			checkLater(name, state, declared.now(), Duration.ZERO);
		}
	}

	/**
	 * Checks when the next tick would be late.
	 */
	private void checkLater(RecurringName name, StoredRecurring state, Instant now, Duration least) {
		Long next = state.next();
		long wait = (next != null) ? next + state.declaration().lateMillis() + 1 - now.toEpochMilli() : Long.MAX_VALUE;
		Duration delay = Duration.ofMillis(Math.min(Math.max(wait, least.toMillis()), LONGEST_CHECK.toMillis()));
		later(() -> check(name, next), delay);
	}

	private void check(RecurringName name, @Nullable Long expected) {
		this.ledger.look(name.queue(), name.name()).whenComplete((seen, failure) -> {
			StoredRecurring state = (failure == null) ? seen.state() : null;
			if (failure != null) {
				logger.debug("It is not known whether the ticks of the " + name + " are claimed", failure);
				later(() -> check(name, expected), StoreException.isAway(failure) ? TRY_AGAIN : CHECK_INTERVAL);
			}
			else if (state == null || state.isOver()) {
				this.watched.remove(name);
				if (state == null && this.declarations.isOwn(name)) {
					// Another instance has deleted the queue.
					putBack(name.queue());
				}
			}
			else {
				Long next = state.next();
				boolean overdue = false;
				if (next != null && state.ticks()
						&& seen.now().toEpochMilli() > next + state.declaration().lateMillis()) {
					overdue = true;
					reportOverdue(name, seen, next);
				}
				boolean early = !overdue && next != null && next.equals(expected);
				checkLater(name, state, seen.now(), early ? Duration.ZERO : CHECK_INTERVAL);
			}
		});
	}

	private void reportOverdue(RecurringName name, RecurringRepository.Seen seen, long tick) {
		if (!Long.valueOf(tick).equals(this.reported.put(name, tick))) {
			this.reporter.report(name, Kind.MISSING, tick, 1);
		}
		putBack(name, seen, false);
	}

	/**
	 * Puts the message of the next tick back if it was removed.
	 * @param known what was seen of the recurring message
	 * @param goesOn whether the tick after it takes its place if it was due
	 */
	private CompletableFuture<Void> putBack(RecurringName name, RecurringRepository.Seen known, boolean goesOn) {
		String uid = known.missingUid();
		if (uid == null) {
			return READY;
		}
		return this.ledger.<Optional<Long>>change(name.queue(), name.name(), (seen) -> {
			StoredRecurring state = seen.state();
			Long tick = (state != null) ? state.next() : null;
			if (state == null || tick == null || !uid.equals(state.nextUid()) || seen.living().contains(uid)) {
				return Decision.nothing(Optional.empty());
			}
			boolean due = tick <= seen.now().toEpochMilli();
			return Decision.keep(((goesOn && due) ? state.goingOn(seen.now()) : state).nextUid(null),
					Optional.of(tick));
		}).thenAccept((outcome) -> {
			outcome.result().ifPresent((tick) -> this.reporter.report(name, Kind.PUT_BACK, tick, 1));
		}).exceptionally((failure) -> {
			logger.debug("The message of the next tick of the " + name + " was not put back, which is tried again",
					failure);
			return null;
		});
	}

	/**
	 * Puts back what was removed of the recurring messages of a queue: the messages of
	 * their next ticks, and what this instance declares. To be called after an operation
	 * that may have removed them.
	 * @param queue the queue
	 * @return completes when they are there, or the attempt failed; does not fail
	 */
	public CompletableFuture<?> putBack(String queue) {
		if (!this.running) {
			return READY;
		}
		return this.ledger.list(queue)
			.thenCompose((known) -> declareMissing(queue, known.keySet())
				.thenCompose((declared) -> QueueRound.each(known.entrySet(),
						(each) -> putBack(new RecurringName(queue, each.getKey()), each.getValue(), true))))
			.handle((done, failure) -> {
				if (failure != null) {
					logger.debug("The recurring messages of the queue '" + queue
							+ "' were not looked through, which is tried again", failure);
				}
				return null;
			});
	}

	/**
	 * Does so after half a second, once for all that is removed meanwhile: a search that
	 * removes what it finds would find again what is put back at once.
	 * @param queue the queue
	 */
	public void putBackSoon(String queue) {
		if (!this.missing.add(queue)) {
			return;
		}
		ScheduledTask task = this.scheduler.schedule(() -> {
			this.missing.remove(queue);
			putBack(queue);
		}, AFTER_COMMANDS);
		if (task == null) {
			this.missing.remove(queue);
		}
	}

	/**
	 * Declares again what this instance declares and Redis does not have: its queue was
	 * deleted, or Redis has lost it.
	 */
	private CompletableFuture<Void> declareMissing(String queue, Set<String> known) {
		CompletableFuture<Void> all = READY;
		for (Map.Entry<RecurringName, StoredDeclaration> mine : this.declarations.own().entrySet()) {
			if (mine.getKey().queue().equals(queue) && !known.contains(mine.getKey().name())) {
				all = all.thenCompose((before) -> this.declarations.declare(mine.getKey(), mine.getValue()))
					.thenAccept((declared) -> watch(mine.getKey(), declared));
			}
		}
		return all;
	}

	/**
	 * Declares again what Redis has lost, and puts the messages of next ticks back that
	 * are done although Redis has forgotten that they ran.
	 * @param event what was found out
	 */
	@EventListener
	public void onRollback(RedisRolledBackEvent event) {
		this.ticks.rolledBack();
		lookThroughAfterRollback(event.queue(), AFTER_ROLLBACK);
	}

	private void lookThroughAfterRollback(String queue, Duration delay) {
		later(() -> lookThrough(queue).thenCompose((looked) -> this.ledger.list(queue))
			.thenAccept((known) -> known.forEach((name, seen) -> putBack(new RecurringName(queue, name), seen, false)))
			.exceptionally((failure) -> {
				logger.debug("The recurring messages of the queue '" + queue + "' were not looked through", failure);
				if (StoreException.isAway(failure)) {
					lookThroughAfterRollback(queue, TRY_AGAIN);
				}
				return null;
			}), delay);
	}

	private void beginRound() {
		this.store.queues().whenComplete((queues, failure) -> {
			Set<String> all = new TreeSet<>((failure == null) ? queues : Set.of());
			this.declarations.own().keySet().forEach((name) -> all.add(name.queue()));
			this.round.addAll(all);
			goOn(ROUND.dividedBy(Math.max(1, all.size())));
		});
	}

	private void goOn(Duration pause) {
		Duration next = (pause.compareTo(LEAST_PAUSE) < 0) ? LEAST_PAUSE : pause;
		String queue = this.round.poll();
		if (queue == null) {
			later(this::beginRound, next);
			return;
		}
		lookThrough(queue).whenComplete((done, failure) -> {
			if (failure != null) {
				logger.debug("The recurring messages of the queue '" + queue + "' were not looked through", failure);
			}
			later(() -> goOn(next), next);
		});
	}

	/**
	 * Checks the recurring messages of a queue.
	 */
	CompletableFuture<Void> lookThrough(String queue) {
		return this.ledger.list(queue).thenCompose((known) -> {
			CompletableFuture<Void> all = declareMissing(queue, known.keySet());
			for (Map.Entry<String, RecurringRepository.Seen> each : known.entrySet()) {
				StoredRecurring state = each.getValue().state();
				RecurringName name = new RecurringName(queue, each.getKey());
				all = all.thenCompose((before) -> putBack(name, each.getValue(), false));
				if (state != null) {
					all = all.thenCompose((before) -> lookAt(name, state));
				}
			}
			return known.isEmpty() && !hasOwn(queue) ? this.store.unregister(queue) : all;
		});
	}

	private boolean hasOwn(String queue) {
		return this.declarations.own().keySet().stream().anyMatch((name) -> name.queue().equals(queue));
	}

	private CompletableFuture<Void> lookAt(RecurringName name, StoredRecurring state) {
		if (state.isOver()) {
			return lookAtOver(name, state);
		}
		return this.declarations.standing(name, state)
			.thenCompose((standing) -> this.declarations.settle(name, standing, state))
			.thenCompose((settled) -> state.declarers().byApi() ? watchOther(name) : READY);
	}

	/**
	 * All instances maintain recurring messages that need no declaration in code.
	 */
	private CompletableFuture<Void> watchOther(RecurringName name) {
		return this.watched.contains(name) ? READY : this.ledger.look(name.queue(), name.name())
			.thenAccept((seen) -> watch(name, new RecurringRepository.Outcome<>(seen.now(), seen.state(), true)));
	}

	private CompletableFuture<Void> lookAtOver(RecurringName name, StoredRecurring state) {
		StoredDeclaration mine = this.declarations.own().get(name);
		if (state.wasRemoved()) {
			this.declarations.forget(name);
		}
		else if (mine != null) {
			return this.declarations.declare(name, mine).thenApply((declared) -> null);
		}
		return this.ledger.<Boolean>change(name.queue(), name.name(), (seen) -> {
			StoredRecurring present = seen.state();
			StoredRecurring.End end = (present != null) ? present.end() : null;
			boolean old = present != null && end != null && seen.living().isEmpty()
					&& seen.now().toEpochMilli() - end.since() > memory(present, seen).toMillis();
			return old ? Decision.keep(null, true) : Decision.nothing(false);
		}).thenApply((forgotten) -> null);
	}

	private static Duration memory(StoredRecurring over, RecurringRepository.Seen seen) {
		boolean counts = over.declaration().isCounted() || over.next() == null || seen.savedState().value() != null;
		return (counts && !over.wasRemoved()) ? LONG_MEMORY : MEMORY;
	}

}
