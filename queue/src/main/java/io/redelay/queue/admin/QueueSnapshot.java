package io.redelay.queue.admin;

/**
 * The state of a queue at a look at all queues.
 *
 * @param info how many messages it has. Waiting messages whose time to live is over are
 * counted, unlike by {@link QueueInspector#info}
 * @param diagnosis the diagnosis of the queue
 * @since 0.1.0
 */
public record QueueSnapshot(QueueInfo info, QueueDiagnosis diagnosis) {

	/**
	 * Returns the name of the queue.
	 * @return the name of the queue
	 */
	public String queue() {
		return this.info.queue();
	}

	/**
	 * Returns the status of the queue.
	 * @return the status
	 */
	public QueueStatus status() {
		return this.diagnosis.status();
	}

}
