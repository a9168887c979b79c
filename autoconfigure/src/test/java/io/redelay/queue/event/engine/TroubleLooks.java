package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueFigures;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueFinding.Kind;
import io.redelay.queue.admin.QueueFinding.Severity;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.QueueStatus;

/**
 * Looks at queues that are in trouble or not.
 */
final class TroubleLooks {

	private TroubleLooks() {
	}

	static QueueSnapshots.Look look(Instant time, QueueSnapshot... queues) {
		Map<String, QueueSnapshot> all = new TreeMap<>();
		List.of(queues).forEach((queue) -> all.put(queue.queue(), queue));
		return new QueueSnapshots.Look(time, all);
	}

	static QueueSnapshot well(String queue, Instant time) {
		return queue(queue, time, finding(Kind.KEEPING_UP, Severity.INFO));
	}

	static QueueFinding finding(Kind kind, Severity severity) {
		String word = kind.name().toLowerCase();
		return new QueueFinding(kind, severity, word, word + " text", word + " mend", Map.of());
	}

	static QueueSnapshot queue(String queue, Instant time, QueueFinding... findings) {
		QueueFigures figures = new QueueFigures(0, 0, 0, 0, 0, Duration.ZERO, null, null, null, null, null, null, 0, 0,
				0, null);
		return new QueueSnapshot(
				new QueueInfo(queue, 0, 0, 0, 0, null, Duration.ZERO, false, false, null, 0, 0, 0, 0, 0),
				new QueueDiagnosis(queue, time, QueueStatus.BEHIND, true, "Summary of " + findings[0].headline() + ".",
						figures, List.of(findings)));
	}

}
