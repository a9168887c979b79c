package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueStatus;
import io.redelay.queue.admin.RedriveStatus;
import org.jspecify.annotations.Nullable;

/**
 * Finds why a queue is behind, by the figures that are known of it. Has no state.
 *
 * @since 0.1.0
 */
public final class DiagnosisRules {

	/**
	 * From which share of the messages that left, and from how many, dead ones are
	 * reported.
	 */
	private static final double DYING_SHARE = 0.1;

	private static final long FEWEST_DEAD = 3;

	/**
	 * From which lateness on packed messages are reported: twice the time between two
	 * claims.
	 */
	private static final Duration PACKED_LATE = Duration.ofSeconds(10);

	private DiagnosisRules() {
	}

	/**
	 * Applies all rules.
	 * @param facts the facts about the queue
	 * @return the diagnosis, with the most hindering finding first
	 */
	public static QueueDiagnosis apply(QueueFacts facts) {
		DiagnosisContext now = DiagnosisContext.of(facts);
		List<Cause> causes = new ArrayList<>(DeliveryRules.look(now));
		boolean stopped = causes.stream().anyMatch(Cause::stopsAll);
		if (!stopped) {
			causes.addAll(LimitRules.look(now));
		}
		causes.addAll(HandlerRules.look(now));
		causes.addAll(RedisRules.look(now));
		lostTicks(now, causes);
		packedLate(now, causes);
		causes.addAll(InletRules.look(now));
		dead(now, causes);
		boolean behind = isBehind(now, causes);
		if (causes.stream().noneMatch((cause) -> cause.hindrance() > 0)) {
			causes.add(nothing(now, behind));
		}
		causes.sort(Comparator.comparing(DiagnosisRules::isAside)
			.thenComparing(Comparator.comparingDouble(Cause::hindrance).reversed()));
		List<QueueFinding> findings = causes.stream().map((cause) -> cause.toFinding(behind)).toList();
		QueueFigures figures = now.figures(causes.stream().anyMatch(Cause::stopsAll));
		return new QueueDiagnosis(facts.info().queue(), facts.time(), status(now, causes, behind), behind,
				summary(now, findings, figures, causes), figures, findings);
	}

	private static boolean isBehind(DiagnosisContext now, List<Cause> causes) {
		return now.waitsTooLong() || (isStoppedForGood(causes) && now.ready() > 0);
	}

	private static boolean isDelivered(List<Cause> causes) {
		return causes.stream().noneMatch(Cause::stopsAll);
	}

	/**
	 * Whether nothing is delivered for a reason that does not go away by itself within
	 * some seconds.
	 */
	private static boolean isStoppedForGood(List<Cause> causes) {
		return causes.stream().anyMatch((cause) -> cause.stopsAll() && cause.kind() != Kind.GATED);
	}

	/**
	 * Whether the finding is listed after all that hinder.
	 */
	private static boolean isAside(Cause cause) {
		boolean hindersNothing = cause.hindrance() == 0;
		return hindersNothing && (cause.kind() == Kind.DEAD_LETTERS || cause.kind() == Kind.CLOSED
				|| cause.kind() == Kind.GATED || cause.kind() == Kind.INLET);
	}

	private static QueueStatus status(DiagnosisContext now, List<Cause> causes, boolean behind) {
		if (causes.stream().anyMatch((cause) -> cause.stopsAll() && !isMissing(cause))
				|| (behind && causes.stream().anyMatch(Cause::stopsAll))) {
			return QueueStatus.STOPPED;
		}
		if (behind) {
			return QueueStatus.BEHIND;
		}
		return (now.ready() > 0 && now.areHandlersBusy()) ? QueueStatus.BUSY : QueueStatus.OK;
	}

	/**
	 * Whether nothing consumes the queue, which matters only while messages wait.
	 */
	private static boolean isMissing(Cause cause) {
		return cause.kind() == Kind.NO_CONSUMER || cause.kind() == Kind.CONSUMER_SILENT;
	}

	private static void lostTicks(DiagnosisContext now, List<Cause> causes) {
		long lost = now.facts().waiting().lostTicks();
		if (lost > 0) {
			causes.add(new Cause(Kind.TICK_GONE, 0.3, Severity.WARNING,
					FigureFormat.count(lost, "recurring message", "has", "have") + " no next tick",
					"The message of the next tick of " + FigureFormat.count(lost, "recurring message")
							+ " was removed, and is not back: what is removed through Redelay is back within a second.",
					"An instance that declares it puts it back when the tick is late, or within half an hour. See that one"
							+ " runs, and what removed the message: an instance that ended then, an older version, or a"
							+ " client of Redis.",
					Cause.figures("lostTicks", lost)));
		}
	}

