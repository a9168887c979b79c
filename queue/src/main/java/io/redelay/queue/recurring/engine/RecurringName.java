package io.redelay.queue.recurring.engine;

/**
 * The identity of a recurring message.
 *
 * @param queue its queue
 * @param name its name among those of the queue
 */
record RecurringName(String queue, String name) {

	@Override
	public String toString() {
		return "recurring message '" + this.name + "' of the queue '" + this.queue + "'";
	}

}
