package io.redelay.delivery;

import java.time.Duration;

/**
 * Implemented by exceptions that mean that a message cannot be handled now, for a reason
 * outside of the message. If one leaves a handler, the message is given back and
 * delivered again later, and no attempt is counted.
 *
 * @since 0.1.0
 */
public interface GiveBackMessage {

	/**
	 * Returns how long until the message is delivered again.
	 * @return the delay
	 */
	Duration getGiveBackDelay();

}
