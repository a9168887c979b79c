package io.redelay.queue.admin;

/**
 * What was seen of a queue at a look at all queues.
 *
 * @param info how many messages it has. What waits although its time to live is over is
 * counted, unlike by {@link QueueAdmin#info}
 * @param diagnosis why it is behind, or that it is not
 * @since 0.1.0
 */
public record QueueSnapshot(QueueInfo info, QueueDiagnosis diagnosis) {

	/**
	 * Its name.
	 * @return the name of the queue
	 */
	public String queue() {
		return this.info.queue();
	}

	/**
	 * How it does.
	 * @return the status
	 */
	public QueueStatus status() {
		return this.diagnosis.status();
	}

}
