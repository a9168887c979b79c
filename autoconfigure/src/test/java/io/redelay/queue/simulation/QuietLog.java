package io.redelay.queue.simulation;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

/**
 * Has the handlers of a test class fail without a line in the log.
 */
final class QuietLog implements BeforeAllCallback, AfterAllCallback {

	private static final String LOGGER = "io.redelay.queue";

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	@Override
	public void beforeAll(ExtensionContext context) {
		this.logging.setLogLevel(LOGGER, LogLevel.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.logging.setLogLevel(LOGGER, null);
	}

}
