package io.redelay.queue.inlet;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.inlet.InletConverter.Converted;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.InletScripts;
import io.redelay.queue.script.LookInletScript;
import io.redelay.queue.script.TakenEntry;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Takes over the entries in the inlet of one queue: reads some entries, makes messages of
 * them, and has the store take the entries out and add the messages in one step. If
 * another instance has taken them meanwhile, that step does nothing. So an instance may
 * die at any moment, and many may do this at once.
 * <p>
 * Safe for use by many threads.
 */
final class InletTaker {

	/**
	 * How large the entries of a step are together, without the last one.
	 */
	private static final long MAX_BYTES = 2 * 1024 * 1024;

	/**
	 * How long to wait for more entries when a step took all that there were.
	 */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private final String queue;

	private final InletRuntime runtime;

	private final InletConverter converter;

	private final RequestBatcher<TakenEntry, SendReply> batcher;

	private final InletReporter reporter;

	private final DeadLetterSettings dead;

	private final long maxEntrySize;

	private final Scheduler scheduler;

	private final BooleanSupplier heldBack;

	/**
	 * Completes when the present run has ended; {@code null} if there is none.
	 */
	private final AtomicReference<@Nullable CompletableFuture<Void>> running = new AtomicReference<>();

	/**
	 * How many entries a step takes at most: fewer while the queue is full, or after a
	 * failure, as their number or size may be the cause.
	 */
	private volatile int most = InletScripts.MAX_ENTRIES;

	private volatile boolean stopped;

	/**
	 * Creates what takes over from one inlet.
	 * @param queue the queue
	 * @param settings which bounds hold
	 * @param runtime what it works with
	 * @param heldBack whether nothing is to be read now
	 */
	InletTaker(String queue, InletSettings settings, InletRuntime runtime, BooleanSupplier heldBack) {
		this.queue = queue;
		this.heldBack = heldBack;
		this.runtime = runtime;
		this.dead = Objects.requireNonNull(settings.queues().get(queue));
		this.maxEntrySize = settings.maxEntrySize();
		this.scheduler = runtime.scheduler();
		this.converter = new InletConverter(runtime.template(), runtime.codec(), runtime.causes(), new Uids());
		this.batcher = runtime.inlets().batcher(queue, settings.limits().get(queue), this.maxEntrySize);
		this.reporter = new InletReporter(queue, runtime.inlets().key(queue), this.scheduler, runtime.listeners());
	}

	/**
	 * Takes over until the inlet is empty, unless a run is going on.
	 * @return completes when it has ended
	 */
	CompletableFuture<Void> run() {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		if (this.stopped || !this.running.compareAndSet(null, ended)) {
			return CompletableFuture.completedFuture(null);
		}
		ask();
		return ended;
	}

	/**
	 * Prevents further steps.
	 * @return completes when what is going on has ended
	 */
	CompletableFuture<Void> stop() {
		this.stopped = true;
		CompletableFuture<Void> present = this.running.get();
		return (present != null) ? present : CompletableFuture.completedFuture(null);
	}

	private void end() {
		CompletableFuture<Void> ended = this.running.getAndSet(null);
		if (ended != null) {
			ended.complete(null);
		}
	}

	/**
	 * The entries of a queue with several partitions would have to go to several slots.
	 */
	private void ask() {
		guarded(() -> this.runtime.partitions().ask(this.queue).whenComplete((partitions, failure) -> guarded(() -> {
			if (partitions == null) {
				failed(failure);
			}
			else if (partitions.size() > 1) {
				stopped("the queue has " + partitions.size()
						+ " partitions in Redis, and no script reaches them all. Use an inlet of a queue with one");
			}
			else {
				look();
			}
		})));
	}

	private void look() {
		if (this.stopped || this.heldBack.getAsBoolean()) {
			end();
			return;
		}
		this.runtime.inlets()
			.lookInlet()
			.run(this.queue, this.most, MAX_BYTES, this.maxEntrySize)
			.whenComplete((page, failure) -> guarded(() -> {
				if (page == null) {
					failed(failure);
				}
				else {
					read(page);
				}
			}));
	}

	private void read(LookInletScript.Page page) {
		if (page.foreign()) {
			stopped("the key is no list. Delete or rename it, and push to it with RPUSH");
		}
		else if (page.entries().isEmpty()) {
			end();
		}
		else if (page.closed()) {
			stopped("the queue is closed for new messages until QueueAdmin.control().reopen is called");
		}
		else if (!this.scheduler.execute(() -> guarded(() -> take(page)))) {
			end();
		}
	}

	private void take(LookInletScript.Page page) {
		List<Converted> entries = new ArrayList<>(page.entries().size());
		Instant time = page.time();
		try {
			page.entries().forEach((entry) -> entries.add(this.converter.convert(this.queue, entry, time)));
		}
		catch (Throwable ex) {
			abandon(entries, ex);
			throw ex;
		}
		List<TakenEntry> taken = entries.stream().map(Converted::taken).toList();
		this.batcher.submit(taken, true).whenComplete((reply, failure) -> {
			// Interceptors and listeners may block.
			Runnable settle = () -> guarded(() -> settle(entries, page, reply, failure));
			if (!this.scheduler.execute(settle)) {
				settle.run();
			}
		});
	}

	private void settle(List<Converted> entries, LookInletScript.Page page, @Nullable SendReply reply,
			@Nullable Throwable failure) {
		if (reply == null) {
			abandon(entries, (failure != null) ? failure : new IllegalStateException("There is no reply"));
			failed(failure);
			return;
		}
		if (reply.status() != LaneStatus.OK) {
			abandon(entries,
					new StoreException("This instance does not take it out of the inlet now: " + reply.status(), null));
			refused(reply.status());
			return;
		}
		sent(entries, reply);
		this.reporter.taken(entries);
		if (entries.stream().anyMatch((each) -> each.reason() != null)) {
			this.runtime.bounds().buried(this.queue, this.dead);
		}
		this.most = Math.min(InletScripts.MAX_ENTRIES, this.most * 2);
		boolean more = page.length() > entries.size();
		if (more) {
			look();
		}
		else if (this.scheduler.schedule(() -> guarded(this::look), PAUSE) == null) {
			end();
		}
	}

	private void refused(LaneStatus status) {
		switch (status) {
			case FULL -> {
				if (this.most > 1) {
					takeFewer();
					look();
				}
				else {
					stopped("the queue has as many messages as 'redelay.queue.queues." + this.queue
							+ ".max-length' allows");
				}
			}
			// Another instance takes them.
			case MOVED -> end();
			default -> stopped("Redis answered " + status);
		}
	}

	private void takeFewer() {
		this.most = Math.max(1, this.most / 8);
	}

	private static void sent(List<Converted> entries, SendReply reply) {
		int position = 0;
		for (Converted entry : entries) {
			if (entry.message() != null) {
				entry.message().sent(reply, position++);
			}
		}
	}

	private static void abandon(List<Converted> entries, Throwable failure) {
		for (Converted entry : entries) {
			if (entry.message() != null) {
				entry.message().abandon(failure);
			}
		}
	}

	private void failed(@Nullable Throwable thrown) {
		Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
				: thrown;
		if (StoreException.isAway(failure) || this.stopped) {
			end();
		}
		else {
			takeFewer();
			stopped(String.valueOf((failure != null) ? failure.getMessage() : null));
		}
	}

	private void stopped(String why) {
		this.reporter.stopped(why);
		end();
	}

	/**
	 * Any exception ends the run, or nothing would be taken over again.
	 */
	private void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

}
