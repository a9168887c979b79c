package io.redelay.queue.script;

import java.time.Instant;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.redelay.queue.measure.QueueMeter;

/**
 * What an application does because of the requests and replies of scripts. None of these
 * may block or throw.
 *
 * @param moves called with the moves of messages
 * @param meter records the requests
 * @param drained called with a queue, or a partition, whose last living message has gone,
 * and the time; only while the listener to moves listens to queues
 * @param ticksDropped called with a queue when a send has dropped the message of a tick
 * to make room, to restore recurring messages
 * @param maintenance starts what works in the background, such as the search for expired
 * messages; called each time that a lane to claim on is opened or a message with a time
 * to live is sent, and does something the first time
 * @since 0.1.0
 */
public record ScriptListeners(MoveListener moves, QueueMeter meter, BiConsumer<String, Instant> drained,
		Consumer<String> ticksDropped, Runnable maintenance) {

	/**
	 * Listeners that do nothing.
	 */
	public static final ScriptListeners NONE = new ScriptListeners(MoveListener.NONE, QueueMeter.NONE,
			(queue, time) -> {
			}, (queue) -> {
			}, () -> {
			});

}
