package io.redelay.test.patience;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives all waits in the tests of a module two minutes: a busy machine may need long for
 * an action of milliseconds, and the ten seconds of Awaitility are not enough on each. It
 * polls often, as most waits are short. JUnit finds it by its service file where
 * {@code junit-platform.properties} enable that.
 *
 * @since 0.1.0
 */
public final class Patience implements BeforeAllCallback {

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
		Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
		// A thread that an earlier test left behind may end by an exception; that is not
		// this test's failure.
		Awaitility.doNotCatchUncaughtExceptionsByDefault();
	}

}
