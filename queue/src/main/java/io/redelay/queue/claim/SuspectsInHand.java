package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The suspects that a loop holds, each with its ticket, and the decision whether the loop
 * may claim another one. Guarded by the loop's lock; the loop releases tickets without
 * holding this lock.
 */
final class SuspectsInHand {

	/**
	 * How long a loop whose suspects are all handled alone waits before it asks for a
	 * ticket again: while it has the ticket, no other loop gets one.
	 */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final SuspectAdmission.Applicant loop;

	private final String queue;

	private final SuspectAdmission admission;

	private final Permits places;

	private final Scheduler clock;

	private final boolean alone;

	private final Map<String, SuspectAdmission.Ticket> tickets = new HashMap<>();

	private long nextNanos;

	/**
	 * Creates an object that holds no suspect.
	 * @param alone whether each suspect is handled alone, as one more death makes it dead
	 */
	SuspectsInHand(SuspectAdmission.Applicant loop, String queue, SuspectAdmission admission, Permits places,
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
	 * Asks for a ticket, so that the next claim may bring a suspect; returns {@code null}
	 * if the claim may not.
	 */
	SuspectAdmission.@Nullable Ticket ask() {
		if ((this.alone && this.clock.nanoTime() - this.nextNanos < 0) || !this.places.reserveSuspect()) {
			return null;
		}
		SuspectAdmission.Ticket ticket = this.admission.ask(this.loop, this.alone);
		if (ticket == null) {
			this.places.releaseSuspect(this.queue);
		}
		this.nextNanos = this.clock.nanoTime() + PAUSE_NANOS;
		return ticket;
	}

	/**
	 * Has the next call of {@link #ask()} ask for a ticket without waiting.
	 */
	void askAtOnce() {
		this.nextNanos = this.clock.nanoTime();
	}

	/**
	 * Records the reply to a claim.
	 * @param ticket the permission that it had, for which a place was reserved
	 * @return whether it brought a suspect
	 */
	boolean claimed(SuspectAdmission.@Nullable Ticket ticket, List<ClaimReply.Message> messages) {
		boolean found = false;
		for (ClaimReply.Message message : messages) {
			if (message.suspect()) {
				if (found || ticket == null) {
					// The reply to a repeated request brings the messages of the first
					// reply.
					this.places.addSuspect();
				}
				if (ticket != null) {
					this.tickets.put(message.uid(), ticket);
				}
				found = true;
			}
		}
		if (!found && ticket != null) {
			this.places.releaseSuspect(this.queue);
		}
		return found;
	}

	/**
	 * Returns whether a suspect may be handled at the same time as the suspects of other
	 * loops. If not, the loop has to give it back.
	 */
	static boolean isAdmitted(Delivery suspect, SuspectAdmission.@Nullable Ticket ticket) {
		return ticket != null && ticket.admits(suspect.isAccused());
	}

	/**
	 * Records that Redis has carried out a request.
	 * @return the tickets to be released: those of the suspects that the request settled,
	 * and its own if it brought no suspect
	 */
	List<SuspectAdmission.Ticket> answered(PendingClaim request, ClaimReply reply) {
		List<SuspectAdmission.Ticket> free = new ArrayList<>(settled(request.settlements()));
		if (request.suspect() != null && reply.messages().stream().noneMatch(ClaimReply.Message::suspect)) {
			free.add(request.suspect());
		}
		return free;
	}

	/**
	 * Removes the tickets of suspects that are settled.
	 * @return the tickets to be released
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
	 * Removes the tickets of suspects that the loop does not hold any more and has no
	 * settlement for.
	 * @return the tickets to be released
	 */
	List<SuspectAdmission.Ticket> retain(Set<String> inHand) {
		List<SuspectAdmission.Ticket> lost = new ArrayList<>();
		this.tickets.entrySet().removeIf((each) -> !inHand.contains(each.getKey()) && lost.add(each.getValue()));
		return lost;
	}

}
