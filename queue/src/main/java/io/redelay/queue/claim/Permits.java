package io.redelay.queue.claim;

import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.AckMode;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.HandlerPermits;
import io.redelay.queue.handle.HandlingTimeEstimate;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many handlers of a container run, and how many messages its loops hold. That
 * is as many as the handlers are given at a time, plus the prefetch, see
 * {@link HandlingTimeEstimate}. A loop reserves room before it claims. One that finds
 * none waits in line.
 * <p>
 * Several queues, or partitions of a queue, share the room. A queue is busy if its last
 * claim brought all that was wanted, so that it has more. A busy queue leaves some of the
 * prefetch to the others, so that a message of these is claimed at once. A queue that is
 * not busy reserves little while its claim is on its way.
 * <p>
 * Safe for use by many threads. No lock is held while claimants are signalled that there
 * is room.
 */
final class Permits implements HandlerPermits {

	/**
	 * From how many messages behind others of their ordering keys no more are claimed.
	 */
	private static final int MAX_BEHIND = 500;

	private int min;

	private int max;

	private final int batchSize;

	/**
	 * Whether several messages of an ordering key may be held: not if they are batched,
	 * or acknowledged before their handling.
	 */
	private final boolean hasRows;

	private final HandlingTimeEstimate pace;

	private final Invariants invariants;

	/**
	 * Changes while the lock is held; read without it, too.
	 */
	private volatile int count;

	private int held;

	/**
	 * For how many messages room is reserved by claims that are not answered.
	 */
	private int reserved;

	/**
	 * How many messages receivers want, in a container that claims on request; else there
	 * is no bound.
	 */
	private int demand = Integer.MAX_VALUE;

	/**
	 * How many messages are held behind others of their ordering keys.
	 */
	private int behind;

	private int queues;

	private final RoomOrder order;

	private final Set<Claimant> line = new LinkedHashSet<>();

	/**
	 * The claimant in line if there is one, the line if there are several, or
	 * {@code null} if there is none; read without the lock.
	 */
	private volatile @Nullable Object inLine;

	private final Set<String> busyQueues = new HashSet<>();

	/**
	 * The queues with limits that are set for all instances. Messages that wait in one
	 * instance would count, and another instance could not have them.
	 */
	private final Set<String> limitedQueues = new HashSet<>();

	/**
	 * How many suspects, the messages whose lane died, are held: at most as many as
	 * handlers may run.
	 */
	private int suspects;

	Permits(ContainerSettings settings, Invariants invariants) {
		this.min = settings.concurrency().least();
		this.max = settings.concurrency().most();
		this.batchSize = settings.batch().size();
		this.hasRows = settings.batch().size() == 1 && settings.ackMode() != AckMode.BEFORE_HANDLING;
		this.queues = settings.queues().size();
		this.pace = new HandlingTimeEstimate(settings.concurrency().prefetch());
		this.order = RoomOrder.of(settings.order(), settings.batch().size());
		this.invariants = invariants;
		this.count = this.min;
	}

	/**
	 * Sets from how many queues, or partitions of queues, the container claims.
	 */
	synchronized void share(int queues) {
		this.queues = queues;
	}

	/**
	 * Changes how many handlers may run. Handlers above the new bound keep their permits
	 * until they end.
	 * @param min how many at least
	 * @param max how many at most
	 */
	synchronized void bound(int min, int max) {
		this.min = min;
		this.max = max;
		this.count = Math.min(max, Math.max(min, this.count));
	}

	/**
	 * Returns whether handlers may run side by side, so that messages have no order to
	 * keep.
	 */
	synchronized boolean areSeveral() {
		return this.max > 1;
	}

	@Override
	public int count() {
		return this.count;
	}

	@Override
	public HandlingTimeEstimate pace() {
		return this.pace;
	}

	/**
	 * Reserves a place for a suspect that the next claim may bring.
	 * @return whether there was one
	 */
	synchronized boolean reserveSuspect() {
		boolean free = this.suspects < this.count;
		this.suspects += free ? 1 : 0;
		return free;
	}

	/**
	 * Takes a place for a suspect that is held although none was reserved.
	 */
	synchronized void addSuspect() {
		this.suspects++;
	}

	/**
	 * Gives a place back: the claim brought no suspect, or the suspect is settled.
	 * @param queue the queue that was claimed from
	 */
	synchronized void releaseSuspect(String queue) {
		this.suspects--;
		if (this.suspects < 0) {
			this.invariants.violated(queue, Invariant.SUSPECT_COUNT, this.suspects + " places of suspects are taken");
			this.suspects = 0;
		}
	}