	private static void packedLate(DiagnosisContext now, List<Cause> causes) {
		Instant due = now.facts().info().nextDue();
		long packed = now.facts().info().packed();
		if (packed == 0 || due == null || due.plus(PACKED_LATE).isAfter(now.facts().time())) {
			return;
		}
		Duration late = Duration.between(due, now.facts().time());
		causes.add(new Cause(Kind.PACKED_LATE, 0.4, Severity.WARNING,
				"messages are packed and have been due for " + FigureFormat.time(late),
				FigureFormat.count(packed, "message", "is", "are") + " packed, and the first has been due for "
						+ FigureFormat.time(late) + ": no instance has brought it near.",
				"See that an instance runs that listens to the queue. If one does, look in its log why packed messages cannot"
						+ " be read or do not come near, and check the queue.",
				Cause.figures("packed", packed, "lateMillis", late.toMillis())));
	}

	private static void dead(DiagnosisContext now, List<Cause> causes) {
		long dead = now.facts().info().dead();
		if (dead == 0) {
			return;
		}
		Throughput recent = now.throughput();
		long lately = (recent != null) ? Math.min(dead, recent.died().lastHour()) : 0;
		double given = givenUp(now, causes);
		if (recent != null && given > 0) {
			causes.add(new Cause(Kind.DEAD_LETTERS, 0.95 * given, Severity.WARNING,
					FigureFormat.count(recent.died().lately(), "message") + " died lately, "
							+ FigureFormat.percent(given) + " of those that left",
					FigureFormat.count(recent.died().lately(), "message") + " died lately, and "
							+ recent.attempts().handled()
							+ " were done: handlers did not fail, so the dead were too old when it was their turn, or could not"
							+ " be delivered, or were buried by hand. "
							+ FigureFormat.count(dead, "message", "is", "are") + " kept, " + lately
							+ " of the last hour.",
					"Look what they died of, by cause. If their time was over, handle faster, or give them more time. Then"
							+ " redrive them, or purge those that are not needed.",
					Cause.figures("dead", dead, "lastHour", lately, "diedLately", recent.died().lately(), "handled",
							recent.attempts().handled())));
			return;
		}
		causes.add(kept(now, dead, lately, (recent != null) ? lately : null));
	}

	private static Cause kept(DiagnosisContext now, long dead, long lately, @Nullable Long lastHour) {
		RedriveStatus redrive = now.facts().redrive();
		// Deaths of the last hour are no alarm while each message may have another round.
		boolean isAlarm = lately > 0 && (redrive == null || stayedLately(now, redrive));
		String headline = FigureFormat.count(dead, "dead letter")
				+ ((lately > 0) ? ", " + lately + " of the last hour" : "");
		String kept = FigureFormat.count(dead, "message", "was", "were") + " given up and "
				+ FigureFormat.verb(dead, "is", "are") + " kept"
				+ ((lately > 0) ? "; " + lately + " of them died in the last hour" : "") + ".";
		if (redrive == null) {
			return new Cause(Kind.DEAD_LETTERS, 0, isAlarm ? Severity.WARNING : Severity.INFO, headline, kept,
					"Look what they died of, by cause; mend it; then redrive them, or purge those that are not needed.",
					Cause.figures("dead", dead, "lastHour", lastHour));
		}
		return new Cause(Kind.DEAD_LETTERS, 0, isAlarm ? Severity.WARNING : Severity.INFO,
				headline + (isAlarm ? ", and some had their last round" : ", redriven by themselves"),
				kept + " They are redriven by a rule: " + redrive.rule()
						+ (redrive.active() ? "" : ", which no instance carries out now")
						+ ((redrive.next() != null) ? "; next at " + redrive.next() : "")
						+ (isAlarm ? ". Some have died after their last round, and stay." : "."),
				isAlarm ? "Look at those that had all rounds, and what they died of; mend it; then redrive them by hand, or purge them."
						: "Nothing is to be done for those that have rounds left. The others stay until they are redriven by hand or purged.",
				Cause.figures("dead", dead, "lastHour", lastHour, "rounds", redrive.rule().rounds()));
	}

	private static boolean stayedLately(DiagnosisContext now, RedriveStatus redrive) {
		Instant stayed = redrive.lastStayed();
		return stayed != null && stayed.isAfter(now.facts().time().minus(Duration.ofHours(1)));
	}

