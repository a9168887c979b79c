package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.OutboxScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.scheduling.Alarm;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Relays the notes in the outbox of one queue: reads them in their order, has them
 * carried out, and then removes them. A target that takes none, or does not answer within
 * a second, is behind. Its notes stay and are tried again, after a second at first and
 * half a minute at most, while those of other targets pass.
 * <p>
 * The outbox is read once, up to the position of the relay. Before the position, only
 * targets that are behind have notes, and each knows where its first one is.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
final class OutboxRelay {

	/**
	 * For how long other instances stay away from the outbox.
	 */
	private static final Duration LEASE = Duration.ofSeconds(10);

	/**
	 * For how long a target that does not answer delays the others.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/**
	 * While targets are behind, each claim reports notes. So this is the shortest time
	 * between two reads of new notes.
	 */
	private static final Duration SHORTEST_LOOK = Duration.ofMillis(20);

	/**
	 * How many targets may be behind. No new notes are read while more are.
	 */
	static final int MOST_BEHIND = 2000;

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private static final int MAX_BYTES = 1_000_000;

	private static final Log logger = PlainLog.of(OutboxRelay.class);

	private final QueueScripts scripts;

	private final String queue;

	private final Scheduler scheduler;

	private final Map<Character, OutboxNoteHandler> handlers;

	private final Alarm alarm;

	private State state = State.IDLE;

	/**
	 * Whether there may be notes after the position.
	 */
	private boolean again;

	/**
	 * The last note that was read, or {@code null} for none.
	 */
	private @Nullable String position;

	/**
	 * The targets that have notes up to the position.
	 */
	private final Map<TargetName, Target> behind = new LinkedHashMap<>();

	/**
	 * Notes that are done, and not removed yet.
	 */
	private final Set<String> done = new HashSet<>();

	private boolean readNewLast;

	private long readNewNanos;

	private Duration pause = SHORTEST_PAUSE;

	/**
	 * Counts the requests, so that Redis can say whether it has forgotten any.
	 */
	private long number;

	OutboxRelay(QueueScripts scripts, String queue, Scheduler scheduler, List<OutboxNoteHandler> handlers) {
		this.scripts = scripts;
		this.queue = queue;
		this.scheduler = scheduler;
		this.handlers = handlers.stream().collect(Collectors.toMap(OutboxNoteHandler::kind, Function.identity()));
		this.alarm = new Alarm(scheduler);
	}

	/**
	 * Relays new notes, unless a pass is under way or has to wait.
	 * @return {@code false} if another relay is to do it, as this one has retired
	 */
	boolean look() {
		synchronized (this) {
			this.again = true;
			if (this.state == State.RELAYING || this.state == State.HELD_OFF) {
				return true;
			}
			if (this.state == State.RETIRED) {
				return false;
			}
			Duration rest = SHORTEST_LOOK.minus(Duration.ofNanos(this.scheduler.nanoTime() - this.readNewNanos));
			if (this.state == State.WAITING && !rest.isNegative() && wakeAfter(rest)) {
				return true;
			}
			this.state = State.RELAYING;
		}
		step();
		return true;
	}

	/**
	 * Retires, unless the relay has notes to relay.
	 * @return whether it has retired
	 */
	synchronized boolean retire() {
		if (this.state == State.IDLE) {
			this.state = State.RETIRED;
		}
		return this.state == State.RETIRED;
	}

	/**
	 * Tries all targets again at once, as Redis, or a node of it, answers again.
	 */
	void redisIsBack() {
		synchronized (this) {
			this.pause = SHORTEST_PAUSE;
			this.behind.values().forEach((target) -> target.tryAt(this.scheduler.nanoTime()));
		}
		goOn();
	}

	private void goOn() {
		synchronized (this) {
			if (this.state != State.WAITING && this.state != State.HELD_OFF) {
				return;
			}
			this.state = State.RELAYING;
		}
		step();
	}

