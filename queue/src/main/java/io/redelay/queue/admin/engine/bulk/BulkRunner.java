package io.redelay.queue.admin.engine.bulk;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.JobsKey;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Carries out jobs of this instance, each in steps on a thread that may block, and takes
 * over those of instances that have died.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BulkRunner implements AutoCloseable {

	private static final Log logger = PlainLog.of(BulkRunner.class);

	/**
	 * How long the lease of an instance on a job is.
	 */
	static final Duration LEASE = Duration.ofSeconds(10);

	/**
	 * How long an instance waits at most before it renews the lease of a job, and finds
	 * out whether the job was stopped.
	 */
	private static final Duration PULSE = Duration.ofSeconds(2);

	/**
	 * How often an instance looks for jobs while it knows of some that run.
	 */
	private static final Duration LOOK = Duration.ofSeconds(1);

	/**
	 * An instance that knows of no running job looks only once in this many times.
	 */
	private static final int SELDOM = 30;

	/**
	 * For how long after it saw a running job an instance looks often.
	 */
	private static final Duration KNOWN = Duration.ofMinutes(1);

	/**
	 * How long a closing instance waits for its steps under way to end and its jobs to be
	 * released.
	 */
	private static final Duration FAREWELL = Duration.ofSeconds(2);

	private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

	/**
	 * How many jobs an instance carries out at a time.
	 */
	private static final int MOST = 4;

	/**
	 * How many ended jobs are remembered.
	 */
	private static final int MOST_ENDED = 100;

	private final JobsKey store;

	private final Supplier<BulkWork> work;

	private final Scheduler scheduler;

	private final String owner;

	private final Map<String, Run> running = new ConcurrentHashMap<>();

	/**
	 * The requests that end ended jobs once more, by id, the oldest first.
	 */
	private final Map<String, Supplier<CompletableFuture<JobsKey.@Nullable Job>>> ended = new LinkedHashMap<>();

	private final RegularTask regular;

	/**
	 * Until when this instance looks for jobs often, by the scheduler's clock.
	 */
	private volatile long knownUntil;

	private final AtomicInteger times = new AtomicInteger();

	private volatile boolean closed;

	/**
	 * Creates a runner, which carries out nothing before it is started.
	 * @param work what carries out steps, asked for with the first one
	 * @param instance the display name of this instance
	 */
	public BulkRunner(JobsKey store, Supplier<BulkWork> work, Scheduler scheduler, String instance) {
		this.store = store;
		this.work = work;
		this.scheduler = scheduler;
		this.owner = new Uids().next() + " " + instance;
		this.knownUntil = scheduler.nanoTime();
		this.regular = new RegularTask(scheduler, LOOK, this::look,
				(failure) -> logger.debug("Jobs were not looked for, which is tried again", failure));
	}

	/**
	 * Begins to look for jobs without an owner, unless it does already.
	 */
	public void start() {
		this.regular.start();
	}

	/**
	 * Looks for jobs often for some time, because the instance that has the running job
	 * may die.
	 */
	void sawRunning() {
		knowOfSome();
		start();
	}

	private void knowOfSome() {
		this.knownUntil = this.scheduler.nanoTime() + KNOWN.toNanos();
	}

	/**
	 * Remembers that a job was stopped.
	 */
	void stopped(String id) {
		ended(id, () -> this.store.stop(id));
	}

	private void ended(String id, Supplier<CompletableFuture<JobsKey.@Nullable Job>> again) {
		synchronized (this.ended) {
			this.ended.put(id, again);
			if (this.ended.size() > MOST_ENDED) {
				this.ended.remove(this.ended.keySet().iterator().next());
			}
		}
	}

	/**
	 * Ends the ended jobs once more, because Redis may have gone back in time. If Redis
	 * still has those ends, this changes nothing.
	 */
	public void endAgain() {
		Map<String, Supplier<CompletableFuture<JobsKey.@Nullable Job>>> all;
		synchronized (this.ended) {
			all = new LinkedHashMap<>(this.ended);
		}
		all.forEach((id, again) -> again.get().whenComplete((job, failure) -> {
			if (failure != null) {
				logger.debug("It is not known whether Redis remembers that the job '" + id + "' has ended", failure);
			}
		}));
	}

	/**
	 * Checks a job before it begins.
	 * @throws IllegalArgumentException if it cannot do anything
	 */
	void check(BulkPlan plan) {
		this.work.get().check(plan);
	}

	/**
	 * Carries out no further step, and releases the jobs of this instance, so that other
	 * instances take them over at once. A job with a step under way is released when the
	 * step has ended; this waits a short time for it. Called again it does nothing.
	 */
	@Override
	public void close() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
		}
		this.regular.close();
		List<Run> left = List.copyOf(this.running.values());
		left.forEach(Run::giveUp);
		try {
			CompletableFuture.allOf(left.stream().map((run) -> run.over).toArray(CompletableFuture[]::new))
				.get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Jobs of this instance are others' when their leases are over", ex);
		}
	}

	/**
	 * Returns the owner of a job that begins now: this instance, or {@code ""} for the
	 * first instance with a free place.
	 */
	String ownerOfNext() {
		return (!this.closed && this.running.size() < MOST) ? this.owner : "";
	}

	private CompletableFuture<?> look() {
		int free = MOST - this.running.size();
		boolean often = !this.running.isEmpty() || this.knownUntil - this.scheduler.nanoTime() > 0;
		boolean isTime = this.times.getAndIncrement() % SELDOM == 0;
		if (free <= 0 || (!often && !isTime)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.store.take(this.owner, LEASE, free).thenAccept((jobs) -> {
			if (jobs.running() > 0) {
				knowOfSome();
			}
			jobs.taken().forEach(this::run);
		});
	}

	/**
	 * Carries out a job, if this instance owns it.
	 */
	void run(JobsKey.Job job) {
		BulkPlan plan = BulkPlan.read(job.request());
		if (plan == null || !job.owner().equals(this.owner) || job.state() != JobsKey.Job.State.RUNNING) {
			return;
		}
		Run run = new Run(job, plan, BulkProgress.read(job.progress()));
		if (this.running.putIfAbsent(job.id(), run) == null) {
			run.next(Duration.ZERO);
		}
	}

	/**
	 * A job that is under way.
	 */
	private final class Run {

		private final String id;

		/**
		 * The plan as it is stored.
		 */
		private final String request;

		private final BulkPlan plan;

		private BulkProgress progress;

		private long number;

		/**
		 * Whether another instance may have the job by now.
		 */
		private boolean doubtful;

		/**
		 * When the next step may begin, by the scheduler's clock.
		 */
		private long notBefore;

		/**
		 * Whether the last step was carried out; its progress may not be noted in Redis
		 * yet.
		 */
		private boolean done;

		/**
		 * Whether a step is under way, or none will be.
		 */
		private final AtomicBoolean busy = new AtomicBoolean();

		/**
		 * Completes when this instance has no more to do with the job.
		 */
		private final CompletableFuture<Void> over = new CompletableFuture<>();

		Run(JobsKey.Job job, BulkPlan plan, BulkProgress progress) {
			this.id = job.id();
			this.request = job.request();
			this.plan = plan;
			this.progress = progress;
			this.number = job.number();
			this.notBefore = BulkRunner.this.scheduler.nanoTime();
		}

		void next(Duration pause) {
			if (BulkRunner.this.closed) {
				giveUp();
				return;
			}
			boolean goesOn = pause.isZero() ? BulkRunner.this.scheduler.execute(this::step)
					: BulkRunner.this.scheduler.schedule(this::execute, pause) != null;
			if (!goesOn) {
				giveUp();
			}
		}

		private void execute() {
			if (!BulkRunner.this.scheduler.execute(this::step)) {
				giveUp();
			}
		}

		/**
		 * Releases the job, unless a step is under way, which releases it at its end.
		 */
		void giveUp() {
			if (!this.busy.compareAndSet(false, true)) {
				return;
			}
			note(state(), Duration.ZERO).whenComplete((noted, failure) -> {
				if (failure != null) {
					logger.debug("The job '" + this.id + "' is another instance's when its lease is over", failure);
				}
				end();
			});
		}

		private void end() {
			BulkRunner.this.running.remove(this.id);
			this.over.complete(null);
		}

		private void step() {
			if (!this.busy.compareAndSet(false, true)) {
				return;
			}
			Duration pause = carryOut();
			if (pause == null) {
				end();
				return;
			}
			this.busy.set(false);
			next(pause);
		}

		/**
		 * Carries out a step.
		 * @return the pause before the next one, or {@code null} if the job is over or
		 * another instance owns it
		 */
		private @Nullable Duration carryOut() {
			try {
				if (this.doubtful && !goesOn()) {
					return null;
				}
				this.doubtful = false;
				long before = BulkRunner.this.scheduler.nanoTime();
				if (this.notBefore - before > 0) {
					this.doubtful = true;
					return pulse(Duration.ofNanos(this.notBefore - before));
				}
				long matched = this.progress.matched();
				this.progress = BulkRunner.this.work.get().step(this.plan, this.progress);
				this.done = this.progress.cursor() == null;
				this.doubtful = true;
				if (!goesOn()) {
					return null;
				}
				this.doubtful = false;
				this.notBefore = before + pauseNanos(this.progress.matched() - matched);
				long left = this.notBefore - BulkRunner.this.scheduler.nanoTime();
				this.doubtful = left > PULSE.toNanos();
				return (left > 0) ? pulse(Duration.ofNanos(left)) : Duration.ZERO;
			}
			catch (QueueBackendException ex) {
				logger.debug("The job '" + this.id + "' waits for Redis", ex);
				this.doubtful = true;
				return AFTER_FAILURE;
			}
			catch (Throwable ex) {
				fail(ex);
				return null;
			}
		}

		private JobsKey.Job.State state() {
			return this.done ? JobsKey.Job.State.DONE : JobsKey.Job.State.RUNNING;
		}

		private static Duration pulse(Duration pause) {
			return (pause.compareTo(PULSE) > 0) ? PULSE : pause;
		}

		/**
		 * The shortest time for a step that has processed a number of messages.
		 */
		private long pauseNanos(long messages) {
			Double perSecond = this.plan.request().perSecond();
			return (perSecond != null) ? (long) (messages * 1e9 / perSecond) : 0;
		}

		/**
		 * Writes the progress of the job to Redis.
		 * @return whether it goes on here
		 */
		private boolean goesOn() {
			JobsKey.Job noted = StoreCalls.await(note(state(), LEASE));
			if (noted == null && isBegunAgain()) {
				noted = StoreCalls.await(note(state(), LEASE));
			}
			if (noted != null && noted.state() != JobsKey.Job.State.RUNNING) {
				ended(noted.state());
				logger.info(what() + " ended as " + noted.state() + ": it was done with " + this.progress.done()
						+ " message(s), and refused by " + this.progress.refused());
			}
			return noted != null && noted.state() == JobsKey.Job.State.RUNNING;
		}

		private CompletableFuture<JobsKey.@Nullable Job> note(JobsKey.Job.State state, Duration lease) {
			return BulkRunner.this.store.note(this.id, BulkRunner.this.owner, lease, ++this.number, state,
					this.progress.write());
		}

		/**
		 * Begins the job again if Redis does not have it any more, because it went back
		 * in time.
		 * @return whether this instance has the job
		 */
		private boolean isBegunAgain() {
			JobsKey.Job job = StoreCalls
				.await(BulkRunner.this.store.begin(this.id, this.request, BulkRunner.this.owner, LEASE));
			return job != null && job.owner().equals(BulkRunner.this.owner);
		}

		private void ended(JobsKey.Job.State state) {
			if (state == JobsKey.Job.State.STOPPED) {
				stopped(this.id);
				return;
			}
			long last = this.number;
			String progress = this.progress.write();
			BulkRunner.this.ended(this.id,
					() -> BulkRunner.this.store.note(this.id, BulkRunner.this.owner, LEASE, last, state, progress));
		}

		private void fail(Throwable failure) {
			logger.warn(what() + " failed after " + this.progress.done() + " message(s) and does not go on", failure);
			this.progress = this.progress.failed(String.valueOf(failure.getMessage()));
			note(JobsKey.Job.State.FAILED, LEASE).exceptionally((ex) -> {
				logger.debug("It was not noted that the job '" + this.id + "' failed", ex);
				return null;
			});
			ended(JobsKey.Job.State.FAILED);
		}

		private String what() {
			return "The job '" + this.id + "' (" + this.plan.request().action() + ") of the queue '" + this.plan.queue()
					+ "'";
		}

	}

}
