package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The finding why a queue is behind, or that it is not.
 *
 * @param queue the queue
 * @param time when it was looked at, by the clock of Redis
 * @param status the status of the queue
 * @param behind whether messages wait for longer than they should: for five seconds, or
 * for any time while nothing is delivered
 * @param summary the answer in one sentence
 * @param figures the figures that it follows from
 * @param findings what stands in the way, the most hindering first; at least one
 * @since 0.1.0
 */
public record QueueDiagnosis(String queue, Instant time, QueueStatus status, boolean behind, String summary,
		QueueFigures figures, List<QueueFinding> findings) {

	/**
	 * Copies the findings.
	 */
	public QueueDiagnosis {
		findings = List.copyOf(findings);
	}

	/**
	 * Returns what hinders most.
	 * @return the kind of the first finding
	 */
	public QueueFinding.Kind kind() {
		return this.findings.get(0).kind();
	}

	/**
	 * Returns the trouble of the queue: the first finding that is more than good to know.
	 * {@link TroubleListener} beans and the gauge {@code redelay.queue.trouble} report
	 * it.
	 * @return the finding, or nothing if the queue is in no trouble
	 */
	public Optional<QueueFinding> trouble() {
		return this.findings.stream().filter((finding) -> finding.severity() != QueueFinding.Severity.INFO).findFirst();
	}

	/**
	 * Returns whether there is a finding of a kind.
	 * @param kind the kind
	 * @return {@code true} if so
	 */
	public boolean has(QueueFinding.Kind kind) {
		return this.findings.stream().anyMatch((finding) -> finding.kind() == kind);
	}

}
