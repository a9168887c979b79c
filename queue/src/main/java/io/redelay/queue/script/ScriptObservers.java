package io.redelay.queue.script;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.request.SendRequest;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The observers of the calls of scripts: events, meters and statistics, each only while
 * it is switched on. A call that begins while the list is empty costs nothing and is not
 * observed.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ScriptObservers {

	private static final Log logger = PlainLog.of(ScriptObservers.class);

	private final LongSupplier nanoTime;

	private final BiConsumer<String, Instant> drained;

	private final List<ScriptObservers> servers = new ArrayList<>();

	private volatile List<ScriptObserver> entries = List.of();

	private volatile boolean sendsNeeded;

	private volatile boolean movesNeeded;

	private volatile boolean changesNeeded;

	/**
	 * Creates an empty list.
	 * @param nanoTime the clock
	 */
	public ScriptObservers(LongSupplier nanoTime) {
		this(nanoTime, (queue, time) -> {
		});
	}

	private ScriptObservers(LongSupplier nanoTime, BiConsumer<String, Instant> drained) {
		this.nanoTime = nanoTime;
		this.drained = drained;
	}

	/**
	 * Creates the list of a server, which has the entries of this list, those that are
	 * added later included, and its own.
	 * @param drained called with a queue, or a partition, whose last living message has
	 * gone, and the time, while an entry needs the changes of queues; must not block and
	 * must not throw
	 * @return the list
	 */
	public synchronized ScriptObservers ofServer(BiConsumer<String, Instant> drained) {
		ScriptObservers server = new ScriptObservers(this.nanoTime, drained);
		this.entries.forEach(server::add);
		this.servers.add(server);
		return server;
	}

	/**
	 * Adds an observer.
	 * @param observer the observer
	 */
	public synchronized void add(ScriptObserver observer) {
		List<ScriptObserver> more = new ArrayList<>(this.entries);
		more.add(observer);
		replace(more);
		this.servers.forEach((server) -> server.add(observer));
	}

	/**
	 * Removes an observer.
	 * @param observer the observer
	 */
	public synchronized void remove(ScriptObserver observer) {
		List<ScriptObserver> rest = new ArrayList<>(this.entries);
		rest.remove(observer);
		replace(rest);
		this.servers.forEach((server) -> server.remove(observer));
	}

	private void replace(List<ScriptObserver> entries) {
		boolean sends = false;
		boolean moves = false;
		boolean changes = false;
		for (ScriptObserver entry : entries) {
			sends |= entry.needsSends();
			moves |= entry.needsMoves();
			changes |= entry.needsChanges();
		}
		this.sendsNeeded = sends;
		this.movesNeeded = moves;
		this.changesNeeded = changes;
		this.entries = List.copyOf(entries);
	}

	public boolean needMoves() {
		return this.movesNeeded;
	}

	public boolean needChanges() {
		return this.changesNeeded;
	}

	/**
	 * Begins to observe a call.
	 * @return the call, or {@code null} if nothing observes it
	 */
	public @Nullable Call begin() {
		List<ScriptObserver> present = this.entries;
		return present.isEmpty() ? null : new Call(present);
	}

	/**
	 * Begins to observe a call that adds messages.
	 * @return the call, or {@code null} if nothing observes such calls
	 */
	@Nullable Call beginSend() {
		return this.sendsNeeded ? begin() : null;
	}

	/**
	 * Called when a queue as a whole has changed.
	 * @param type the type of event
	 * @param queue the queue, as the application knows it
	 * @param time when it happened
	 * @param messages how many messages are gone with it, or 0
	 * @param detail more detail, or {@code null}
	 */
	public void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
		forEach(this.entries, (entry) -> entry.changed(type, queue, time, messages, detail));
	}

	/**
	 * Calls observers, of which none may fail a call of a script or keep it from others.
	 */
	private static void forEach(List<ScriptObserver> observers, Consumer<ScriptObserver> action) {
		for (ScriptObserver observer : observers) {
			try {
				action.accept(observer);
			}
			catch (Throwable ex) {
				logger.warn("An observer of calls failed, which changes nothing for the call: "
						+ observer.getClass().getName(), ex);
			}
		}
	}

	/**
	 * A call that is observed by the entries of the list when it began.
	 */
	public final class Call {

		private final List<ScriptObserver> present;

		private final long start = ScriptObservers.this.nanoTime.getAsLong();

		private Call(List<ScriptObserver> present) {
			this.present = present;
		}

		void sending(String queue, SendRequest request) {
			forEach(this.present, (entry) -> entry.sending(queue, request));
		}

		/**
		 * Returns how long the call has taken so far.
		 */
		long nanos() {
			return ScriptObservers.this.nanoTime.getAsLong() - this.start;
		}

		/**
		 * Passes the call, or what it did to one queue, to the observers.
		 * @param call the call
		 */
		public void ended(ScriptCall call) {
			forEach(this.present, (entry) -> entry.called(call));
			Instant drainedAt = ScriptObservers.this.changesNeeded ? call.drainedAt() : null;
			if (drainedAt != null) {
				ScriptObservers.this.drained.accept(call.queue(), drainedAt);
			}
		}

	}

}
