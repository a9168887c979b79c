package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;

/**
 * Calls listeners when trouble of a queue begins, changes and ends: in one instance of an
 * application at a time. Without a listener it has no thread and makes no request.
 *
 * @since 0.1.0
 */
public final class TroubleWatch implements SmartLifecycle {

	private static final Log logger = PlainLog.of(TroubleWatch.class);

	/**
	 * How long a stop waits for listeners, and then for Redis.
	 */
	private static final Duration STOP = Duration.ofSeconds(1);

	/**
	 * How many times it may fail to renew its turn.
	 */
	private static final int INTERVALS_A_LEASE = 3;

	private static final String EVENT_LISTENERS = "@EventListener, of whose methods the first that fails keeps the"
			+ " event from the rest";

	private final ApplicationContext context;

	private final ObjectProvider<TroubleListener> listeners;

	private final Duration interval;

	private final Scheduler clock;

	private final String group;

	private final Semaphore wake = new Semaphore(0);

	private final TroubleRound round;

	private final EventThread thread = new EventThread("redelay-trouble-watch-", this::run);

	private List<TroubleLane> lanes = List.of();

	private volatile boolean running;

	/**
	 * Creates a watch.
	 * @param context the context whose listeners get the event
	 * @param listeners the beans that get it
	 * @param snapshots looks at all queues
	 * @param key has the turn of the instances
	 * @param interval how often queues are looked at
	 * @param hold how long a verdict must hold
	 * @param clock the clock
	 */
	public TroubleWatch(ApplicationContext context, ObjectProvider<TroubleListener> listeners,
			Supplier<QueueSnapshots> snapshots, TroubleKey key, Duration interval, Duration hold, Scheduler clock) {
		this.context = context;
		this.listeners = listeners;
		this.interval = interval;
		this.clock = clock;
		this.group = key.group();
		TroubleTurn turn = new TroubleTurn(key::take, interval.multipliedBy(INTERVALS_A_LEASE), clock);
		this.round = new TroubleRound(turn, new TroubleVerdicts(hold), snapshots, interval, clock, this.wake::release);
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		List<TroubleLane> all = new ArrayList<>(this.listeners.orderedStream().map(this::lane).toList());
		if (new EventListeners(this.context).areThereFor(TroubleEvent.class)) {
			all.add(new TroubleLane(this.context::publishEvent, EVENT_LISTENERS, this.clock));
		}
		if (all.isEmpty()) {
			return;
		}
		if (this.group.isEmpty()) {
			logger.warn("Applications without spring.application.name count as one for events of queues in trouble, so"
					+ " only one of them receives each. Set the name");
		}
		this.lanes = List.copyOf(all);
		this.lanes.forEach(TroubleLane::start);
		this.thread.reopen();
		this.thread.start();
	}

	private TroubleLane lane(TroubleListener listener) {
		return new TroubleLane(listener, ClassUtils.getUserClass(listener).getName(), this.clock);
	}

	private void run() throws InterruptedException {
		List<TroubleLane> own;
		synchronized (this) {
			own = this.lanes;
		}
		try {
			this.round.listeners(own);
			Duration pause = this.interval;
			while (isToGoOn()) {
				this.wake.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS);
				this.wake.drainPermits();
				pause = isToGoOn() ? this.round.step() : Duration.ZERO;
			}
		}
		finally {
			long end = this.clock.nanoTime() + STOP.toNanos();
			own.forEach((lane) -> lane.close(Duration.ofNanos(end - this.clock.nanoTime())));
		}
		this.round.end(STOP);
	}

	private boolean isToGoOn() {
		return this.running && this.thread.isCurrent();
	}

	@Override
	public void stop() {
		List<TroubleLane> own;
		synchronized (this) {
			this.running = false;
			own = this.lanes;
			this.lanes = List.of();
		}
		this.wake.release();
		if (!own.isEmpty()) {
			this.thread.end(STOP.multipliedBy(3));
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Stops before what it looks with, like the events of messages.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE + 2;
	}

}