	/**
	 * Which share of the messages that left lately died though handlers do not fail; 0 if
	 * it is too small to report.
	 */
	private static double givenUp(DiagnosisContext now, List<Cause> causes) {
		Throughput recent = now.throughput();
		if (recent == null || recent.died().lately() < FEWEST_DEAD
				|| causes.stream().anyMatch((cause) -> cause.kind() == Kind.FAILING)) {
			return 0;
		}
		double share = (double) recent.died().lately() / (recent.died().lately() + recent.attempts().handled());
		return (share >= DYING_SHARE) ? share : 0;
	}

	/**
	 * The finding if nothing hinders.
	 */
	private static Cause nothing(DiagnosisContext now, boolean behind) {
		Throughput recent = now.throughput();
		Double arrived = (recent != null) ? recent.arrivedPerSecond() : null;
		String pace = (recent != null) ? ((arrived != null) ? FigureFormat.rate(arrived) + " arrived and " : "")
				+ FigureFormat.rate(recent.perSecond(recent.attempts().handled())) + " done lately" : "";
		if (!behind) {
			return new Cause(Kind.KEEPING_UP, 0, Severity.INFO, "keeping up",
					"Nothing stands in the way" + (pace.isEmpty() ? "" : ": " + pace) + "; " + now.backlog() + ".",
					"Nothing is to be done.", Cause.figures("ready", now.ready()));
		}
		Duration drained = now.timeToDrain();
		if (drained != null) {
			return new Cause(Kind.CATCHING_UP, 0, Severity.INFO, "catching up, done in " + FigureFormat.time(drained),
					FigureFormat.capitalized(now.backlog()) + ". " + FigureFormat.capitalized(pace)
							+ ": at this pace all is done in " + FigureFormat.time(drained) + ".",
					"Nothing is to be done, unless that is too late: more handlers, then.",
					Cause.figures("ready", now.ready(), "timeToDrainMillis", drained.toMillis()));
		}
		Duration cleared = now.timeToClear();
		if (cleared != null && (arrived == null || (now.areHandlersBusy() && !now.isNeverDone()))) {
			return new Cause(Kind.CATCHING_UP, 0, Severity.INFO,
					"catching up, done in " + FigureFormat.time(cleared) + " if no more comes",
					FigureFormat.capitalized(now.backlog()) + ". " + FigureFormat.capitalized(pace)
							+ ", and it is not known yet whether they become fewer: if no more come, all is done in "
							+ FigureFormat.time(cleared) + ".",
					"Look again in half a minute: then it is known.",
					Cause.figures("ready", now.ready(), "timeToClearMillis", cleared.toMillis()));
		}
		return new Cause(Kind.UNEXPLAINED, 0, Severity.WARNING, "nothing that is known explains it",
				FigureFormat.capitalized(now.backlog()) + (pace.isEmpty() ? "" : "; " + pace)
						+ "; and no limit, lock, failure or slow handler that the instances report explains it. "
						+ now.busy() + " of " + FigureFormat.count(now.concurrency(), "handler") + " "
						+ FigureFormat.verb(now.busy(), "is", "are") + " busy.",
				"Look at the CPU of the instances and of Redis, and whether instances run that are older and do not report"
						+ " what they do.",
				Cause.figures("ready", now.ready(), "busy", now.busy(), "concurrency", now.concurrency(), "consumers",
						now.consumers()));
	}

	private static String summary(DiagnosisContext now, List<QueueFinding> findings, QueueFigures figures,
			List<Cause> causes) {
		QueueFinding first = findings.get(0);
		String headline = FigureFormat.capitalized(first.headline());
		if (!isBehind(now, causes)) {
			return headline + ((now.ready() > 0) ? "; " + now.backlog() : "")
					+ ((first.kind() == Kind.KEEPING_UP) ? freshlyDead(findings) : "") + ".";
		}
		Duration drained = figures.timeToDrain();
		String end = (first.kind() == Kind.CATCHING_UP) ? ""
				: (drained != null) ? "; done in " + FigureFormat.time(drained) + " at this pace"
						: (isDelivered(causes) && first.kind() != Kind.OTHER_QUEUE_BUSY && now.isNeverDone())
								? "; never done at this pace" : "";
		return headline + "; " + now.backlog() + end + ".";
	}

	/**
	 * The summary of a queue that keeps up also names messages that died lately.
	 */
	private static String freshlyDead(List<QueueFinding> findings) {
		return findings.stream()
			.filter((finding) -> finding.kind() == Kind.DEAD_LETTERS && finding.severity() == Severity.WARNING)
			.findFirst()
			.map((finding) -> "; " + finding.headline())
			.orElse("");
	}

}