	/**
	 * Returns for how many messages room is reserved.
	 */
	synchronized int held() {
		return this.held;
	}

	/**
	 * Reserves room for messages that are to be claimed. A claimant that finds none waits
	 * in line, and gets its share of freed room before later claimants, so a busy queue
	 * does not keep all room of its container. A claimant that yields gets none while
	 * other queues wait.
	 * @param claimant the loop that claims
	 * @param most for how many at most
	 * @return for how many there is room
	 */
	synchronized int reserve(Claimant claimant, int most) {
		if (claimant.yields() && isAnotherQueueInLine(claimant)) {
			leave(claimant);
			return 0;
		}
		int room = this.order.isBlocked(claimant) ? 0 : Math.min(most, share(claimant));
		this.order.asked(claimant, Math.max(0, room));
		if (room > 0) {
			leave(claimant);
			this.held += room;
			this.reserved += room;
		}
		else {
			join(claimant);
		}
		return Math.max(0, room);
	}

	/**
	 * Leaves the line: a claimant in it must be ready to claim when room is made.
	 */
	synchronized void leaveLine(Claimant claimant) {
		leave(claimant);
	}

	/**
	 * Removes a claimant that claims no more for now from the line; no claimant waits for
	 * it.
	 */
	synchronized void withdraw(Claimant claimant) {
		leave(claimant);
		this.order.withdrew(claimant);
	}

	/**
	 * Returns the queue that a queue waits for, in a strict order, or {@code null} if it
	 * waits for none.
	 */
	synchronized @Nullable String waitsFor(String queue) {
		return this.order.waitsFor(queue);
	}

	@Override
	public synchronized boolean isAhead(String queue) {
		return this.order.isAhead(queue, (claimant) -> room(claimant) > 0);
	}

	private void join(Claimant claimant) {
		if (this.line.add(claimant)) {
			this.inLine = (this.line.size() == 1) ? claimant : this.line;
		}
	}

	private void leave(Claimant claimant) {
		if (this.line.remove(claimant)) {
			Iterator<Claimant> rest = this.line.iterator();
			Claimant next = rest.hasNext() ? rest.next() : null;
			this.inLine = rest.hasNext() ? this.line : next;
		}
	}

	private boolean isAnotherQueueInLine(Claimant claimant) {
		return this.line.stream()
			.anyMatch((other) -> !other.queue().equals(claimant.queue()) && !this.order.isBlocked(other));
	}

	private boolean mayClaim(Claimant claimant) {
		return room(claimant) > 0 && !this.order.isBlocked(claimant);
	}

	private int share(Claimant claimant) {
		int room = room(claimant);
		if (room <= 0 || this.line.isEmpty()) {
			return room;
		}
		List<Claimant> rivals = this.line.stream().filter((each) -> each == claimant || mayClaim(each)).toList();
		int claimants = this.line.contains(claimant) ? rivals.size() : rivals.size() + 1;
		if (claimants == 1) {
			return room;
		}
		int share = wholeBatches(this.order.share(free(), claimant, rivals, claimants));
		return Math.min(room, (share == 0 && isFirst(claimant, rivals)) ? this.batchSize : share);
	}

	private boolean isFirst(Claimant claimant, List<Claimant> rivals) {
		Claimant first = first(rivals);
		return first == null || claimant == first
				|| (!rivals.contains(claimant) && this.order.isBefore(claimant, first));
	}

	/**
	 * Returns for how many messages a claimant may reserve room, were it the only one to
	 * do so now.
	 */
	private int room(Claimant claimant) {
		int free = free();
		if (this.queues == 1) {
			return free;
		}
		int room = this.busyQueues.contains(claimant.queue())
				? free - leftToOthers(this.order.leavesTo(claimant, this.queues - 1))
				: Math.min(free, Math.max(2 * this.batchSize, wholeBatches(free / 2)));
		return this.order.most(room, capacity(), claimant);
	}

	/**
	 * Returns how much of the prefetch a busy queue leaves free.
	 */
	private int leftToOthers(int others) {
		return Math.min(others * this.batchSize, prefetch() / 2);
	}

	@Override
	public synchronized int mostWaiting(int running) {
		return (this.count - running) * this.batchSize + prefetch() - leftToOthers(this.queues - 1);
	}

	private int free() {
		return Math.min(capacity() - this.held, this.demand - this.reserved);
	}

	private int capacity() {
		return this.count * this.batchSize + prefetch();
	}

