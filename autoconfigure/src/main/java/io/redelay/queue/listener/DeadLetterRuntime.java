package io.redelay.queue.listener;

import io.redelay.queue.store.QueueAdminStore;

/**
 * What containers share to look after dead messages.
 *
 * @param instance what people call this instance
 * @param store acts on dead messages
 * @param burials tells that messages have died here
 * @since 0.1.0
 */
public record DeadLetterRuntime(String instance, QueueAdminStore store, Burials burials) {

	/**
	 * Nobody has been told of burials yet.
	 * @param instance what people call this instance
	 * @param store acts on dead messages
	 */
	public DeadLetterRuntime(String instance, QueueAdminStore store) {
		this(instance, store, new Burials());
	}

}
