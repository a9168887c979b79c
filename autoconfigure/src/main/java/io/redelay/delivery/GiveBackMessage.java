package io.redelay.delivery;

import java.time.Duration;

/**
 * Implemented by exceptions that say that a message could not be handled now, through no
 * fault of its own. If one leaves a handler, the message is given back and delivered
 * again later, and no attempt is counted.
 *
 * @since 0.1.0
 */
public interface GiveBackMessage {

	/**
	 * How long until the message can be delivered again.
	 * @return the delay
	 */
	Duration getGiveBackDelay();

}
