package io.redelay.queue.listener;

import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Decides which suspects, the messages whose lane died, an instance has in hand at the
 * same time, whatever queues and containers they are of: the death of an instance is
 * counted as a crash of each of them.
 * <p>
 * Suspects are handled side by side until one is met that is <em>accused</em>: that was
 * in hand as a suspect at a death before, or that would be dead after one more. An
 * accused is handled alone, so that it is the one to blame if the instance dies again. As
 * it is only known by the reply to a claim, a loop that is given one beside others gives
 * it back, and claims it again when nobody has, or may be given, a suspect.
 * <p>
 * Safe for use by many threads. Loops are told of their turn while no lock is held.
 *
 * @since 0.1.0
 */
public final class SuspectAdmission {

	/**
	 * How long others wait for a loop whose turn it is. It may have no room to claim.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Set<Ticket> tickets = new HashSet<>();

	/**
	 * Who waits to be alone, and since when. Others are given nothing new meanwhile.
	 */
	private final Map<Applicant, Long> waiting = new LinkedHashMap<>();

	private final Set<Applicant> refused = new LinkedHashSet<>();

	private boolean taken;

	private final Scheduler clock;

	/**
	 * Creates the admission of an instance.
	 * @param clock tells for how long a loop has waited
	 */
	public SuspectAdmission(Scheduler clock) {
		this.clock = clock;
	}

	/**
	 * Asks whether the next claim of a loop may bring a suspect. Called under the loop's
	 * lock.
	 * @param loop who claims
	 * @param alone whether it may bring one only while nobody else has any
	 * @return the permission, to be released; or {@code null}, and the loop is told when
	 * to ask again
	 */
	synchronized @Nullable Ticket ask(Applicant loop, boolean alone) {
		Applicant next = next();
		boolean asksAlone = alone || this.waiting.containsKey(loop);
		boolean turn = (next != null) ? next == loop && this.tickets.isEmpty() : !asksAlone || this.tickets.isEmpty();
		if (this.taken || !turn) {
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
		this.taken = asksAlone;
		return ticket;
	}

	/**
	 * Lets a loop wait to be alone; again at the end if its turn has passed.
	 */
	private void queue(Applicant loop) {
		Long since = this.waiting.get(loop);
		if (since == null || this.clock.nanoTime() - since >= PATIENCE.toNanos()) {
			this.waiting.remove(loop);
			this.waiting.put(loop, this.clock.nanoTime());
		}
	}

	/**
	 * Whose turn it is to be alone.
	 */
	private @Nullable Applicant next() {
		long now = this.clock.nanoTime();
		for (Map.Entry<Applicant, Long> each : this.waiting.entrySet()) {
			if (now - each.getValue() < PATIENCE.toNanos()) {
				return each.getKey();
			}
		}
		return null;
	}

	/**
	 * Forgets a loop that does not claim any more.
	 */
	void leave(Applicant loop) {
		synchronized (this) {
			this.waiting.remove(loop);
			this.refused.remove(loop);
		}
		tellNext();
	}

	private void tellNext() {
		List<Applicant> told;
		synchronized (this) {
			Applicant next = next();
			if (this.taken || (next != null && !this.tickets.isEmpty())) {
				return;
			}
			told = (next != null) ? List.of(next) : List.copyOf(this.refused);
			for (Iterator<Applicant> each = this.refused.iterator(); each.hasNext();) {
				if (told.contains(each.next())) {
					each.remove();
				}
			}
		}
		told.forEach(Applicant::askAgain);
	}

	/**
	 * A loop that wants to claim suspects.
	 */
	interface Applicant {

		/**
		 * It is worth asking again. Called while no lock is held.
		 */
		void askAgain();

	}

	/**
	 * The permission to have a suspect in hand, from the claim that may bring it until
	 * Redis knows what became of it.
	 */
	final class Ticket {

		private final Applicant loop;

		private boolean alone;

		private Ticket(Applicant loop, boolean alone) {
			this.loop = loop;
			this.alone = alone;
		}

		/**
		 * The claim brought a suspect.
		 * @param accused whether it is one that is handled alone
		 * @return whether it may be handled; else it is to be given back
		 */
		boolean admits(boolean accused) {
			synchronized (SuspectAdmission.this) {
				if (accused && !this.alone) {
					queue(this.loop);
					return false;
				}
				if (this.alone && !accused) {
					this.alone = false;
					SuspectAdmission.this.taken = false;
				}
				return true;
			}
		}

		/**
		 * There was no suspect, or Redis knows what became of it.
		 */
		void release() {
			synchronized (SuspectAdmission.this) {
				if (SuspectAdmission.this.tickets.remove(this) && this.alone) {
					SuspectAdmission.this.taken = false;
				}
			}
			tellNext();
		}

	}

}