	/**
	 * Reads the notes to relay next, if there are any.
	 */
	private void step() {
		Target due;
		boolean readsNew;
		synchronized (this) {
			due = firstDue();
			boolean hasNew = (this.again || !this.done.isEmpty()) && this.behind.size() < MOST_BEHIND;
			readsNew = hasNew && (due == null || !this.readNewLast);
			if (!readsNew && due == null) {
				rest();
				return;
			}
			this.readNewLast = readsNew;
			if (readsNew) {
				this.again = false;
			}
		}
		read(readsNew ? null : due);
	}

	private @Nullable Target firstDue() {
		long now = this.scheduler.nanoTime();
		return this.behind.values()
			.stream()
			.filter((target) -> !target.underWay && target.dueNanos - now <= 0)
			.min(Comparator.comparingLong((target) -> target.dueNanos - now))
			.orElse(null);
	}

	/**
	 * Waits for the next target that is due, or becomes idle.
	 */
	private void rest() {
		if (this.behind.isEmpty()) {
			this.state = State.IDLE;
			this.position = null;
			return;
		}
		this.state = State.WAITING;
		this.behind.values()
			.stream()
			.filter((target) -> !target.underWay)
			.mapToLong((target) -> target.dueNanos - this.scheduler.nanoTime())
			.min()
			.ifPresent((nanos) -> wakeAfter(Duration.ofNanos(nanos)));
	}

	/**
	 * Continues after a while, unless an event comes before.
	 * @return whether it will; if the application is closing, another instance does
	 */
	private boolean wakeAfter(Duration duration) {
		return this.alarm.set(this::goOn, duration);
	}

	/**
	 * Reads a page.
	 * @param target the target whose notes are read, up to the position; or {@code null}
	 * to read the notes after it
	 */
	private void read(@Nullable Target target) {
		OutboxScript.Request request;
		synchronized (this) {
			request = new OutboxScript.Request(this.scripts.instance(), ++this.number, LEASE,
					(target != null) ? target.after : this.position, (target != null) ? this.position : null,
					// One note shows whether a target takes any.
					(target != null && target.refused) ? 1 : MAX_BYTES,
					this.done.stream().limit(OutboxScript.Request.MAX_RELAYED).toList());
		}
		AsyncCall.of(() -> new OutboxScript(this.scripts.runner()).run(this.queue, request))
			.thenAccept((read) -> relay(target, request, read))
			.whenComplete((relayed, failure) -> {
				if (failure != null) {
					failed(Causes.unwrap(failure));
				}
			});
	}

