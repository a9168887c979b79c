package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.ScriptRunner;

/**
 * What the scripts of an instance that add messages have in common.
 *
 * @param runner runs them
 * @param expiries makes queues known to which messages with a time to live are sent
 * @param wakePrefix the beginning of the channels on which other instances are woken
 * @param newLane creates a name that no lane ever had
 * @param memory the requests that are remembered in case Redis goes back in time
 * @param observers the present observers of calls
 * @param expiryMatters called when messages with a time to live are sent
 */
public record SendingContext(ScriptRunner runner, ExpiryAnnouncements expiries, Supplier<String> wakePrefix,
		Supplier<String> newLane, ReplayMemory memory, Supplier<ScriptObservers> observers, Runnable expiryMatters) {

	/**
	 * Returns whether a message has a time to live or a deadline.
	 */
	static boolean expires(List<NewMessage> messages) {
		for (NewMessage message : messages) {
			if (EnvelopeCodec.expires(message.envelope())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Announces that messages with a time to live are sent to a queue.
	 * @return a future that completes when they may be sent
	 */
	CompletableFuture<Void> announceExpiry(String queue) {
		this.expiryMatters.run();
		return this.expiries.announce(queue);
	}

}
