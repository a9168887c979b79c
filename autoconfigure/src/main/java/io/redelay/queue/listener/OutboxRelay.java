package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.OutboxNote;
import io.redelay.queue.store.OutboxNoteHandler;
import io.redelay.queue.store.OutboxReply;
import io.redelay.queue.store.OutboxRequest;
import io.redelay.queue.store.StoreException;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Relays the notes in the outbox of one queue: reads them in their order, has happen what
 * they say, and removes them then. What cannot happen yet stays, and is tried again,
 * after a second at first and after half a minute at last.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
final class OutboxRelay {

	/**
	 * For how long another instance keeps away from the outbox.
	 */
	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private static final int MAX_BYTES = 1_000_000;

	private static final Log logger = LogFactory.getLog(OutboxRelay.class);

	private final DelayQueueStore store;

	private final String queue;

	private final Scheduler scheduler;

	private final Map<Character, OutboxNoteHandler> handlers;

	private State state = State.IDLE;

	/**
	 * Whether somebody learned of notes while others were relayed.
	 */
	private boolean again;

	private Duration pause = SHORTEST_PAUSE;

	/**
	 * How many notes have stayed in this pass.
	 */
	private int left;

	OutboxRelay(DelayQueueStore store, String queue, Scheduler scheduler, List<OutboxNoteHandler> handlers) {
		this.store = store;
		this.queue = queue;
		this.scheduler = scheduler;
		this.handlers = handlers.stream().collect(Collectors.toMap(OutboxNoteHandler::kind, Function.identity()));
	}

	/**
	 * Relays what is there, unless that is being done, or has to wait.
	 * @return {@code false} if another relay is to do it, as this one has retired
	 */
	boolean look() {
		synchronized (this) {
			this.again = this.state == State.RELAYING;
			if (this.state != State.IDLE) {
				return this.state != State.RETIRED;
			}
			this.state = State.RELAYING;
		}
		pass();
		return true;
	}

	/**
	 * Relays nothing any more, unless it does so now.
	 * @return whether it has retired
	 */
	synchronized boolean retire() {
		if (this.state == State.IDLE) {
			this.state = State.RETIRED;
		}
		return this.state == State.RETIRED;
	}

	private void pass() {
		this.left = 0;
		read(null, List.of());
	}

	private void read(@Nullable String after, List<OutboxNote> done) {
		CompletableFuture<OutboxReply> reply;
		try {
			reply = this.store.outbox(this.queue, new OutboxRequest(this.store.instance(), LEASE, after, MAX_BYTES,
					done.stream().map(OutboxNote::id).toList()));
		}
		catch (Throwable ex) {
			reply = CompletableFuture.failedFuture(ex);
		}
		reply.whenComplete((read, failure) -> {
			if (failure != null) {
				failed(failure);
			}
			else {
				relay(read);
			}
		});
	}

	private void relay(OutboxReply read) {
		Duration busy = read.busy();
		if (busy != null) {
			// Who has it relays all that is there; if that one dies, this one goes on.
			wait(busy.plusMillis(1));
		}
		else if (read.notes().isEmpty()) {
			passed();
		}
		else {
			List<OutboxNote> notes = read.notes();
			handle(notes).thenAccept((done) -> {
				this.left += notes.size() - done.size();
				read(notes.get(notes.size() - 1).id(), done);
			});
		}
	}

	/**
	 * Has happen what notes say.
	 * @return those that are done; never fails
	 */
	private CompletableFuture<List<OutboxNote>> handle(List<OutboxNote> notes) {
		Map<Character, List<OutboxNote>> byKind = new LinkedHashMap<>();
		notes.forEach((note) -> byKind.computeIfAbsent(note.kind(), (kind) -> new ArrayList<>()).add(note));
		CompletableFuture<List<OutboxNote>> all = CompletableFuture.completedFuture(List.of());
		for (Map.Entry<Character, List<OutboxNote>> each : byKind.entrySet()) {
			all = all.thenCombine(handle(each.getKey(), each.getValue()), (before, done) -> {
				List<OutboxNote> together = new ArrayList<>(before);
				together.addAll(done);
				return together;
			});
		}
		return all;
	}

	private CompletableFuture<Collection<OutboxNote>> handle(char kind, List<OutboxNote> notes) {
		OutboxNoteHandler handler = this.handlers.get(kind);
		CompletableFuture<Collection<OutboxNote>> done;
		try {
			done = (handler != null) ? handler.relay(this.queue, notes) : CompletableFuture
				.failedFuture(new StoreException("this version does not know the kind '" + kind + "'", null));
		}
		catch (Throwable ex) {
			done = CompletableFuture.failedFuture(ex);
		}
		return done.exceptionally((failure) -> {
			logger.warn(notes.size() + " note(s) of the kind '" + kind + "' in the outbox of the queue '" + this.queue
					+ "' could not be relayed, which is tried again: " + failure.getMessage());
			return List.of();
		});
	}

	private void passed() {
		if (this.left > 0) {
			waitLonger();
			return;
		}
		synchronized (this) {
			this.pause = SHORTEST_PAUSE;
			if (!this.again) {
				this.state = State.IDLE;
				return;
			}
			this.again = false;
		}
		pass();
	}

	private void failed(Throwable failure) {
		if (!StoreException.isAway(failure)) {
			logger.warn("The outbox of the queue '" + this.queue + "' could not be read, which is tried again: "
					+ failure.getMessage());
		}
		waitLonger();
	}

	private void waitLonger() {
		Duration present;
		synchronized (this) {
			present = this.pause;
			Duration longer = this.pause.multipliedBy(2);
			this.pause = (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
		}
		wait(present);
	}

	private void wait(Duration duration) {
		synchronized (this) {
			this.state = State.WAITING;
			this.again = false;
		}
		if (this.scheduler.schedule(this::goOn, duration) == null) {
			// The application is closing. If there is another instance, it goes on.
			goOnLater();
		}
	}

	private void goOn() {
		synchronized (this) {
			this.state = State.RELAYING;
		}
		pass();
	}

	private synchronized void goOnLater() {
		this.state = State.IDLE;
	}

	/**
	 * What the relay does.
	 */
	private enum State {

		IDLE, RELAYING, WAITING, RETIRED

	}

}
