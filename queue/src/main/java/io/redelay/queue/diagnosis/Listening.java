package io.redelay.queue.diagnosis;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.ListenedQueue;

/**
 * A listener of an instance to the queue in question.
 *
 * @param instance the instance
 * @param listener the listener
 * @param queue the settings and recent work of the listener for the queue
 */
record Listening(InstanceInfo instance, InstanceListener listener, ListenedQueue queue, boolean silent) {

	boolean isRunning() {
		return !this.silent && this.listener.state() == InstanceListener.State.RUNNING;
	}

	boolean isStopped() {
		return !this.silent && this.listener.state() != InstanceListener.State.RUNNING;
	}

	/**
	 * Returns its display name.
	 */
	String name() {
		return "'" + this.listener.id() + "' of " + this.instance.name();
	}

}
