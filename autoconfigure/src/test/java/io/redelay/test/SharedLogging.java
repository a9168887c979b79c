package io.redelay.test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.logging.LoggingApplicationListener;

/**
 * The logging of a JVM, which is one for all its applications: an application that starts
 * or ends sets it up anew, which breaks others that start at the same time.
 */
public final class SharedLogging {

	private SharedLogging() {
	}

	/**
	 * Has an application leave the logging as it is. Its properties {@code logging.*} do
	 * nothing then.
	 * @param builder the application
	 */
	public static void keep(SpringApplicationBuilder builder) {
		SpringApplication application = builder.application();
		application.setListeners(application.getListeners()
			.stream()
			.filter((listener) -> !(listener instanceof LoggingApplicationListener))
			.toList());
	}

}
