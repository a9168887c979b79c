package io.redelay.queue.listener.idempotency;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.listener.failure.FailureText;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.RunAnswer;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.RunStep;
import io.redelay.queue.store.StoreException;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The runs of one container on one queue that have an idempotency key. They have one
 * lease in common, which is renewed while there are any. One request is on the wire at a
 * time; the steps that come meanwhile go together in the next one.
 * <p>
 * Safe for use by many threads. Nothing blocks, and futures complete on threads that must
 * not be blocked.
 *
 * @since 0.1.0
 */
public final class RunOwner {

	private static final Log logger = LogFactory.getLog(RunOwner.class);

	/**
	 * How long to wait after a request failed.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final DelayQueueStore store;

	private final String listener;

	private final String queue;

	private final String name;

	private final Duration lease;

	private final Duration window;

	private final Scheduler scheduler;

	private final Deque<Pending> waiting = new ArrayDeque<>();

	/**
	 * Completes when Redis knows that this owner has ended.
	 */
	private final CompletableFuture<Void> closed = new CompletableFuture<>();

	private long requests;

	private long names;

	private int running;

	/**
	 * Whether a request is on the wire, or the next one waits because one failed.
	 */
	private boolean busy;

	private boolean renewalDue;

	private boolean renewalScheduled;

	private boolean closing;

	private boolean told;

	private volatile long lastRenewed;

	/**
	 * Creates the owner of a container's runs on one queue, from the container's start to
	 * its stop.
	 * @param store the store
	 * @param listener the id of the listener
	 * @param queue the queue
	 * @param lease after what time its runs count as crashed if it is not heard of
	 * @param window for how long a key is done
	 * @param scheduler the clock and the timer
	 */
	public RunOwner(DelayQueueStore store, String listener, String queue, Duration lease, Duration window,
			Scheduler scheduler) {
		this.store = store;
		this.listener = listener;
		this.queue = queue;
		this.name = store.newLane();
		this.lease = lease;
		this.window = window;
		this.scheduler = scheduler;
		this.lastRenewed = scheduler.nanoTime();
	}

	/**
	 * Creates a run, which does not begin yet.
	 * @param key the idempotency key
	 * @return the run, whose end must be told
	 */
	public synchronized KeyedRun run(String key) {
		this.running++;
		return new KeyedRun(this, StoredKey.of(key), Long.toString(++this.names, Character.MAX_RADIX));
	}

	synchronized void ended() {
		this.running--;
	}

	Duration window() {
		return this.window;
	}

	/**
	 * Whether the lease cannot be over yet.
	 */
	boolean isValid() {
		return this.scheduler.nanoTime() - this.lastRenewed < this.lease.toNanos();
	}

	/**
	 * Frees the keys of the runs that have not ended, because the container gives their
	 * messages back. A run that succeeds nevertheless is still recorded.
	 * @return completes when this was tried
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
	synchronized CompletableFuture<RunAnswer> add(RunStep step) {
		Pending pending = new Pending(step, new CompletableFuture<>());
		this.waiting.add(pending);
		if (!this.closing) {
			scheduleRenewal();
		}
		return pending.answer;
	}

	/**
	 * Looks a third of the lease later whether to renew it. If the timer takes no task,
	 * the next step tries again.
	 */
	private void scheduleRenewal() {
		if (!this.renewalScheduled) {
			this.renewalScheduled = this.scheduler.schedule(this::renew, this.lease.toNanos() / 3) != null;
		}
	}

	private void renew() {
		synchronized (this) {
			this.renewalScheduled = false;
			if (this.running == 0 || this.closing) {
				return;
			}
			this.renewalDue = true;
			scheduleRenewal();
		}
		send();
	}

	/**
	 * Sends a request, if there is a reason and none is on the wire.
	 */
	void send() {
		List<Pending> steps = new ArrayList<>();
		RunRequest request;
		synchronized (this) {
			if (this.busy || (this.waiting.isEmpty() && !this.renewalDue)) {
				return;
			}
			this.busy = true;
			this.renewalDue = false;
			while (steps.size() < RunRequest.MAX_STEPS && !this.waiting.isEmpty()) {
				steps.add(this.waiting.remove());
			}
			request = new RunRequest(this.name, ++this.requests, this.closing ? Duration.ZERO : this.lease,
					steps.stream().map(Pending::step).toList());
		}
		long sent = this.scheduler.nanoTime();
		transmit(request).whenComplete((answers, failure) -> {
			if (failure == null) {
				answered(request, steps, answers, sent);
			}
			else {
				failed(request, steps, failure);
			}
		});
	}

	private CompletableFuture<List<RunAnswer>> transmit(RunRequest request) {
		try {
			return this.store.runs(this.queue, request);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void answered(RunRequest request, List<Pending> steps, List<RunAnswer> answers, long sent) {
		synchronized (this) {
			this.busy = false;
			this.told = false;
			this.lastRenewed = sent;
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
	 * Keeps the ends of runs for the next request. What was to begin does not; nor does
	 * what waits to begin if the timer is closed, as nothing would send it while threads
	 * of handlers wait for it.
	 */
	private void failed(RunRequest request, List<Pending> steps, Throwable failure) {
		tell(failure);
		List<Pending> failed = new ArrayList<>(steps);
		synchronized (this) {
			for (int i = steps.size() - 1; i >= 0; i--) {
				if (steps.get(i).step.action() != RunStep.Action.BEGIN) {
					this.waiting.addFirst(steps.get(i));
				}
			}
			this.busy = this.scheduler.schedule(this::goOn, PAUSE) != null;
			if (!this.busy) {
				failed.addAll(this.waiting);
				this.waiting.removeIf((pending) -> pending.step.action() == RunStep.Action.BEGIN);
			}
		}
		failed.stream()
			.filter((pending) -> pending.step.action() != RunStep.Action.DONE)
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

	private void tell(Throwable failure) {
		boolean first;
		synchronized (this) {
			first = !this.told;
			this.told = true;
		}
		String what = "The listener '" + this.listener + "' cannot begin or end idempotent runs of the queue '"
				+ this.queue + "' and tries again every second. Messages whose handling succeeded are not acknowledged"
				+ " before that is recorded";
		if (!first || StoreException.isAway(failure)) {
			logger.debug(what, failure);
			return;
		}
		FailureText.warnInOneLine(logger, what, failure);
	}

	/**
	 * A step that waits for its answer.
	 */
	private record Pending(RunStep step, CompletableFuture<RunAnswer> answer) {
	}

}
