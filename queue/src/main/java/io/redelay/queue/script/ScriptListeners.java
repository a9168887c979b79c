package io.redelay.queue.script;

import java.time.Instant;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What an application does because of the requests and replies of scripts. None of these
 * may block or throw.
 *
 * @param observers observe the calls
 * @param ticksDropped called with a queue when a send has dropped the message of a tick
 * to make room, to restore recurring messages
 * @param maintenance starts what works in the background, such as the search for expired
 * messages; called each time that a lane to claim on is opened or a message with a time
 * to live is sent, and does something the first time
 * @param packed called with a queue and the time of the server for each claim that finds
 * out that messages of it are packed
 * @since 0.1.0
 */
public record ScriptListeners(ScriptObservers observers, Consumer<String> ticksDropped, Runnable maintenance,
		BiConsumer<String, Instant> packed) {

	/**
	 * Returns listeners that do nothing.
	 * @return the listeners
	 */
	public static ScriptListeners none() {
		return new ScriptListeners(new ScriptObservers(System::nanoTime), (queue) -> {
		}, () -> {
		}, (queue, time) -> {
		});
	}

}
