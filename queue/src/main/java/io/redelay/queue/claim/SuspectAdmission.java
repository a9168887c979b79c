package io.redelay.queue.claim;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Decides which suspects an instance handles at the same time. A suspect is a message
 * whose lane died while it held the message. The decision is made for all queues and
 * containers together, because the death of the instance counts as a crash of each
 * suspect that it holds.
 * <p>
 * Suspects are handled at the same time as long as none of them is <em>accused</em>. A
 * suspect is accused if a lane died before while it held the message as a suspect, or if
 * one more crash would make the message dead. An accused suspect is handled alone, so
 * that it is known to be the cause if the instance dies again. Only the reply to a claim
 * shows whether a suspect is accused. A loop whose claim brings an accused suspect while
 * other loops hold suspects therefore gives it back, and claims it again when no other
 * loop holds a suspect or has a ticket to claim one.
 * <p>
 * Safe for use by many threads. No lock is held while a loop is called to ask again.
 *
 * @since 0.1.0
 */
public final class SuspectAdmission {

	/**
	 * How long other loops wait for the loop whose turn it is to handle a suspect alone.
	 * That loop may have no room to claim.
	 */
	private static final Duration TURN_TIMEOUT = Duration.ofSeconds(10);

	private final Set<Ticket> tickets = new HashSet<>();

	/**
	 * The loops that wait to handle a suspect alone, and since when. Meanwhile no other
	 * loop gets a new ticket.
	 */
	private final Map<Applicant, Long> waiting = new LinkedHashMap<>();

	private final Set<Applicant> refused = new LinkedHashSet<>();

	private final Scheduler clock;

	/**
	 * Creates the admission of an instance.
	 * @param clock measures how long a loop has waited
	 */
	public SuspectAdmission(Scheduler clock) {
		this.clock = clock;
	}

	/**
	 * Asks whether the next claim of a loop may bring a suspect. Called under the loop's
	 * lock.
	 * @param loop the loop that claims
	 * @param alone whether it may bring one only while no other loop holds any
	 * @return the ticket, which the loop has to release; or {@code null}: then
	 * {@link Applicant#askAgain()} is called later
	 */
	synchronized @Nullable Ticket ask(Applicant loop, boolean alone) {
		Applicant next = next();
		boolean asksAlone = alone || this.waiting.containsKey(loop);
		boolean turn = (next != null) ? next == loop && this.tickets.isEmpty() : !asksAlone || this.tickets.isEmpty();
		if (isTaken() || !turn) {
			this.refused.add(loop);
			if (asksAlone) {
				queue(loop);
			}
			return null;
		}
		this.refused.remove(loop);
		this.waiting.remove(loop);
		Ticket ticket = new Ticket(loop, asksAlone);
		this.tickets.add(ticket);
		return ticket;
	}

	/**
	 * Adds a loop to those that wait to handle a suspect alone. A loop whose turn has
	 * passed goes to the end.
	 */
	private void queue(Applicant loop) {
		Long since = this.waiting.get(loop);
		if (since == null || this.clock.nanoTime() - since >= TURN_TIMEOUT.toNanos()) {
			this.waiting.remove(loop);
			this.waiting.put(loop, this.clock.nanoTime());
		}
	}

	/**
	 * Returns whether a loop holds a suspect that is handled alone, or may claim one.
	 */
	private boolean isTaken() {
		for (Ticket ticket : this.tickets) {
			if (ticket.alone) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns the loop whose turn it is to handle a suspect alone, or {@code null} if
	 * there is none.
	 */
	private @Nullable Applicant next() {
		long now = this.clock.nanoTime();
		for (Map.Entry<Applicant, Long> each : this.waiting.entrySet()) {
			if (now - each.getValue() < TURN_TIMEOUT.toNanos()) {
				return each.getKey();
			}
		}
		return null;
	}

	/**
	 * Forgets a loop that does not claim any more, and has the next loop ask again.
	 */
	void leave(Applicant loop) {
		synchronized (this) {
			this.waiting.remove(loop);
			this.refused.remove(loop);
		}
		signalNext();
	}

	private void signalNext() {
		List<Applicant> signalled;
		synchronized (this) {
			Applicant next = next();
			if (isTaken() || (next != null && !this.tickets.isEmpty())) {
				return;
			}
			signalled = (next != null) ? List.of(next) : List.copyOf(this.refused);
			this.refused.removeAll(signalled);
		}
		signalled.forEach(Applicant::askAgain);
	}

	/**
	 * A loop that wants to claim suspects.
	 */
	interface Applicant {

		/**
		 * Called when the loop should ask for a ticket again. The caller holds no lock.
		 */
		void askAgain();

	}

	/**
	 * The permission to hold a suspect, from the claim that may bring the suspect until
	 * Redis has its settlement.
	 */
	final class Ticket {

		private final Applicant loop;

		private boolean alone;

		private Ticket(Applicant loop, boolean alone) {
			this.loop = loop;
			this.alone = alone;
		}

		/**
		 * Decides whether the suspect that the claim brought may be handled.
		 * @param accused whether it is one that is handled alone
		 * @return whether it may be handled; if not, the loop has to give it back
		 */
		boolean admits(boolean accused) {
			synchronized (SuspectAdmission.this) {
				if (accused && !this.alone) {
					queue(this.loop);
					return false;
				}
				this.alone &= accused;
				return true;
			}
		}

		/**
		 * Releases this ticket, because the claim brought no suspect, or because Redis
		 * has the settlement of the suspect.
		 */
		void release() {
			synchronized (SuspectAdmission.this) {
				SuspectAdmission.this.tickets.remove(this);
			}
			signalNext();
		}

	}

}
