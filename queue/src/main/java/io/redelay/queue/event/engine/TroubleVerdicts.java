package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TroubleEvent;
import org.jspecify.annotations.Nullable;

/**
 * Decides from looks at all queues when trouble begins, changes and ends. A verdict
 * counts when all looks have found it for as long as verdicts must hold. So trouble that
 * comes and goes neither begins nor ends, and a queue whose trouble is of one kind at one
 * look and of another at the next is in trouble all the same. So is one that becomes more
 * urgent.
 * <p>
 * For one thread.
 */
final class TroubleVerdicts {

	/**
	 * How many queues are in trouble at most. Trouble of another one begins when that of
	 * one of them has ended.
	 */
	static final int MAX_TROUBLES = 1000;

	private final Duration hold;

	private final Map<String, KnownTrouble> known = new TreeMap<>();

	private final Map<String, Candidate> candidates = new HashMap<>();

	private Map<String, QueueSnapshot> last = Map.of();

	TroubleVerdicts(Duration hold) {
		this.hold = hold;
	}

	/**
	 * Looks at queues. The same snapshot as in the last look shows nothing new, nor does
	 * none of a queue that could not be looked at: what has not held yet has to hold
	 * anew.
	 * @param look the state of all queues
	 * @param nanos when they were looked at, by a monotonic clock
	 */
	@SuppressWarnings("ReferenceEquality") // another snapshot may have seen the same
	void look(QueueSnapshots.Look look, long nanos) {
		Set<String> queues = new TreeSet<>(look.queues().keySet());
		queues.addAll(this.known.keySet());
		this.candidates.keySet().retainAll(queues);
		for (String queue : queues) {
			QueueSnapshot snapshot = look.queues().get(queue);
			if ((snapshot != null) ? snapshot == this.last.get(queue) : look.failed().contains(queue)) {
				this.candidates.remove(queue);
			}
			else if (snapshot != null) {
				look(queue, Verdict.of(snapshot.diagnosis()), millis(snapshot.diagnosis().time()), nanos);
			}
			else {
				look(queue, null, millis(look.time()), nanos);
			}
		}
		this.last = look.queues();
	}

	/**
	 * Times are recorded in milliseconds, and a repeated event has the same.
	 */
	private static Instant millis(Instant time) {
		return time.truncatedTo(ChronoUnit.MILLIS);
	}

	private void look(String queue, @Nullable Verdict now, Instant time, long nanos) {
		KnownTrouble before = this.known.get(queue);
		Verdict present = (before != null && !before.hasEnded()) ? Verdict.of(before) : null;
		if (Objects.equals(now, present)) {
			this.candidates.remove(queue);
			return;
		}
		Candidate earlier = this.candidates.get(queue);
		Candidate candidate = new Candidate(now, time, nanos);
		if (earlier != null && goesOn(earlier.verdict(), now, present)) {
			candidate = new Candidate(now, earlier.since(), earlier.nanos());
		}
		this.candidates.put(queue, candidate);
		boolean isFull = before == null && this.known.size() >= MAX_TROUBLES;
		boolean isUnderWay = before != null && !before.reported();
		if (nanos - candidate.nanos() >= this.hold.toNanos() && !isFull && !isUnderWay) {
			this.candidates.remove(queue);
			this.known.put(queue, next(before, candidate, time));
		}
	}

	/**
	 * Returns whether a verdict goes on with an earlier one: which trouble it is does not
	 * matter where there was none, or where both are more urgent than what was reported.
	 */
	private static boolean goesOn(@Nullable Verdict earlier, @Nullable Verdict now, @Nullable Verdict present) {
		return present == null || Objects.equals(earlier, now)
				|| (isMoreUrgent(earlier, present) && isMoreUrgent(now, present));
	}

	private static boolean isMoreUrgent(@Nullable Verdict verdict, Verdict than) {
		return verdict != null && verdict.severity().compareTo(than.severity()) < 0;
	}

	private static KnownTrouble next(@Nullable KnownTrouble before, Candidate candidate, Instant time) {
		Verdict now = candidate.verdict();
		if (before == null) {
			Verdict begun = Objects.requireNonNull(now);
			return new KnownTrouble(TroubleEvent.Type.BEGAN, begun.kind(), begun.severity(), candidate.since(), time,
					false);
		}
		if (now == null) {
			return new KnownTrouble(TroubleEvent.Type.ENDED, before.kind(), before.severity(), before.since(), time,
					false);
		}
		return new KnownTrouble(TroubleEvent.Type.CHANGED, now.kind(), now.severity(), before.since(), time, false);
	}

	/**
	 * Returns the events that were not reported yet, by queue.
	 */
	Map<String, KnownTrouble> unreported() {
		Map<String, KnownTrouble> unreported = new TreeMap<>();
		this.known.forEach((queue, trouble) -> {
			if (!trouble.reported()) {
				unreported.put(queue, trouble);
			}
		});
		return unreported;
	}

	/**
	 * Called when an event was reported.
	 */
	void reported(String queue, KnownTrouble trouble) {
		if (trouble.equals(this.known.get(queue))) {
			if (trouble.hasEnded()) {
				this.known.remove(queue);
			}
			else {
				this.known.put(queue, trouble.asReported());
			}
		}
	}

	/**
	 * Returns what another instance needs to go on from here.
	 */
	Map<String, String> write() {
		Map<String, String> written = new TreeMap<>();
		this.known.forEach((queue, trouble) -> written.put(queue, trouble.write()));
		return written;
	}

	/**
	 * Goes on from what another instance has written, or from nothing.
	 */
	void restore(Map<String, String> written) {
		this.known.clear();
		this.candidates.clear();
		written.forEach((queue, text) -> {
			KnownTrouble trouble = KnownTrouble.read(text);
			if (trouble != null) {
				this.known.put(queue, trouble);
			}
		});
	}

	/**
	 * Has verdicts that do not count yet hold from the next look on. Called when there
	 * was none for a while.
	 */
	void interrupt() {
		this.candidates.clear();
	}

	/**
	 * What the diagnosis of a queue in trouble says.
	 */
	private record Verdict(QueueFinding.Kind kind, QueueFinding.Severity severity) {

		static @Nullable Verdict of(QueueDiagnosis diagnosis) {
			return diagnosis.trouble().map((finding) -> new Verdict(finding.kind(), finding.severity())).orElse(null);
		}

		static Verdict of(KnownTrouble trouble) {
			return new Verdict(trouble.kind(), trouble.severity());
		}

	}

	/**
	 * A verdict that differs from what was reported, and has to hold.
	 *
	 * @param verdict the verdict, or {@code null} that there is no trouble
	 * @param since when it was seen first
	 * @param nanos the same by a monotonic clock
	 */
	private record Candidate(@Nullable Verdict verdict, Instant since, long nanos) {

	}

}