	/**
	 * Returns how many messages to claim ahead of the handlers.
	 */
	private int prefetch() {
		return this.limitedQueues.isEmpty() ? this.pace.prefetch(this.count) : 0;
	}

	/**
	 * Returns how many messages to claim behind each one that has the turn of its
	 * ordering key. The handler of that one handles them, one after the other, so they
	 * take no room, and no place in a batch; but none are claimed while many are held.
	 */
	synchronized int behind() {
		boolean more = this.hasRows && this.demand == Integer.MAX_VALUE && this.behind < MAX_BEHIND;
		return more ? this.pace.row() : 0;
	}

	/**
	 * Records that more messages are held behind others of their ordering keys, or fewer
	 * if the number is negative.
	 */
	synchronized void addBehind(int count) {
		this.behind += count;
	}

	/**
	 * Sets whether limits of a claimant's queue are set for all instances. If so, there
	 * is no prefetch for any queue of the container.
	 */
	synchronized void limit(Claimant claimant, boolean limited) {
		set(this.limitedQueues, claimant, limited);
	}

	private static void set(Set<String> queues, Claimant claimant, boolean contained) {
		if (contained) {
			queues.add(claimant.queue());
		}
		else {
			queues.remove(claimant.queue());
		}
	}

	private int wholeBatches(int messages) {
		return messages / this.batchSize * this.batchSize;
	}

	@Override
	public synchronized void demand(int messages) {
		this.demand = messages;
	}

	/**
	 * Records the end of a claim, and gives back the room that it did not use.
	 * @param wanted for how many messages room was reserved
	 * @param brought how many it brought
	 */
	synchronized void answered(Claimant claimant, int wanted, int brought) {
		this.reserved -= wanted;
		this.order.answered(claimant, wanted, brought);
		release(claimant, wanted - brought);
	}

	/**
	 * Gives room back for messages that the claim did not bring, or that are settled.
	 * @param count for how many messages; negative if a repeated request brought more
	 * than was reserved
	 */
	synchronized void release(Claimant claimant, int count) {
		this.held -= count;
		this.order.released(claimant, count);
		if (this.held < 0) {
			this.invariants.violated(claimant.queue(), Invariant.HELD_COUNT,
					"after the release of " + count + " there is room reserved for " + this.held + " messages");
			this.held = Math.max(0, this.held);
		}
	}

	/**
	 * Records whether a claim was filled, and moves the number of permits within its
	 * range: one more if it was, one fewer if no queue is busy any more.
	 */
	synchronized void claimed(Claimant claimant, boolean full) {
		this.order.claimed(claimant, full);
		set(this.busyQueues, claimant, full);
		if (full && this.count < this.max) {
			this.count++;
		}
		else if (this.busyQueues.isEmpty() && this.count > this.min) {
			this.count--;
		}
		if (this.count < this.min || this.count > this.max) {
			this.invariants.violated(claimant.queue(), Invariant.PERMITS,
					this.count + " permits are not " + this.min + " to " + this.max);
			this.count = Math.min(this.max, Math.max(this.min, this.count));
		}
	}

	/**
	 * Signals the claimants in line, in their order, while there is room for them.
	 */
	void signalRoom() {
		signalRoom(null);
	}

	/**
	 * Signals the claimants in line, in their order, while there is room for them.
	 * @param last the claimant that was signalled just now, or {@code null}
	 */
	void signalRoom(@Nullable Claimant last) {
		Object waiting = this.inLine;
		if (waiting == null || waiting == last) {
			return;
		}
		Claimant signalled = last;
		for (Claimant next = next(); next != null && next != signalled; next = next()) {
			signalled = next;
			next.signal();
		}
	}

	/**
	 * Returns the claimant to signal that there is room.
	 * @return the first in line that there is room for, or {@code null} if there is none
	 */
	synchronized @Nullable Claimant next() {
		return first(this.line);
	}

	private @Nullable Claimant first(Collection<Claimant> claimants) {
		Claimant first = null;
		for (Claimant claimant : claimants) {
			if (mayClaim(claimant) && (first == null || this.order.isBefore(claimant, first))) {
				first = claimant;
			}
		}
		return first;
	}

	/**
	 * A loop that claims from a queue.
	 */
	interface Claimant {

		/**
		 * Returns the queue it claims from.
		 */
		String queue();

		/**
		 * Returns whether it leaves all room to other queues that wait for some.
		 */
		boolean yields();

		/**
		 * Called when there is room: claims again, or leaves the line.
		 */
		void signal();

	}

}
