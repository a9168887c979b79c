package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent runs of one container on one queue. They share one lease, which is
 * renewed while there are any. One request is on the wire at a time; the steps added
 * meanwhile go together in the next one.
 * <p>
 * If Redis has forgotten a request that it had answered, it may count ended runs as
 * running, and not know running ones. The former owner then ends, and another one takes
 * its place and begins the running ones again.
 * <p>
 * Safe for use by many threads. Nothing blocks, and futures complete on threads that must
 * not be blocked.
 *
 * @since 0.1.0
 */
public final class RunOwner {

	private static final Log logger = PlainLog.of(RunOwner.class);

	/**
	 * How long to wait after a request failed.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final QueueScripts scripts;

	private final String user;

	private final String queue;

	private final Duration lease;

	private final Duration window;

	private final Scheduler scheduler;

	private final Deque<Pending> waiting = new ArrayDeque<>();

	/**
	 * The begin steps, by the name of the run, of runs that have not ended and have their
	 * key or asked for it.
	 */
	private final Map<String, RunOnceScript.Step> begun = new LinkedHashMap<>();

	private final Runnable check = this::check;

	/**
	 * Completes when Redis knows that this owner has ended.
	 */
	private final CompletableFuture<Void> closed = new CompletableFuture<>();

	private String name;

	/**
	 * The name that this owner replaces, until Redis knows of the replacement.
	 */
	private @Nullable String former;

	private long requests;

	/**
	 * The number of the last request that was answered.
	 */
	private long answered;

	private long names;

	private int running;

	/**
	 * Whether a request is on the wire, or the next one waits after a failure.
	 */
	private boolean busy;

	private boolean renewalDue;

	private boolean renewalScheduled;

	private boolean closing;

	private boolean logged;

	private volatile long lastRenewed;

	/**
	 * Creates the owner of a container's runs on one queue, from the container's start to
	 * its stop.
	 * @param scripts the scripts of the server
	 * @param user the owner in log lines, such as "the listener 'mails'"
	 * @param queue the queue that the keys belong to
	 * @param lease after what time without a request its runs count as crashed
	 * @param window for how long a key is done
	 * @param scheduler the clock and the timer
	 */
	public RunOwner(QueueScripts scripts, String user, String queue, Duration lease, Duration window,
			Scheduler scheduler) {
		this.scripts = scripts;
		this.user = user;
		this.queue = queue;
		this.name = scripts.newLane();
		this.lease = lease;
		this.window = window;
		this.scheduler = scheduler;
		this.lastRenewed = scheduler.nanoTime();
	}

	/**
	 * Creates a run, which does not begin yet.
	 * @param key the idempotency key
	 * @return the run, whose end must be recorded
	 */
	public KeyedRun run(String key) {
		return run(key, this.window);
	}

	/**
	 * Creates a run, which does not begin yet.
	 * @param key the idempotency key
	 * @param window for how long the key is done after a success
	 * @return the run, whose end must be recorded
	 */
	public synchronized KeyedRun run(String key, Duration window) {
		this.running++;
		return new KeyedRun(this, StoredKey.of(key), Long.toString(++this.names, Character.MAX_RADIX), window);
	}

	synchronized void ended(String run) {
		this.running--;
		this.begun.remove(run);
	}

	/**
	 * Looks at a key, or changes it without a run.
	 * @param action {@link RunOnceScript.Step.Action#LOOK},
	 * {@link RunOnceScript.Step.Action#FORGET} or {@link RunOnceScript.Step.Action#DONE}
	 * @param key the idempotency key
	 * @param window for how long the key is done, for a
	 * {@link RunOnceScript.Step.Action#DONE}
	 * @return a future of the key's state, for a look; fails if the store cannot be
	 * asked. A {@link RunOnceScript.Step.Action#DONE} does not fail but is repeated until
	 * it is recorded
	 */
	public CompletableFuture<RunOnceScript.Answer> key(RunOnceScript.Step.Action action, String key, Duration window) {
		CompletableFuture<RunOnceScript.Answer> answer = add(
				new RunOnceScript.Step(action, StoredKey.of(key), "-", window));
		send();
		return answer;
	}

