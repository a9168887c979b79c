package io.redelay.queue.claim;

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

	private final PollLoop loop;

	private final LoopStatus status;

	private final SuspectAdmission admission;

	private final Permits places;

	private final Scheduler clock;

	private final boolean alone;

	private final Map<String, SuspectAdmission.Ticket> tickets = new HashMap<>();

	private long nextNanos;

	/**
	 * Whether a suspect went back that has to be handled alone. The next claims are for
	 * it alone, until one brings a suspect, or there is none any more.
	 */
	private volatile boolean accused;

	/**
	 * Creates an object that holds no suspect.
	 * @param alone whether each suspect is handled alone, as one more death makes it dead
	 */
	SuspectsInHand(PollLoop loop, LoopStatus status, SuspectAdmission admission, Permits places, Scheduler clock,
			boolean alone) {
		this.loop = loop;
		this.status = status;
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
		SuspectAdmission.Ticket ticket = this.admission.ask(this.loop, this.alone || this.accused);
		if (ticket == null) {
			this.places.releaseSuspect(this.loop.queue());
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
			this.places.releaseSuspect(this.loop.queue());
		}
		return found;
	}

	/**
	 * Returns whether a suspect may be handled at the same time as the suspects of other
	 * loops. If not, the loop has to give it back.
	 */
	boolean isAdmitted(Delivery suspect, SuspectAdmission.@Nullable Ticket ticket) {
		boolean admitted = ticket != null && ticket.admits(suspect.isAccused());
		this.accused = !admitted && suspect.isAccused();
		return admitted;
	}

	/**
	 * Records that Redis has carried out a request. Releases the tickets of the suspects
	 * that the request settled, and its own if it brought no suspect.
	 */
	void answered(PendingClaim request, ClaimReply reply) {
		if (!this.tickets.isEmpty()) {
			request.settlements().forEach(this::settled);
		}
		if (request.suspect() != null && reply.messages().stream().noneMatch(ClaimReply.Message::suspect)) {
			this.status.afterwards(request.suspect()::release);
			if (!reply.findings().suspectsLeft()) {
				this.accused = false;
			}
		}
	}

	/**
	 * Releases the ticket of a suspect that is settled.
	 */
	void settled(Settlement settlement) {
		SuspectAdmission.Ticket ticket = this.tickets.remove(settlement.uid());
		if (ticket != null) {
			this.status.afterwards(ticket::release);
		}
	}

	/**
	 * Releases the tickets of suspects that the loop does not hold any more and has no
	 * settlement for.
	 */
	void retain(Set<String> inHand) {
		this.tickets.entrySet().removeIf((each) -> {
			boolean lost = !inHand.contains(each.getKey());
			if (lost) {
				this.status.afterwards(each.getValue()::release);
			}
			return lost;
		});
	}

}