	private void relay(@Nullable Target target, OutboxScript.Request request, OutboxScript.Reply read) {
		Map<Target, List<Placed>> next;
		synchronized (this) {
			this.pause = SHORTEST_PAUSE;
			request.relayed().forEach(this.done::remove);
			Duration busy = read.busy();
			if (busy != null) {
				// The other instance relays all notes; if it dies, this one continues.
				this.again = true;
				holdOff(busy.plusMillis(1));
				return;
			}
			next = next(target, request, read);
		}
		List<CompletableFuture<?>> ends = new ArrayList<>(next.size());
		next.forEach((each, notes) -> ends
			.add(handle(each.name.kind(), notes).handle((relayed, failure) -> ended(each, notes, relayed, failure))));
		this.scheduler.limit(CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)), PATIENCE)
			.whenComplete((ended, late) -> step());
	}

	/**
	 * Finds the notes to relay now.
	 */
	private Map<Target, List<Placed>> next(@Nullable Target target, OutboxScript.Request request,
			OutboxScript.Reply read) {
		if (read.count() == 0) {
			this.behind.values().forEach(this::leave);
			this.behind.clear();
			this.position = null;
			return Map.of();
		}
		if (!read.unbroken() && this.position != null) {
			// Redis went back in time: notes that were removed may be there again.
			this.behind.clear();
			this.position = null;
			this.again = true;
			return Map.of();
		}
		List<Placed> page = new ArrayList<>(read.notes().size());
		String before = request.after();
		for (OutboxNote note : read.notes()) {
			page.add(new Placed(note, before));
			before = note.id();
		}
		return (target != null) ? notesOf(target, page, before) : newNotes(page, before);
	}

	/**
	 * Moves the position to the end of notes that were read.
	 * @return the notes of targets that are not behind
	 */
	private Map<Target, List<Placed>> newNotes(List<Placed> page, @Nullable String end) {
		this.readNewNanos = this.scheduler.nanoTime();
		this.position = end;
		this.again |= !page.isEmpty();
		Map<Target, List<Placed>> byTarget = new LinkedHashMap<>();
		for (Placed note : page) {
			TargetName name = nameOf(note.note());
			Target target = this.behind.get(name);
			if (target == null) {
				target = new Target(name);
				target.begin(end);
				this.behind.put(name, target);
				byTarget.put(target, new ArrayList<>());
			}
			List<Placed> own = byTarget.get(target);
			if (own != null) {
				own.add(note);
			}
		}
		return byTarget;
	}

	/**
	 * Finds the notes of a target that is behind.
	 */
	private Map<Target, List<Placed>> notesOf(Target target, List<Placed> page, @Nullable String end) {
		List<Placed> own = page.stream().filter((note) -> nameOf(note.note()).equals(target.name)).toList();
		if (own.isEmpty()) {
			passed(target, page.isEmpty() ? this.position : end);
			return Map.of();
		}
		target.begin(end);
		return Map.of(target, own);
	}

	/**
	 * Records that a target has no notes up to a place any more.
	 */
	private void passed(Target target, @Nullable String end) {
		if (Objects.equals(end, this.position)) {
			this.behind.remove(target.name);
			leave(target);
		}
		else {
			target.passed(end, this.scheduler.nanoTime());
		}
	}

	private void leave(Target target) {
		if (target.problem != null) {
			logger.info("Notes " + target.name + " leave the outbox of the queue '" + this.queue + "' again");
		}
	}

	private TargetName nameOf(OutboxNote note) {
		OutboxNoteHandler handler = this.handlers.get(note.kind());
		try {
			return new TargetName(note.kind(), (handler != null) ? handler.target(note) : "");
		}
		catch (RuntimeException ex) {
			// Its handler says why it cannot be read.
			return new TargetName(note.kind(), "");
		}
	}

	private CompletableFuture<OutboxNoteHandler.Relayed> handle(char kind, List<Placed> notes) {
		OutboxNoteHandler handler = this.handlers.get(kind);
		return AsyncCall
			.of(() -> (handler != null) ? handler.relay(this.queue, notes.stream().map(Placed::note).toList())
					: CompletableFuture.failedFuture(new StoreException("this version does not know them", null)));
	}

	private @Nullable Void ended(Target target, List<Placed> notes, OutboxNoteHandler.@Nullable Relayed relayed,
			@Nullable Throwable failure) {
		Set<String> gone = new HashSet<>();
		if (relayed != null) {
			relayed.done().forEach((note) -> gone.add(note.id()));
		}
		String problem = (relayed != null) ? relayed.problem() : problem(failure);
		synchronized (this) {
			this.done.addAll(gone);
			if (this.behind.get(target.name) == target) {
				Placed first = notes.stream()
					.filter((note) -> !gone.contains(note.note().id()))
					.findFirst()
					.orElse(null);
				if (first == null) {
					passed(target, target.end);
				}
				else {
					stayed(target, target.refused(first.before(), this.scheduler.nanoTime()), problem);
				}
			}
			if (this.state != State.WAITING) {
				return null;
			}
			this.state = State.RELAYING;
		}
		step();
		return null;
	}

	private static @Nullable String problem(@Nullable Throwable failure) {
		return StoreException.isAway(failure) ? null
				: String.valueOf((failure instanceof StoreException) ? failure.getMessage() : failure);
	}

	/**
	 * Logs that notes stay, once for each problem; not while Redis is away, which is
	 * logged elsewhere.
	 */
	private void stayed(Target target, Duration pause, @Nullable String problem) {
		if (problem != null && !problem.equals(target.problem)) {
			target.problem = problem;
			logger.warn("Notes " + target.name + " wait in the outbox of the queue '" + this.queue
					+ "', tried again in " + pause.toSeconds() + " s and then up to every " + LONGEST_PAUSE.toSeconds()
					+ " s: " + problem);
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("Notes " + target.name + " wait in the outbox of the queue '" + this.queue
					+ "', tried again in " + pause.toSeconds() + " s");
		}
	}

	private void failed(Throwable failure) {
		if (!StoreException.isAway(failure)) {
			logger.warn("The outbox of the queue '" + this.queue + "' could not be read, which is tried again: "
					+ failure.getMessage());
		}
		synchronized (this) {
			Duration present = this.pause;
			this.pause = longer(present);
			this.again = true;
			holdOff(present);
		}
	}

	private void holdOff(Duration duration) {
		this.state = wakeAfter(duration) ? State.HELD_OFF : State.IDLE;
	}

	/**
	 * A note that was read.
	 *
	 * @param before the id of the one before it, whatever its target
	 */
	private record Placed(OutboxNote note, @Nullable String before) {

	}

	/**
	 * The states of a relay.
	 */
	private enum State {

		IDLE, RELAYING, WAITING, HELD_OFF, RETIRED

	}

	/**
	 * Returns the pause after this one.
	 */
	private static Duration longer(Duration pause) {
		Duration longer = pause.multipliedBy(2);
		return (longer.compareTo(LONGEST_PAUSE) < 0) ? longer : LONGEST_PAUSE;
	}

	/**
	 * A target of the notes, while notes for it that the relay has read are still there:
	 * they are under way, or the target refused them. Guarded by the lock of the relay.
	 */
	private static final class Target {

		private final TargetName name;

		/**
		 * All notes of the target up to this one are done; {@code null} for none.
		 */
		private @Nullable String after;

		/**
		 * The last of its notes that are under way.
		 */
		private @Nullable String end;

		private boolean underWay;

		/**
		 * Whether it refused notes the last time.
		 */
		private boolean refused;

		/**
		 * When it is tried again.
		 */
		private long dueNanos;

		private Duration pause = SHORTEST_PAUSE;

		/**
		 * Why it refused notes, as logged.
		 */
		private @Nullable String problem;

		Target(TargetName name) {
			this.name = name;
		}

		/**
		 * Records that its notes up to a place are under way.
		 */
		void begin(@Nullable String end) {
			this.end = end;
			this.underWay = true;
		}

		/**
		 * Records that its notes up to a place are done.
		 */
		void passed(@Nullable String end, long nowNanos) {
			this.after = end;
			this.underWay = false;
			this.refused = false;
			tryAt(nowNanos);
		}

		/**
		 * Records that it did not take all notes.
		 * @param before the note before the first one that it did not take
		 * @return how long the relay pauses for it
		 */
		Duration refused(@Nullable String before, long nowNanos) {
			Duration present = this.pause;
			this.after = before;
			this.underWay = false;
			this.refused = true;
			this.dueNanos = nowNanos + present.toNanos();
			this.pause = longer(present);
			return present;
		}

		void tryAt(long nanos) {
			this.dueNanos = nanos;
			this.pause = SHORTEST_PAUSE;
		}

	}

	/**
	 * Distinguishes targets by kind and queue: a queue that takes no messages may still
	 * count the ended members of a bundle.
	 *
	 * @param kind the kind of the notes
	 * @param queue the queue they go to, as the store knows it; empty if they name none
	 */
	private record TargetName(char kind, String queue) {

		@Override
		public String toString() {
			return this.queue.isEmpty() ? "of the kind '" + this.kind + "'" : "for the queue '" + this.queue + "'";
		}

	}

}
