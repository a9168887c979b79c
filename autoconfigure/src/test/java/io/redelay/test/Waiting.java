package io.redelay.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Awaitility that looks often, as what is waited for mostly takes a millisecond.
 */
public final class Waiting {

	private Waiting() {
	}

	/**
	 * Waits for something that happens soon.
	 * @return what to wait with
	 */
	public static ConditionFactory await() {
		return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10));
	}

}
