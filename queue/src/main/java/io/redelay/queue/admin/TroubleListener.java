package io.redelay.queue.admin;

/**
 * A bean that is called when trouble of a queue begins, changes or ends, for mails, chats
 * and pagers. One instance of an application at a time looks at all queues and calls its
 * listeners, so each event arrives once; if that instance is killed, suspended or stopped
 * in the middle, the next one may repeat the event. A stop waits a second for listeners.
 * <p>
 * A listener may block: it has a thread of its own. What it throws is logged, and the
 * event is not repeated for it. Methods with {@code @EventListener} share a thread, one
 * after the other, and the first that throws keeps the event from the rest.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TroubleListener {

	/**
	 * Called when trouble of a queue begins, changes or ends.
	 * @param event what happened
	 * @throws Exception if it failed, which is logged
	 */
	void onTrouble(TroubleEvent event) throws Exception;

}
