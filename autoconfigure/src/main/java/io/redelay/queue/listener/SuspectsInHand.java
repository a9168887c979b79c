package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.Settlement;
import io.redelay.scheduling.Scheduler;
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

	private final SuspectAdmission.Applicant loop;

	private final String queue;

	private final SuspectAdmission admission;

	private final SuspectPlaces places;

	private final Scheduler clock;

	private final boolean alone;

	private final Map<String, SuspectAdmission.Ticket> tickets = new HashMap<>();

	private long nextNanos;

	/**
	 * Nothing is in hand yet.
	 * @param alone whether each suspect is handled alone, as one more death makes it dead
	 */
	SuspectsInHand(SuspectAdmission.Applicant loop, String queue, SuspectAdmission admission, SuspectPlaces places,
			Scheduler clock, boolean alone) {
		this.loop = loop;
		this.queue = queue;
		this.admission = admission;
		this.places = places;
		this.clock = clock;
		this.alone = alone;
		this.nextNanos = clock.nanoTime();
	}

	/**
	 * Asks whether the next claim may bring one.
	 */
	SuspectAdmission.@Nullable Ticket ask() {
		if (this.alone && this.clock.nanoTime() - this.nextNanos < 0) {
			return null;
		}
		if (!this.places.reserve()) {
			return null;
		}
		SuspectAdmission.Ticket ticket = this.admission.ask(this.loop, this.alone);
		if (ticket == null) {
			this.places.release(this.queue);
		}
		this.nextNanos = this.clock.nanoTime() + PAUSE_NANOS;
		return ticket;
	}

	/**
	 * It is worth asking at once.
	 */
	void askAtOnce() {
		this.nextNanos = this.clock.nanoTime();
	}

	/**
	 * A claim was answered.
	 * @param ticket the permission that it had, for which a place was reserved
	 * @return whether it brought a suspect
	 */
	boolean claimed(SuspectAdmission.@Nullable Ticket ticket, List<ClaimedMessage> messages) {
		boolean found = false;
		for (ClaimedMessage message : messages) {
			if (message.suspect()) {
				if (found || ticket == null) {
					// A request that was repeated brings what it brought the first time.
					this.places.add();
				}
				if (ticket != null) {
					this.tickets.put(message.uid(), ticket);
				}
				found = true;
			}
		}
		if (!found && ticket != null) {
			this.places.release(this.queue);
		}
		return found;
	}

	/**
	 * Whether a suspect may be handled beside those that others have; else it is to be
	 * given back.
	 */
	static boolean isAdmitted(Delivery suspect, SuspectAdmission.@Nullable Ticket ticket) {
		return ticket != null && ticket.admits(suspect.isAccused());
	}

	/**
	 * Redis has carried a request out.
	 * @return to be released: of what it settled, and its own if it brought no suspect
	 */
	List<SuspectAdmission.Ticket> answered(PendingClaim request, ClaimReply reply) {
		List<SuspectAdmission.Ticket> free = settled(request.settlements());
		SuspectAdmission.Ticket ticket = request.suspect();
		if (ticket == null || reply.messages().stream().anyMatch(ClaimedMessage::suspect)) {
			return free;
		}
		List<SuspectAdmission.Ticket> all = new ArrayList<>(free);
		all.add(ticket);
		return all;
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
	List<SuspectAdmission.Ticket> retain(Set<String> inHand) {
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