	/**
	 * Returns whether the lease cannot be over yet.
	 */
	boolean isValid() {
		return this.scheduler.nanoTime() - this.lastRenewed < this.lease.toNanos();
	}

	/**
	 * Frees the keys of the runs that have not ended, because the container gives their
	 * messages back. A run that succeeds nevertheless is still recorded.
	 * @return a future that completes when this was tried
	 */
	public CompletableFuture<Void> close() {
		synchronized (this) {
			if (this.running == 0 && this.waiting.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			this.closing = true;
			this.renewalDue = true;
		}
		send();
		return this.closed;
	}

	/**
	 * Adds a step to the next request.
	 */
	synchronized CompletableFuture<RunOnceScript.Answer> add(RunOnceScript.Step step) {
		Pending pending = new Pending(step, false, new CompletableFuture<>());
		this.waiting.add(pending);
		if (step.action() == RunOnceScript.Step.Action.BEGIN) {
			this.begun.put(step.run(), step);
		}
		if (!this.closing) {
			scheduleRenewal();
		}
		return pending.answer;
	}

	/**
	 * Schedules the renewal for a third of the lease later, and as soon as Redis may have
	 * gone back in time. If the timer takes no task, the next step tries again.
	 */
	private void scheduleRenewal() {
		if (!this.renewalScheduled) {
			this.renewalScheduled = this.scheduler.schedule(this::renew, this.lease.toNanos() / 3) != null;
			if (this.renewalScheduled) {
				this.scripts.replayMemory().watch(this.check);
			}
		}
	}

	private void renew() {
		synchronized (this) {
			this.renewalScheduled = false;
			if (this.running == 0 || this.closing) {
				this.scripts.replayMemory().unwatch(this.check);
				return;
			}
			this.renewalDue = true;
			scheduleRenewal();
		}
		send();
	}

	private void check() {
		synchronized (this) {
			this.renewalDue = true;
		}
		send();
	}

	/**
	 * Sends a request, if there is a reason and none is on the wire.
	 */
	void send() {
		List<Pending> steps = new ArrayList<>();
		RunOnceScript.Request request;
		synchronized (this) {
			if (this.busy || (this.waiting.isEmpty() && !this.renewalDue)) {
				return;
			}
			this.busy = true;
			this.renewalDue = false;
			while (steps.size() < RunOnceScript.Request.MAX_STEPS && !this.waiting.isEmpty()) {
				steps.add(this.waiting.remove());
			}
			request = new RunOnceScript.Request(this.name, ++this.requests, this.answered, this.former,
					this.closing ? Duration.ZERO : this.lease, steps.stream().map(Pending::step).toList());
		}
		long sent = this.scheduler.nanoTime();
		AsyncCall.of(() -> new RunOnceScript(this.scripts.runner()).run(this.queue, request))
			.whenComplete((reply, failure) -> {
				if (failure != null) {
					failed(request, steps, failure);
				}
				else if (reply.status() == LaneStatus.BEHIND) {
					forgotten(steps);
				}
				else {
					answered(request, steps, reply.answers(), sent);
				}
			});
	}

	/**
	 * Continues under another name, as Redis has forgotten requests that were answered.
	 * The running ones begin again, unless they are given back. Their begin steps go
	 * first, if they fit into one request.
	 */
	private void forgotten(List<Pending> steps) {
		logger.debug("Redis has forgotten idempotent runs of " + this.user + " on '" + this.queue
				+ "': those that go on begin again");
		synchronized (this) {
			returnToWaiting(steps);
			if (!this.closing) {
				Set<String> asking = this.waiting.stream()
					.filter((pending) -> pending.step.action() == RunOnceScript.Step.Action.BEGIN)
					.map((pending) -> pending.step.run())
					.collect(Collectors.toSet());
				this.begun.values()
					.stream()
					.filter((step) -> !asking.contains(step.run()))
					.forEach((step) -> this.waiting.addFirst(new Pending(step, true, new CompletableFuture<>())));
			}
			this.former = this.name;
			this.name = this.scripts.newLane();
			this.requests = 0;
			this.answered = 0;
			this.renewalDue = true;
			this.busy = false;
		}
		send();
	}

	private void returnToWaiting(List<Pending> steps) {
		for (int i = steps.size() - 1; i >= 0; i--) {
			this.waiting.addFirst(steps.get(i));
		}
	}

	private void answered(RunOnceScript.Request request, List<Pending> steps, List<RunOnceScript.Answer> answers,
			long sent) {
		synchronized (this) {
			this.busy = false;
			this.logged = false;
			this.lastRenewed = sent;
			this.answered = request.seq();
			this.former = null;
			for (int i = 0; i < steps.size(); i++) {
				if (steps.get(i).step.action() == RunOnceScript.Step.Action.BEGIN
						&& answers.get(i).state() != RunOnceScript.Answer.State.MINE) {
					this.begun.remove(steps.get(i).step.run());
				}
			}
		}
		send();
		for (int i = 0; i < steps.size(); i++) {
			steps.get(i).answer.complete(answers.get(i));
		}
		if (request.lease().isZero()) {
			this.closed.complete(null);
		}
	}

	/**
	 * Keeps the ends of runs, and runs that begin again, for the next request. Runs that
	 * were to begin fail. If the timer is closed, waiting runs fail too: no request would
	 * be sent while handler threads wait for it.
	 */
	private void failed(RunOnceScript.Request request, List<Pending> steps, Throwable failure) {
		log(failure);
		List<Pending> failed = new ArrayList<>(steps);
		synchronized (this) {
			returnToWaiting(steps.stream().filter((step) -> !step.isTriedOnce()).toList());
			this.busy = this.scheduler.schedule(this::goOn, PAUSE) != null;
			if (!this.busy) {
				failed.addAll(this.waiting);
				this.waiting.removeIf(Pending::isTriedOnce);
			}
			failed.stream().filter(Pending::isTriedOnce).forEach((pending) -> this.begun.remove(pending.step.run()));
		}
		failed.stream()
			.filter((pending) -> pending.step.action() != RunOnceScript.Step.Action.DONE)
			.forEach((pending) -> pending.answer.completeExceptionally(failure));
		if (request.lease().isZero()) {
			this.closed.complete(null);
		}
	}

	private void goOn() {
		synchronized (this) {
			this.busy = false;
		}
		send();
	}

	private void log(Throwable failure) {
		boolean first;
		synchronized (this) {
			first = !this.logged;
			this.logged = true;
		}
		String what = "Redis refuses to begin or end idempotent runs of " + this.user + " on '" + this.queue
				+ "', which is tried again every second. What succeeded does not count as done before that is recorded:"
				+ " a message is not acknowledged before";
		if (!first || StoreException.isAway(failure)) {
			logger.debug(what, failure);
			return;
		}
		FailureText.warnInOneLine(logger, what, failure);
	}

	/**
	 * A step that waits for its answer.
	 *
	 * @param step the step
	 * @param again whether it begins a run again whose begin Redis has forgotten
	 * @param answer its outcome
	 */
	private record Pending(RunOnceScript.Step step, boolean again, CompletableFuture<RunOnceScript.Answer> answer) {

		/**
		 * Returns whether it fails for its caller at its first failure.
		 */
		boolean isTriedOnce() {
			return switch (this.step.action()) {
				case BEGIN -> !this.again;
				case LOOK, FORGET -> true;
				case DONE, FREE -> false;
			};
		}

	}

}
