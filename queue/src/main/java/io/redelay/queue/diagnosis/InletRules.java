package io.redelay.queue.diagnosis;

import java.util.List;

import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;

/**
 * Finds entries in the inlet of a queue that are not taken over.
 */
final class InletRules {

	private InletRules() {
	}

	static List<Cause> look(DiagnosisContext now) {
		long entries = now.facts().info().inlet();
		if (entries == 0) {
			return List.of();
		}
		int takers = now.facts().consumers().takers();
		String inlet = FigureFormat.count(entries, "entry", "waits", "wait") + " in the inlet";
		if (takers == 0) {
			return List.of(cause(Severity.WARNING,
					inlet + ", and no instance takes " + FigureFormat.verb(entries, "it", "them"),
					inlet + " of the queue to become " + FigureFormat.verb(entries, "a message", "messages")
							+ ", and no instance that is known takes over from there.",
					"Set 'redelay.queue.queues." + now.facts().info().queue()
							+ ".inlet.enabled' in an application, and see that it runs.",
					entries, takers));
		}
		if (now.facts().info().closed()) {
			return List.of(cause(Severity.WARNING, inlet + ", and the queue is closed",
					inlet + " of the queue, which takes no new messages.", "Reopen the queue.", entries, takers));
		}
		return List.of(cause(Severity.INFO, inlet,
				inlet + " of the queue, from which " + FigureFormat.count(takers, "instance", "takes", "take")
						+ " over.",
				"Nothing is to be done if they become fewer. Otherwise the queue may be full, or the log of an instance"
						+ " shows why.",
				entries, takers));
	}

	private static Cause cause(Severity severity, String headline, String text, String mend, long entries, int takers) {
		return new Cause(Kind.INLET, 0, severity, headline, text, mend,
				Cause.figures("inlet", entries, "takers", takers));
	}

}
