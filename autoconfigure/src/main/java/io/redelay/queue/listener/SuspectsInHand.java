package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * The suspects that a loop has in hand, and whether it may claim another one. Guarded by
 * the loop's lock, without which tickets are released.
 */
final class SuspectsInHand {

	/**
	 * How often a loop asks whose suspects are all handled alone: while it does, nobody
	 * else is given one.
	 */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final PollLoop loop;

	private final SuspectAdmission admission;

	private final Capacity capacity;

	private final boolean alone;

	private final Map<String, SuspectAdmission.Ticket> tickets = new HashMap<>();

	private long nextNanos = System.nanoTime();

	/**
	 * Nothing is in hand yet.
	 * @param alone whether each suspect is handled alone, as one more death makes it dead
	 */
	SuspectsInHand(PollLoop loop, SuspectAdmission admission, Capacity capacity, boolean alone) {
		this.loop = loop;
		this.admission = admission;
		this.capacity = capacity;
		this.alone = alone;
	}

	/**
	 * Asks whether the next claim may bring one.
	 */
	SuspectAdmission.@Nullable Ticket ask() {
		if (this.alone && System.nanoTime() - this.nextNanos < 0) {
			return null;
		}
		if (!this.capacity.reserveSuspect()) {
			return null;
		}
		SuspectAdmission.Ticket ticket = this.admission.ask(this.loop, this.alone);
		if (ticket == null) {
			this.capacity.releaseSuspect();
		}
		this.nextNanos = System.nanoTime() + PAUSE_NANOS;
		return ticket;
	}

	/**
	 * It is worth asking at once.
	 */
	void askAtOnce() {
		this.nextNanos = System.nanoTime();
	}

	/**
	 * A claim brought one.
	 */
	void claimed(String uid, SuspectAdmission.Ticket ticket) {
		this.tickets.put(uid, ticket);
	}

	/**
	 * What Redis has been told of.
	 * @return to be released
	 */
	List<SuspectAdmission.Ticket> settled(List<Settlement> settlements) {
		if (this.tickets.isEmpty()) {
			return List.of();
		}
		List<SuspectAdmission.Ticket> settled = new ArrayList<>();
		for (Settlement settlement : settlements) {
			SuspectAdmission.Ticket ticket = this.tickets.remove(settlement.uid());
			if (ticket != null) {
				settled.add(ticket);
			}
		}
		return settled;
	}

	/**
	 * Redis will not be told of anything but what is still in hand.
	 * @return to be released
	 */
	List<SuspectAdmission.Ticket> lost(Set<String> inHand) {
		List<SuspectAdmission.Ticket> lost = new ArrayList<>();
		for (Iterator<Map.Entry<String, SuspectAdmission.Ticket>> each = this.tickets.entrySet().iterator(); each
			.hasNext();) {
			Map.Entry<String, SuspectAdmission.Ticket> entry = each.next();
			if (!inHand.contains(entry.getKey())) {
				lost.add(entry.getValue());
				each.remove();
			}
		}
		return lost;
	}

}
